// onym lint as authors meet it: real reports, one suggestion, baselines, SARIF as code scanning wants it, skills and agents.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkName, listProfiles } from "@onym/core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { crmFolder, json } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";
import { projectRoot, readProjectFile } from "./project-files.js";

const onym = (folder: string, ...args: readonly string[]) => runOnym(folder, args);

interface Report {
  readonly url: string;
  readonly profile: string;
  readonly servers: Readonly<Record<string, readonly string[]>>;
  readonly code: string;
  readonly names?: string;
}

const { reports } = JSON.parse(readProjectFile("test/data/lint/reports.json")) as {
  readonly reports: readonly Report[];
};

const crm = crmFolder();

describe("reports from public trackers (RULE-3) (RULE-4)", () => {
  it("are at least thirty, each with its own link", () => {
    expect(reports.filter(({ names }) => names === undefined).length).toBeGreaterThanOrEqual(30);
    expect(new Set(reports.map(({ url }) => url)).size).toBe(reports.length);
    for (const { url } of reports)
      expect(url).toMatch(/^https:\/\/github\.com\/[^/]+\/[^/]+\/(?:issues|pull)\/\d+$/);
  });

  it.each(reports)("$url: $code in $profile", ({ profile, servers, code }) => {
    const mcpServers = Object.fromEntries(Object.entries(servers).map(([id, tools]) => [id, { tools }]));
    const ran = onym(folderWith({ "onym.json": { mcpServers } }), "lint", "--json", "--profile", profile);
    const { findings } = JSON.parse(ran.out);
    const [[raw] = []] = Object.values(servers);
    const found = findings.filter((finding: { readonly code: string }) => finding.code === code);
    expect(findings, ran.out).not.toEqual([]);
    expect(found).toMatchObject([{ code, tool: expect.stringContaining(raw ?? "") }]);
    // And nothing else is said of a name that was not reported.
    for (const { tool } of findings) expect(String(tool)).toContain(raw ?? "");
  });
});

