// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

// Names at the command line: lists, what a text leads to, and what explains it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CRM, crmFolder, json } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";

const crm = crmFolder();

describe("onym names", () => {
  it("prints name, identity and reason of every tool", () => {
    const report = json(runOnym(crm, ["names", "--profile", "openai", "--json"]));
    expect(Object.keys(report)).toEqual(["profile", "tools", "problems"]);
    expect(report.profile).toBe("openai");
    expect(report.tools.at(-1)).toEqual({
      name: "wiki_search",
      canonical: "wiki@1/search@1",
      server: "wiki",
      raw: "search",
      why: "the name its style gives it",
    });
    expect(report.tools.map(({ name }: { name: string }) => name)).toContain("sf_create_lead_2");
    expect(report.problems.map((problem: object) => Object.keys(problem))).toEqual([
      ["code", "severity", "message", "tools"],
    ]);
  });

  it("prints them aligned for people, with problems on stderr", () => {
    const { code, out, err } = runOnym(crm, ["names", "--profile", "openai"]);
    expect(code).toBe(0);
    expect(out).toContain("sf_get_leads      salesforce@1/get_leads@1\n");
    expect(err).toContain('warning: "read page" holds a space');
  });

  it("takes profile, alias and style from the config, and others from flags", () => {
    const folder = folderWith({ "onym.json": { ...CRM, naming: { profile: "openai", style: "slashed" } } });
    expect(json(runOnym(folder, ["names", "--json"])).profile).toBe("openai");
    const canonical = json(
      runOnym(folder, ["names", "--profile", "canonical", "--style", "canonical", "--json"]),
    );
    expect(canonical.tools[0].name).toBe("docs@1/search@1");
    expect(json(runOnym(crm, ["names", "--json"])).profile).toBe("universal");
    const crowded = runOnym(crm, ["names", "--profile", "cursor", "--as", "x".repeat(58), "--json"]);
    expect(crowded.code).toBe(1);
    expect(json(crowded).problems.map(({ code }: { code: string }) => code)).toContain("no-room");
  });

  it("names tools in toolboxes (BOX-4)", () => {
    const folder = folderWith({
      "onym.json": { toolboxes: { dev: { mcpServers: { fs: { tools: ["read_file"] } } } } },
    });
    expect(json(runOnym(folder, ["names", "--json", "-p", "openai"])).tools[0]).toMatchObject({
      name: "dev__fs__read_file",
      toolbox: "dev",
    });
  });

  it("colours only when asked to or on a terminal", () => {
    expect(runOnym(crm, ["names"]).out).not.toContain("\u001B");
    expect(runOnym(crm, ["names"], { env: { FORCE_COLOR: "1" } }).out).toContain("\u001B[1m");
  });
});

describe("toolboxes on the screen", () => {
  const github = { tools: ["search", "twice", "twice"] };
  const boxes = folderWith({
    "onym.json": {
      toolboxes: { dev: { mcpServers: { github } }, ops: { mcpServers: { github } } },
    },
  });

  it("stand in front of canonical names in every command (CANON-7)", () => {
    expect(runOnym(boxes, ["names"]).out).toMatch(/ops__github__search +ops:github@1\/search@1/);
    const { err } = runOnym(boxes, ["resolve", "github@1/search@1"]);
    expect(err).toContain('"dev:github@1/search@1", "ops:github@1/search@1"');
    expect(err).toContain("Add --toolbox dev, or --toolbox ops.");
    const lint = runOnym(boxes, ["lint"]).out;
    expect(lint).toContain("dev:github/twice\n");
    expect(lint).toContain("ops:github/twice\n");
    for (const command of ["resolve", "explain"]) {
      const found = runOnym(boxes, [command, "ops:github@1/search@1"]);
      expect([found.code, found.out]).toEqual([0, expect.stringContaining("ops:github@1/search@1")]);
    }
    const tested = json(runOnym(boxes, ["policy", "test", "ops:github@1/search@1", "--json"]));
    expect(tested).toMatchObject({ canonical: "ops:github@1/search@1", toolbox: "ops" });
    const [row] = json(runOnym(boxes, ["matrix", "-p", "openai", "--json"])).tools;
    expect(row).toMatchObject({ canonical: "dev:github@1/search@1" });
    const heads = runOnym(boxes, ["matrix", "-p", "openai"]).out.match(/^(?:dev|ops) \/ github/gm);
    expect(heads).toEqual(["dev / github", "ops / github"]);
    expect(lint).toContain('from "dev / github", "ops / github"');
    expect(runOnym(boxes, ["lock", "-p", "openai"]).out).toContain("4 names of 4 tools in 1 profile.");
    writeFileSync(
      join(boxes, "onym.json"),
      JSON.stringify({ toolboxes: { dev: { mcpServers: { github } } } }),
    );
    const drift = runOnym(boxes, ["lock", "--check", "-p", "openai"]);
    expect(drift.out).toContain("retired: 2 tools (2 names)\n");
    expect(drift.out).toMatch(/ops:github@1\/search@1 +in 1 profile\n/);
    expect(drift.err).toContain("Run onym lock --profile openai to record");
  });
});