describe("onym lint", () => {
  it("suggests one name that every client takes, and says it once", () => {
    const names = [
      "Create CIFS Share",
      "hosting_restartNode.jsApplicationV1",
      "4fzyo8_read_file",
      "admin/tools/list",
      "高德地图",
    ];
    const folder = folderWith({ "onym.json": { mcpServers: { a: { tools: names } } } });
    const { suggestions } = JSON.parse(onym(folder, "lint", "--json").out);
    // A name in another script is for its author to translate.
    expect(suggestions.length).toBe(4);
    for (const { name } of suggestions)
      for (const profile of listProfiles().filter(
        ({ retired, client }) => !retired && client.rewrite === undefined,
      ))
        expect({ name, profile: profile.id, problems: checkName(name, profile, { as: "a" }) }).toMatchObject({
          problems: [],
        });
    const { out } = onym(folder, "lint");
    expect(out.match(/use "create_cifs_share", which works in every client/g)).toHaveLength(1);
    expect(out).not.toContain("Use ");
  });

  it("knows the alias, ignores what it is told to, and counts warnings", () => {
    const folder = folderWith({
      "tools.json": ["a_name_that_is_fine_by_itself_but_not_behind_a_long_alias", "x y"],
    });
    const lint = (...args: readonly string[]) => onym(folder, "lint", "--tools", "tools.json", ...args);
    expect(lint("--profile", "cursor", "--ignore", "spaces")).toMatchObject({ code: 1 });
    const codes = (...args: readonly string[]) =>
      JSON.parse(lint("--json", ...args).out).findings.map(({ code }: { readonly code: string }) => code);
    expect(codes("--profile", "cursor", "--as", "g")).toEqual(["spaces"]);
    expect(codes("--profile", "cursor", "--as", "gateway")).toEqual(["sent-too-long", "spaces"]);
    expect(
      codes("--profile", "cursor", "--as", "gateway", "--ignore", "sent-too-long:a_*", "--ignore", "spaces"),
    ).toEqual([]);
    const long = folderWith({ "tools.json": ["n".repeat(60)] });
    const warned = (...args: readonly string[]) =>
      onym(long, "lint", "--tools", "tools.json", "--profile", "claude-code", ...args).code;
    expect([warned(), warned("--max-warnings", "1"), warned("--max-warnings", "0")]).toEqual([0, 0, 1]);
  });

  it("leaves out what the baseline knows, and tells what is new", () => {
    const folder = folderWith({ "tools.json": ["x y"] });
    const lint = (...args: readonly string[]) =>
      onym(folder, "lint", "--tools", "tools.json", "--baseline", "base.json", ...args);
    expect(lint().code).toBe(1);
    expect(lint("--update-baseline")).toMatchObject({ code: 0 });
    expect(lint()).toMatchObject({ code: 0, out: "" });
    writeFileSync(join(folder, "tools.json"), '["x y", "a/b"]');
    const ran = lint("--json");
    expect(ran.code).toBe(1);
    expect(new Set(JSON.parse(ran.out).findings.map(({ tool }: { readonly tool: string }) => tool))).toEqual(
      new Set(["a/b"]),
    );
    writeFileSync(join(folder, "base.json"), "[]");
    expect(lint()).toMatchObject({ code: 2, err: expect.stringContaining("is no baseline") });
  });

  it.each(["text", "json", "sarif", "github"])(
    "writes what cannot be seen escaped, in every format: %s (SAFE-1)",
    (format) => {
      const evil = "x\u001B[2J\u202Ey\u200B\u0085z";
      const folder = folderWith({ "onym.json": { mcpServers: { [evil]: { tools: [evil] } } } });
      const { out, err } = onym(folder, "lint", "--format", format);
      expect(out).toMatch(/u\{?0*1b/i);
      expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    },
  );

  it("writes SARIF with a place in the repository for every result, rules with help, and fingerprints that stay", () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { a: { tools: ["x y", "a/b"] }, b: { tools: ["x y"] } } },
    });
    const sarif = (...args: readonly string[]) =>
      JSON.parse(onym(folder, "lint", "--format", "sarif", ...args).out).runs[0];
    const { tool, results } = sarif();
    expect(tool.driver).toMatchObject({
      name: "onym",
      semanticVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    for (const rule of tool.driver.rules)
      expect(rule).toMatchObject({
        help: { text: expect.any(String) },
        helpUri: expect.stringMatching(/^https:/),
      });
    const physical = (one: (typeof results)[number]) => one.locations[0].physicalLocation;
    for (const result of results) {
      expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(physical(result)).toMatchObject({
        artifactLocation: { uri: "onym.json", uriBaseId: "%SRCROOT%" },
        region: { startLine: expect.any(Number), endLine: expect.any(Number), endColumn: expect.any(Number) },
      });
    }
    const prints = (some: typeof results) =>
      some.map(
        ({ partialFingerprints }: (typeof results)[number]) => partialFingerprints.primaryLocationLineHash,
      );
    expect(new Set(prints(results)).size).toBe(results.length);
    // Another line, the same results.
    const text = readFileSync(join(folder, "onym.json"), "utf8");
    writeFileSync(join(folder, "onym.json"), `\n\n\n${text}`);
    expect(prints(sarif().results)).toEqual(prints(results));

    const server = join(projectRoot, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    const started = (...args: readonly string[]) =>
      JSON.parse(
        onym(
          folder,
          "lint",
          "--format",
          "sarif",
          "--profile",
          "cursor",
          "--as",
          "a".repeat(60),
          ...args,
          "--",
          process.execPath,
          server,
        ).out,
      );
    expect(physical(started().runs[0].results[0]).artifactLocation.uri).toBe("package.json");
    expect(physical(started("--file", "src/my server.ts").runs[0].results[0]).artifactLocation.uri).toBe(
      "src/my%20server.ts",
    );
  });

  it("finds tools in skills and agents that are not there or are called otherwise, and corrects names", () => {
    const skill =
      "---\nname: leads\nallowed-tools: Read, mcp__salesforce__get_leads, mcp__onym__sf_create_lead, mcp__onym__sf_drop\n---\nCall sf_get_leads, then mcp__salesforce__create_lead. Search freely.\n";
    const agent =
      "---\nname: helper\ntools:\n  - Grep\n  - mcp__onym__*\n  - mcp__salseforce__get_leads\n---\nNothing.\n";
    const folder = folderWith({
      "onym.json": { mcpServers: { salesforce: { tools: ["get_leads", "create_lead", "search"] } } },
      ".claude/skills/leads/SKILL.md": skill,
      ".claude/agents/helper.md": agent,
      "src/app.ts": "mcp__nowhere__at_all",
    });
    const ran = onym(folder, "lint", "--skills", ".", "--json");
    expect(ran.code).toBe(1);
    const told = JSON.parse(ran.out).findings.map(({ code, tool, fix }: Record<string, string>) => [
      code,
      tool,
      fix,
    ]);
    expect(told.sort()).toEqual([
      ["skill-old-name", "mcp__salesforce__create_lead", 'Write "mcp__onym__sf_create_lead"; --fix does.'],
      ["skill-old-name", "mcp__salesforce__get_leads", 'Write "mcp__onym__sf_get_leads"; --fix does.'],
      ["skill-unknown-server", "mcp__salseforce__get_leads", 'Did you mean "salesforce"?'],
      ["skill-unknown-tool", "mcp__onym__sf_drop", expect.any(String)],
    ]);
    onym(folder, "lint", "--skills", ".", "--fix");
    expect(readFileSync(join(folder, ".claude/skills/leads/SKILL.md"), "utf8")).toBe(
      skill
        .replace("mcp__salesforce__get_leads", "mcp__onym__sf_get_leads")
        .replace("mcp__salesforce__create_lead", "mcp__onym__sf_create_lead"),
    );
    expect(readFileSync(join(folder, ".claude/agents/helper.md"), "utf8")).toBe(agent);
  });

  it.each([
    [["--fix"], "--fix goes with --skills"],
    [["--update-baseline"], "--update-baseline goes with --baseline"],
    [["--skills", "nowhere"], "cannot be read (ENOENT)"],
    [["--skills", ".", "--name", "x"], "--skills goes with a config or a server"],
    [["--max-warnings", "few"], "a number from 0 up"],
  ])("refuses %j, exit 2", (args, reason) => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { tools: ["b"] } } } });
    expect(onym(folder, "lint", ...args)).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
  });
});

describe("the action and the hooks", () => {
  it("call commands and flags that there are", () => {
    const action = parse(readProjectFile("action.yml"));
    expect(action.runs.using).toBe("composite");
    for (const step of action.runs.steps) if (step.run !== undefined) expect(step.shell).toBe("bash");
    const hooks: readonly Record<string, unknown>[] = parse(readProjectFile(".pre-commit-hooks.yaml"));
    const used = [readProjectFile("action.yml"), ...hooks.map(({ entry }) => String(entry))].join("\n");
    const help = onym(folderWith({}), "lint", "--help").out;
    const flags = [...used.matchAll(/onym(?:@\S+)? lint([^\n|]*)/g)].flatMap(
      ([, rest = ""]) => rest.match(/--[a-z-]+/g) ?? [],
    );
    expect(flags.length).toBeGreaterThan(1);
    for (const flag of flags) expect(help).toContain(flag);
    for (const hook of hooks)
      expect(hook).toMatchObject({ id: expect.any(String), language: "system", pass_filenames: false });
  });
});

describe("onym lint", () => {
  it("checks one name in the usual profiles or in those asked for (RULE-3)", () => {
    const ran = runOnym(crm, ["lint", "--name", "search files", "--profile", "mcp", "openai", "--json"]);
    expect(ran.code).toBe(1);
    const report = json(ran);
    expect(Object.keys(report)).toEqual(["findings", "suggestions", "summary"]);
    expect(report.suggestions).toEqual([{ tool: "search files", name: "search_files" }]);
    expect(report.findings[0]).toEqual({
      code: "spaces",
      severity: "error",
      profile: "mcp",
      tool: "search files",
      message: '"search files" holds a space, which the MCP specification does not allow.',
      fix: 'Use "search_files".',
    });
    expect(report.summary).toEqual({ errors: 2, warnings: 0, infos: 0 });
    expect(runOnym(crm, ["lint", "--name", "search_files"])).toEqual({ code: 0, out: "", err: "" });
  });

  it("finds names that meet, tools listed twice, and look-alikes (SAFE-2)", () => {
    const folder = folderWith({
      "onym.json": {
        mcpServers: {
          a: { tools: ["search", "twice", "twice"] },
          b: { tools: ["search"] },
          c: { tools: ["s\u0435arch"] },
        },
      },
    });
    const { findings } = json(runOnym(folder, ["lint", "--json"]));
    const codes = findings.map(
      ({ code, profile }: { code: string; profile: string | null }) => `${code} ${profile}`,
    );
    expect(codes).toEqual(
      expect.arrayContaining(["collision openai", "duplicate-tool null", "look-alike null"]),
    );
  });

  it("checks the tools of a file", () => {
    const folder = folderWith({
      "tools.json": { tools: [{ name: "a.b" }, { name: "ok" }] },
      "none.json": "5",
    });
    const ran = runOnym(folder, ["lint", "--tools", "tools.json", "--profile", "openai,mcp", "--json"]);
    expect(ran.code).toBe(1);
    expect(json(ran).findings).toMatchObject([{ code: "bad-characters", profile: "openai", tool: "a.b" }]);
    expect(runOnym(folder, ["lint", "--tools", "none.json"])).toMatchObject({ code: 2, out: "" });
    expect(runOnym(folder, ["lint", "--tools", "missing.json"])).toMatchObject({ code: 2, out: "" });
  });

  it("tells the way out for a tools file as it was named", () => {
    const folder = folderWith({ "empty.json": "" });
    expect(runOnym(folder, ["lint", "--tools", "none.json"]).err).toContain("relative to the current folder");
    const { err } = runOnym(folder, ["lint", "--tools", "empty.json"]);
    expect(err).toContain("Write a list of tools");
    expect(err).not.toContain("mcpServers");
  });

  it("judges two tools of one name as the matrix does", () => {
    const { findings } = json(runOnym(crm, ["lint", "-p", "cursor", "--json"]));
    const severities = findings.flatMap(({ code, severity }: { code: string; severity: string }) =>
      code === "collision" ? [severity] : [],
    );
    expect(new Set(severities)).toEqual(new Set(["error"]));
    expect(runOnym(crm, ["matrix", "-p", "cursor"]).out).toContain("✗ collides");
  });

  it("warns without failing", () => {
    expect(runOnym(crm, ["lint", "--name", "-a", "--profile", "mcp"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("warning"),
    });
  });

  it("writes SARIF 2.1.0 with rules and places", () => {
    const folder = folderWith({ "my config.json": '{"mcpServers": {"a": {\n  "tools": ["a b"]}}}' });
    const log = json(runOnym(folder, ["lint", "-c", "my config.json", "-p", "mcp", "--format", "sarif"]));
    expect(log.version).toBe("2.1.0");
    const [run] = log.runs;
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(["spaces"]);
    expect(run.results).toMatchObject([
      {
        ruleId: "spaces",
        ruleIndex: 0,
        level: "error",
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "my%20config.json" },
              region: { startLine: 2, startColumn: 13 },
            },
            logicalLocations: [{ fullyQualifiedName: "a@1/a b@1" }],
          },
        ],
      },
    ]);
  });

  it("writes workflow commands that no name can break out of (SAFE-1)", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { tools: ["x\n::error::y%0A,:z"] } } } });
    const { out } = runOnym(folder, ["lint", "-p", "mcp", "--format", "github"]);
    expect(out).toMatch(/^::error file=onym\.json,line=1,col=\d+,title=onym%3A [a-z-]+ \(mcp\)::[^\n]*\n/);
    for (const line of out.trimEnd().split("\n")) expect(line).toMatch(/^::(error|warning) file=/);
    expect(out).toContain("%250A");
  });
});