describe("onym resolve", () => {
  it("resolves, and prints the shape of Appendix A", () => {
    const ran = runOnym(crm, ["resolve", "salesforce%402~create_lead", "--json"]);
    expect(ran.code).toBe(0);
    const report = json(ran);
    expect(Object.keys(report)).toEqual([
      "input",
      "outcome",
      "canonical",
      "server",
      "raw",
      "step",
      "warnings",
      "steps",
    ]);
    expect(report).toMatchObject({
      outcome: "resolved",
      canonical: "salesforce@2/create_lead@1",
      server: "salesforce-v2",
    });
    expect(report.steps[0]).toEqual({
      step: "public",
      tried: "salesforce%402~create_lead",
      outcome: "no match",
    });
  });

  it("says what a text could be, with exit 1", () => {
    const ran = runOnym(crm, ["resolve", "search", "--json"]);
    expect(ran.code).toBe(1);
    expect(json(ran).candidates).toEqual([
      { canonical: "docs@1/search@1", server: "docs", raw: "search" },
      { canonical: "wiki@1/search@1", server: "wiki", raw: "search" },
    ]);
    expect(json(runOnym(crm, ["resolve", "search", "--server", "wiki", "--json"])).canonical).toBe(
      "wiki@1/search@1",
    );
    expect(runOnym(crm, ["resolve", "search"])).toMatchObject({ code: 1, out: "" });
  });

  it("suggests for what is unknown, with exit 1", () => {
    const ran = runOnym(crm, ["resolve", "sf_creat_lead", "--json"]);
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({
      outcome: "unknown",
      suggestions: expect.arrayContaining(["sf_create_lead"]),
    });
    expect(json(runOnym(crm, ["resolve", "salesforce@01/x", "--json"])).warnings[0]).toContain("version");
  });

  it("takes any text after --", () => {
    expect(json(runOnym(crm, ["resolve", "--json", "--", "--help"])).input).toBe("--help");
    expect(json(runOnym(crm, ["resolve", "--json", ""])).input).toBe("");
  });

  it("answers line by line: plain text, JSON strings, CRLF, empty lines, no end", () => {
    const input = 'sf_get_leads\r\n\n"sf_get_\\u006ceads"\n"half\n"\\ud800"\nnope';
    const ran = runOnym(crm, ["resolve", "--stdin"], { input });
    const reports = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(ran.code).toBe(1);
    expect(reports.map((report) => [report.input, report.outcome])).toEqual([
      ["sf_get_leads", "resolved"],
      ["", "unknown"],
      ["sf_get_leads", "resolved"],
      ['"half', "unknown"],
      ["\ud800", "unknown"],
      ["nope", "unknown"],
    ]);
    expect(runOnym(crm, ["resolve", "--stdin"], { input: "sf_get_leads\nwiki/search\n" }).code).toBe(0);
    expect(runOnym(crm, ["resolve", "--stdin"])).toEqual({ code: 0, out: "", err: "" });
  });

  it("takes lines of 100 KB, and 20,000 lines", () => {
    const long = `${"%25".repeat(33_000)}\n${"_".repeat(100_000)}\n"${"\\u0000".repeat(15_000)}"\n`;
    expect(runOnym(crm, ["resolve", "--stdin"], { input: long }).out.trimEnd().split("\n")).toHaveLength(3);
    const many = runOnym(crm, ["resolve", "--stdin"], { input: "sf_get_leads\n".repeat(20_000) });
    expect(many).toMatchObject({ code: 0, err: "" });
    expect(many.out.trimEnd().split("\n")).toHaveLength(20_000);
  });

  it("follows renames by the day of the clock (LOCK-2)", () => {
    const renames = [
      { from: "sf_list_leads", to: "salesforce@1/get_leads@1" },
      { from: "sf_all_leads", to: "salesforce@1/get_leads@1", until: "2001-01-01" },
    ];
    const folder = folderWith({ "onym.json": { ...CRM, renames } });
    expect(json(runOnym(folder, ["resolve", "sf_list_leads", "--json"]))).toMatchObject({
      outcome: "resolved",
      step: "alias",
    });
    expect(json(runOnym(folder, ["resolve", "sf_all_leads", "--json"]))).toMatchObject({
      outcome: "retired",
      successor: "salesforce@1/get_leads@1",
    });
  });
});

describe("names that lead nowhere", () => {
  const folder = folderWith({
    "onym.json": {
      mcpServers: { crm: { tools: ["get_leads", "get_one"], toolFilters: ["*", "!get_one"] } },
      renames: [
        { from: "crm_list_leads", to: "crm@1/get_laeds@1" },
        { from: "old_one", to: "crm@1/get_one@1" },
      ],
      naming: { pins: { one: "crm@1/get_one@1", leads: "crm@1/get_laeds@1" } },
    },
  });

  it.each(["resolve", "explain"])(
    "because a filter hides the tool: onym %s says so (NAME-8) (GW-13)",
    (command) => {
      for (const text of ["crm_get_one", "old_one", "crm@1/get_one@1"]) {
        const { code, out, err } = runOnym(folder, [command, text]);
        expect(code).toBe(1);
        expect(out + err).toContain(
          `"${text}" is "crm@1/get_one@1", which the filters of the server "crm" hide.\n`,
        );
        const hidden = { canonical: "crm@1/get_one@1", server: "crm", raw: "get_one" };
        expect(json(runOnym(folder, [command, text, "--json"])).hidden).toEqual(hidden);
      }
      expect(json(runOnym(folder, [command, "nobody", "--json"]))).not.toHaveProperty("hidden");
    },
  );

  it.each(["resolve", "explain"])(
    "because a rename is misspelt: onym %s says what was meant (LOCK-5)",
    (command) => {
      const { code, out, err } = runOnym(folder, [command, "crm_list_leads"]);
      expect(code).toBe(1);
      expect((out + err).split("\n").slice(0, 3)).toEqual([
        '"crm_list_leads" leads nowhere.',
        '  The old name "crm_list_leads" is declared to lead to "crm@1/get_laeds@1", which is no tool here.',
        '  Did you mean "crm@1/get_leads@1"? Correct "to" in renames, or take the entry out.',
      ]);
    },
  );

  it("onym renames says which it is, and where it did not look (LOCK-5)", () => {
    const { out } = runOnym(folder, ["renames"]);
    expect(out).toContain("leads nowhere: no such tool; did you mean crm@1/get_leads@1?");
    expect(out).toMatch(/old_one .* leads nowhere: hidden by filters/);
    const unasked = folderWith({
      "onym.json": {
        mcpServers: { crm: { command: "x" } },
        renames: [{ from: "old", to: "crm@1/new@1" }],
      },
    });
    const told = runOnym(unasked, ["renames"]);
    expect(told.err).toContain("there is no lock yet, so no likely renames are known; onym lock writes one.");
    expect(told.out).toContain("not known: its server was not asked");
    expect(told.err).toContain(
      '1 server was not asked, and its tools are not known: "crm". Ask with --live, or list their tools',
    );
    expect(json(runOnym(unasked, ["renames", "--json"])).declared).toMatchObject([
      { leads: false, lost: "its server was not asked" },
    ]);
  });

  it("onym names tells both kinds of problems (NAME-8)", () => {
    const problems: { message: string }[] = json(runOnym(folder, ["names", "--json"])).problems;
    expect(problems.map(({ message }) => message)).toEqual([
      'The name "leads" is pinned to "crm@1/get_laeds@1", which is no tool here.',
      '"crm@1/get_one@1" is meant by a pin, but the filters of the server "crm" hide it.',
      'The old name "crm_list_leads" is declared to lead to "crm@1/get_laeds@1", which is no tool here.',
      '"crm@1/get_one@1" is meant by a rename, but the filters of the server "crm" hide it.',
    ]);
  });

  it("a toolbox that is misspelt is told before any server is started", () => {
    const boxed = folderWith({
      "onym.json": { toolboxes: { dev: { mcpServers: { fs: { command: "no-such-program" } } } } },
    });
    for (const command of [["resolve"], ["explain"], ["policy", "test"]]) {
      const { code, err } = runOnym(boxed, [...command, "x", "--toolbox", "dve"]);
      expect(code).toBe(2);
      expect(err).toMatch(
        /^error: No server in "onym.json" is in a toolbox "dve"\.\n {2}Did you mean "dev"\?/,
      );
    }
  });
});

describe("onym explain (RES-5)", () => {
  it("tells the resolution, the seven layers, and the names everywhere", () => {
    const { code, out } = runOnym(crm, ["explain", "sf_get_leads"]);
    expect(code).toBe(0);
    for (const layer of [
      "public name",
      "namespace",
      "qualified name",
      "lookup key",
      "approval key",
      "trace name",
      "call id",
    ])
      expect(out).toContain(`  ${layer}`);
    expect(out).toContain('["namespaced","salesforce","get_leads"]');
    expect(out).toContain("looked in public names: matched");
    const report = json(runOnym(crm, ["explain", "sf_get_leads", "--json"]));
    expect(report.layers).toHaveLength(7);
    // What spans of this profile's callers are named after (ID-10).
    expect(report.layers).toContainEqual({ layer: "trace name", value: "sf_get_leads" });
    expect(report.names.flatMap(({ profiles }: { profiles: string[] }) => profiles)).toContain("claude-code");
  });

  it("exits 1 for what is not resolved", () => {
    expect(runOnym(crm, ["explain", "nope"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("is unknown"),
    });
  });
});
