// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

// The command line as its users meet it: the built program, in folders of its own.

import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, type OnymRun, runOnym } from "./cli/run-onym.js";
import { ONYM_BIN } from "./gateway/harness.js";
import { projectRoot } from "./project-files.js";

function widerThan(columns: number, text: string): readonly string[] {
  return text.split("\n").filter((line) => Array.from(line).length > columns);
}

function json(ran: OnymRun) {
  expect(ran.err).toBe("");
  return JSON.parse(ran.out);
}

const CRM = {
  mcpServers: {
    salesforce: { tools: ["get_leads", "create_lead"] },
    "salesforce-v2": { integration: "salesforce", version: 2, tools: ["create_lead"] },
    docs: { tools: ["search"] },
    wiki: { tools: ["search", { name: "read page", description: "Reads" }] },
  },
};
const crm = folderWith({ "onym.json": CRM });

describe("onym", () => {
  it("says in a checkout that it is not built yet, without a stack", () => {
    const checkout = folderWith({
      "package.json": { type: "module" },
      "bin/onym.js": readFileSync(join(projectRoot, "packages/onym/bin/onym.js"), "utf8"),
    });
    const ran = spawnSync(process.execPath, [join(checkout, "bin/onym.js"), "--version"], {
      encoding: "utf8",
    });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([
      2,
      "",
      "Onym is not built yet.\n  Run `npm run build` in the folder of the checkout first.\n",
    ]);
    const built = spawnSync(process.execPath, [join(projectRoot, "packages/onym/bin/onym.js"), "--version"]);
    expect(built.status).toBe(0);
  });

  it("shows help without a command, for a command, and its version", () => {
    expect(runOnym(crm, [])).toMatchObject({ code: 0, out: expect.stringContaining("Examples:") });
    expect(runOnym(crm, ["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+( \([0-9a-f]{7,}(-dirty)?, \d{4}-\d\d-\d\d\))?\n$/),
    });
    expect(runOnym(crm, ["-v"])).toEqual(runOnym(crm, ["--version"]));
  });

  const listedBy = (...args: readonly string[]): readonly string[] =>
    [...runOnym(crm, [...args, "--help"]).out.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*)(?: [[<]\S+)* {2,}\S/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "help");
  const groups = ["policy", "audit", "store"].flatMap((group) =>
    listedBy(group).map((name) => `${group} ${name}`),
  );

  it("lists its commands", () => {
    expect(listedBy()).toHaveLength(34);
    expect(groups).toHaveLength(8);
  });

  it.each([...listedBy(), ...groups])(
    "%s has help with examples, on a narrow screen too, and is listed",
    (name) => {
      const { code, out, err } = runOnym(crm, [...name.split(" "), "--help"], { env: { COLUMNS: "40" } });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(`Usage: onym ${name}`);
      const [described = "", examples = ""] = out.split("Examples:\n");
      expect(examples).toMatch(/^ {2}\S/);
      expect(described.split("Options:\n")).toHaveLength(2);
      expect(widerThan(40, out).filter((line) => !/^ {2}(onym|printf)( \S+)+$/.test(line))).toEqual([]);
      const listed = runOnym(crm, name.includes(" ") ? [name.split(" ")[0] ?? "", "--help"] : []).out;
      expect(listed).toMatch(new RegExp(`^ {2}${name.split(" ").at(-1)} `, "m"));
    },
  );

  it.each([40, 20, 10])(
    "has help for a screen of %i columns: only what is to be copied is wider",
    (columns) => {
      const { out } = runOnym(crm, ["--help"], { env: { COLUMNS: `${columns}` } });
      const unbroken = /^ {2}(onym( \S+)+|-V, --version|-h, --help|help \[command\])$|^ *\S+$/;
      expect(widerThan(columns, out).filter((line) => !unbroken.test(line))).toEqual([]);
      expect(out).toContain("  onym lock && onym lock --check\n      record");
      const flat = (text: string): string => text.replace(/\s+/g, " ");
      expect(flat(out)).toBe(flat(runOnym(crm, ["--help"]).out));
    },
  );

  it("says that what it prints cannot be written, where the disk is full", (context) => {
    if (!existsSync("/dev/full")) return context.skip();
    const full = openSync("/dev/full", "w");
    const ran = spawnSync(process.execPath, [ONYM_BIN, "profiles"], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect(ran.status).toBe(2);
    expect(String(ran.stderr)).toBe("error: What onym prints cannot be written (ENOSPC).\n");
  });

  it("tells errors in lines that fit", () => {
    const { code, err } = runOnym(crm, ["names", "-c", "missing.json"], { env: { COLUMNS: "40" } });
    expect(code).toBe(2);
    expect(widerThan(40, err)).toEqual([]);
    expect(err.replace(/\s+/g, " ")).toContain("onym connect CLIENT writes a first one.");
  });

  it.each([
    [["nams"], "Did you mean names?"],
    [["help", "nams"], "Did you mean names?"],
    [["import", "onym.json", "--out", "onym.json/x.json"], "cannot be written (ENOTDIR)"],
    [["names", "--jsn"], "Did you mean --json?"],
    [["names", "extra"], 'takes no "extra"'],
    [["names", "cursor"], "onym names --profile cursor"],
    [["add", "x", "npx", "-y", "s"], "after two dashes: onym add"],
    [["lint", "npx", "-y", "s"], "after two dashes: onym lint"],
    [["names", "--profile", "opnai"], 'Did you mean "openai"?'],
    [["names", "--style", "flatt"], 'Did you mean "flat"?'],
    [["names", "--as", ""], "not empty"],
    [["profiles", "curser"], 'Did you mean "cursor"?'],
    [["resolve"], "Give one text, or --stdin."],
    [["resolve", "a", "--stdin"], "Give one text, or --stdin."],
    [["explain"], "missing required argument"],
    [["lint", "--url", "ftp://127.0.0.1/"], "--url is not a valid HTTP address."],
    [["lint", "npx", "server"], "onym lint -- node server.js"],
    [["lint", "--live", "--name", "x"], "do not go together"],
    [["names", "--url", "http://127.0.0.1/", "--config", "onym.json"], "do not go together"],
    [["matrix", "--url", "http://127.0.0.1/", "--", "server"], "do not go together"],
    [["lint", "--format", "xml"], "Allowed choices"],
    [["lint", "--json", "--format", "sarif"], "do not go together"],
    [["matrix", "--demo", "--config", "x"], "Leave out"],
    [["names", "-p", "openai", "cursor"], "onym names takes one profile"],
    [["names", "-p", "openai,cursor"], "onym names takes one profile"],
    [["resolve", "search", "--server", "wikki"], 'Did you mean "wiki"?'],
    [["explain", "search", "--toolbox", "dev"], "There are no toolboxes"],
    [["diff", "a"], "missing required argument"],
    [["\u001B[31m\u202Ex"], "\\u{1B}[31m\\u{202E}x"],
  ])("refuses %j with exit 2 and the way out", (args, told) => {
    const { code, out, err } = runOnym(crm, args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(told);
  });

  it("ends quietly when nobody reads any more", async () => {
    const child = spawn(process.execPath, [ONYM_BIN, "profiles", "--json"], {
      cwd: crm,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});

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

describe("80 columns", () => {
  const env = { COLUMNS: "80" };
  it.each([
    [["names"]],
    [["lint"]],
    [["matrix", "--demo"]],
    [["matrix"]],
    [["profiles"]],
    [[]],
    ...["names", "resolve", "explain", "lint", "matrix", "profiles", "lock", "diff", "doctor"].map((name) => [
      [name, "--help"],
    ]),
  ])("are enough for %j", (args) => {
    const { out, err } = runOnym(crm, args, { env });
    expect(widerThan(80, `${out}${err}`)).toEqual([]);
  });

  it("put the reason of a name below it; a pipe gets one line a tool", () => {
    expect(runOnym(crm, ["names", "-p", "openai"], { env }).out).toContain(
      'salesforce@2/create_lead@1\n    "sf_create_lead" is taken by',
    );
    expect(runOnym(crm, ["names", "-p", "openai"]).out.trimEnd().split("\n")).toHaveLength(6);
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

describe("onym matrix", () => {
  it("shows the bundled example", () => {
    const { code, out, err } = runOnym(crm, ["matrix", "--demo"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("sf_create_lead_2");
    expect(out).toMatch(/search +github_search +✓ +✗ +✓ +✗ +✗ +✓ +collides/);
    expect(out).toMatch(/\d+ tools, \d+ servers, 6 clients and providers: \d+ of \d+ raw names fail/);
    // In a pipe, too: whoever reads it there has a screen.
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(out).toContain("Long names are cut to fit (…); --json has them in full.");
    expect(runOnym(crm, ["matrix", "-p", "openai"]).out).not.toContain("cut to fit");
    // Names that fit every client are sent by none in a form of its own.
    expect(out).toMatch(
      /^Sent by clients where Onym is onym: claude-code mcp__onym__NAME, vscode mcp_onym_NAME\.$/m,
    );
  });

  it("prints names by client for machines", () => {
    const report = json(
      runOnym(crm, ["matrix", "--profile", "claude-code", "--profile", "openai", "--json"]),
    );
    expect(report.profiles).toEqual(["claude-code", "openai"]);
    expect(report.tools.find(({ raw }: { raw: string }) => raw === "read page")).toEqual({
      canonical: "wiki@1/read page@1",
      server: "wiki",
      raw: "read page",
      names: [
        {
          profile: "claude-code",
          name: "wiki_read_page",
          sent: "mcp__onym__wiki_read_page",
          rawProblem: { code: "spaces", message: expect.any(String) },
        },
        { profile: "openai", name: "wiki_read_page", sent: "wiki_read_page", rawProblem: expect.any(Object) },
      ],
    });
  });
});

describe("onym profiles (RULE-1)", () => {
  it("lists them, and one with its sources", () => {
    const list = runOnym(crm, ["profiles"]);
    expect(list.code).toBe(0);
    expect(list.out).toMatch(/^cursor +client +55 +/m);
    expect(runOnym(crm, ["profiles", "cursor"]).out).toContain("Sources");
    expect(json(runOnym(crm, ["profiles", "cursor", "--json"]))).toMatchObject({
      id: "cursor",
      room: 55,
      sources: expect.any(Array),
    });
    expect(json(runOnym(crm, ["profiles", "--json"])).profiles.length).toBeGreaterThan(93);
  });
});

describe("profiles of the user's own (RULE-7)", () => {
  const acme = { title: "Acme Chat", pattern: "^[a-z_]{1,20}$" };
  const tools = ["get_leads"];
  const own = folderWith({
    "onym.json": { mcpServers: { crm: { tools } }, profiles: { acme, cursor: { maxTools: 7 } } },
  });

  it("are listed with their origin, and told of in full", () => {
    const { out } = runOnym(own, ["profiles"]);
    expect(out).toMatch(/^acme +client +20 .*Acme Chat \(config\)$/m);
    expect(out).toMatch(/^cursor .*\(config, corrects the built-in one\)$/m);
    expect(out).toMatch(/^zed .*Zed$/m);
    expect(runOnym(own, ["profiles", "acme"]).out).toMatch(/origin +config$/m);
    const origins = json(runOnym(own, ["profiles", "--json"])).profiles.map(
      ({ id, origin }: { id: string; origin: string }) => `${id}: ${origin}`,
    );
    expect(origins).toEqual(expect.arrayContaining(["acme: config", "zed: built in"]));
    // Elsewhere they are not known.
    expect(runOnym(crm, ["profiles", "acme"])).toMatchObject({ code: 2 });
    expect(runOnym(crm, ["profiles", "acme", "--config", join(own, "onym.json")]).code).toBe(0);
  });

  it("are taken by every command that takes an id", () => {
    expect(runOnym(own, ["names", "--profile", "acme"]).out).toContain("crm_get_leads");
    expect(runOnym(own, ["matrix", "--profile", "acme", "openai"]).out).toContain("acme");
    expect(runOnym(own, ["lint", "--name", "UPPER", "--profile", "acme"])).toMatchObject({ code: 1 });
    expect(runOnym(own, ["resolve", "crm_get_leads", "--profile", "acme"]).code).toBe(0);
    expect(json(runOnym(own, ["explain", "crm_get_leads", "--json"])).names[0].profiles).toContain("acme");
    expect(runOnym(own, ["names", "--profile", "acne"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Did you mean"),
    });
  });

  it("are printed by --export as a config writes them, so that they can be corrected there", () => {
    const written = json(runOnym(own, ["profiles", "claude-code", "--export"]));
    expect(written["claude-code"]).toMatchObject({ prefix: "mcp__{server}__", combinedMaxLength: 128 });
    const folder = folderWith({
      "onym.json": { mcpServers: { crm: { tools } }, profiles: "rules.json" },
      "rules.json": written,
    });
    const withoutOrigin = ({ origin: _, ...profile }: Record<string, unknown>) => profile;
    const [ours, theirs] = [folder, crm].map((place) =>
      withoutOrigin(json(runOnym(place, ["profiles", "claude-code", "--json"]))),
    );
    expect(ours).toEqual(theirs);
    expect(json(runOnym(own, ["profiles", "acme", "--export"]))).toEqual({ acme });
    expect(runOnym(own, ["profiles", "--export"]).code).toBe(2);
  });

  it("leave the built-in ones in force where a config that was only found is broken", () => {
    const broken = folderWith({ "onym.json": "{ no JSON" });
    expect(runOnym(broken, ["profiles", "cursor"])).toMatchObject({
      code: 0,
      err: expect.stringContaining("the config here cannot be read"),
    });
    expect(runOnym(broken, ["profiles", "--config", "onym.json"]).code).toBe(2);
  });
});

describe("onym lock (LOCK-1)", () => {
  it("tells with --check which locked names a corrected rule endangers, and the way out (RULE-7)", () => {
    const folder = mkdtempSync(join(tmpdir(), "onym-endangered-"));
    const tools = ["a__b", "a_b"];
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { crm: { tools } } }));
    expect(runOnym(folder, ["lock", "--profile", "openai", "kimi-cli"]).code).toBe(0);
    const file = join(folder, "onym.lock");
    // As it was written when nobody knew that Kimi squeezes underscores.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("crm_a_b_2", "crm_a_b"));
    const before = readFileSync(file, "utf8");
    const checked = runOnym(folder, ["lock", "--check"]);
    expect([checked.code, checked.err]).toEqual([
      0,
      expect.stringMatching(/takes the locked names .*for one/s),
    ]);
    expect(checked.err).toContain('"pins"');
    const { endangered } = JSON.parse(runOnym(folder, ["lock", "--check", "--json"]).out);
    expect(endangered).toMatchObject([{ profile: "kimi-cli", code: "locked-name-endangered" }]);
    expect(readFileSync(file, "utf8")).toBe(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it("does not serve what it cannot have written, and tells names that changed places", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { crm: { tools: ["get", "delete"] } } } });
    const file = join(folder, "onym.lock");
    expect(runOnym(folder, ["lock"]).code).toBe(0);
    const written = readFileSync(file, "utf8");
    for (const name of ["x".repeat(5_000), "\u001B[31mget"]) {
      const edited = written.replace('"name":"crm_get"', `"name":${JSON.stringify(name)}`);
      expect(edited).not.toBe(written);
      writeFileSync(file, edited);
      const names = runOnym(folder, ["names", "--profile", "cursor", "--json"]);
      expect(json(names).tools.map((tool: { name: string }) => tool.name)).toContain("crm_get");
      expect(json(names).problems).toMatchObject([{ code: "locked-name-illegal" }]);
      const matrix = runOnym(folder, ["matrix", "-p", "cursor"]);
      expect([matrix.out, matrix.err]).toEqual([
        expect.stringMatching(/with Onym (\d+) of \1 are valid/),
        expect.stringContaining("no longer fits Cursor"),
      ]);
      expect(runOnym(folder, ["lock", "--check"]).code).toBe(1);
    }

    // Former rules may have allowed it, so it stays, but nobody calls it valid.
    writeFileSync(file, written.replaceAll("crm_get", "x".repeat(100)));
    const matrix = runOnym(folder, ["matrix", "-p", "cursor"]);
    expect(matrix.out).toMatch(/with Onym 1 of 2 are valid/);
    expect(matrix.err).toContain("does not fit what is known of Cursor");

    const swapped = written
      .replaceAll("crm_get", "@")
      .replaceAll("crm_delete", "crm_get")
      .replaceAll("@", "crm_delete");
    writeFileSync(file, swapped);
    expect(runOnym(folder, ["matrix", "-p", "cursor"]).err).toContain("each other's names");
    expect(runOnym(folder, ["lock", "--check"]).err).toContain("each other's names");
  });

  it("writes once, the same bytes, and says when names drift", () => {
    const folder = folderWith({ "onym.json": CRM });
    const file = join(folder, "onym.lock");
    expect(runOnym(folder, ["lock", "--check"])).toMatchObject({
      code: 1,
      out: expect.stringContaining("does not exist yet"),
    });
    expect(runOnym(folder, ["lock"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("onym.lock written"),
    });
    const [bytes, { ino }] = [readFileSync(file, "utf8"), statSync(file)];
    expect(runOnym(folder, ["lock"]).out).toContain("in step");
    expect(statSync(file).ino).toBe(ino);
    expect(runOnym(folder, ["lock", "--check", "--quiet"])).toEqual({ code: 0, out: "", err: "" });
    expect(readdirSync(folder).sort()).toEqual(["onym.json", "onym.lock"]);

    const { docs, ...others } = CRM.mcpServers;
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { ...others, new: { tools: ["x_y"] } } }),
    );
    const drift = runOnym(folder, ["lock", "--check"]);
    expect(drift.code).toBe(1);
    expect(drift.out).toMatch(/added: 1 tool \(110 names\)\n {2}\+ new_x_y +new@1\/x_y@1/);
    expect(drift.out).toMatch(/retired: 1 tool \(110 names\)\n {2}- docs_search +docs@1\/search@1/);
    expect(readFileSync(file, "utf8")).toBe(bytes);
    const report = json(runOnym(folder, ["lock", "--check", "--json"]));
    expect(Object.keys(report)).toEqual([
      "file",
      "status",
      "added",
      "kept",
      "retired",
      "moved",
      "handedOn",
      "redefined",
    ]);
    expect(report).toMatchObject({ file: "onym.lock", status: "drift", moved: [] });

    expect(runOnym(folder, ["lock"]).code).toBe(0);
    expect(json(runOnym(folder, ["resolve", "docs_search", "--json"]))).toMatchObject({
      outcome: "retired",
      canonical: "docs@1/search@1",
    });
    expect(json(runOnym(folder, ["resolve", "docs_search", "--no-lock", "--json"])).outcome).toBe("unknown");
  });

  it("keeps names through every command", () => {
    const v2 = CRM.mcpServers["salesforce-v2"];
    const folder = folderWith({ "onym.json": { mcpServers: { "salesforce-v2": v2 } } });
    const nameOfV2 = (...args: string[]) => {
      const { tools } = json(runOnym(folder, ["names", "--profile", "openai", "--json", ...args]));
      return tools.find(({ server }: { server: string }) => server === "salesforce-v2").name;
    };
    expect(nameOfV2()).toBe("sf_create_lead");
    expect(runOnym(folder, ["lock", "--profile", "openai"]).code).toBe(0);
    const { salesforce } = CRM.mcpServers;
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { salesforce, "salesforce-v2": v2 } }),
    );
    expect(nameOfV2()).toBe("sf_create_lead");
    expect(nameOfV2("--no-lock")).toBe("sf_create_lead_2");
  });

  it("tells of changed definitions, takes other line ends, and another file", () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { a: { tools: [{ name: "x", description: "1" }] } } },
    });
    expect(runOnym(folder, ["lock", "--file", "names.lock", "-p", "openai"]).code).toBe(0);
    const file = join(folder, "names.lock");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    expect(runOnym(folder, ["lock", "--check", "--file", "names.lock", "-p", "openai"]).code).toBe(0);
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { a: { tools: [{ name: "x", description: "2" }] } } }),
    );
    const drift = runOnym(folder, ["lock", "--check", "--file", "names.lock", "-p", "openai"]);
    expect(drift).toMatchObject({
      code: 1,
      out: expect.stringContaining("definitions changed: 1\n  ~ a@1/x@1"),
    });
  });

  it("leaves names of servers that it did not look at as they are", () => {
    const folder = folderWith({ "onym.json": CRM });
    expect(runOnym(folder, ["lock", "-p", "openai"]).code).toBe(0);
    const docs = { command: "docs-server" };
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { ...CRM.mcpServers, docs } }));
    expect(runOnym(folder, ["lock", "--check", "-p", "openai"]).code).toBe(0);
  });

  it("compares with --check the profiles on record, and lists every difference it fails for (LOCK-6)", () => {
    const folder = folderWith({
      "onym.json": { mcpServers: { a: { tools: ["x"] }, run: { command: "x" } } },
    });
    const check = (...args: string[]) => runOnym(folder, ["lock", "--check", ...args]);
    expect(runOnym(folder, ["lock", "--static", "--profile", "openai", "cursor"]).code).toBe(0);
    expect(check()).toMatchObject({ code: 0, out: expect.stringContaining("in step: 2 names kept") });
    expect(check("--profile", "gemini").code).toBe(1);

    const other = { tools: ["x", "y"], integration: "other" };
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { a: other } }));
    const drift = check();
    expect(drift.code).toBe(1);
    expect(drift.out).toMatch(/added: 1 tool \(2 names\)\n {2}\+ other_y +other@1\/y@1 +in 2 profiles/);
    expect(drift.out).toContain("  ~ a@1/x@1 is now other@1/x@1");
    expect(json(check("--json"))).toMatchObject({
      status: "drift",
      added: [{ profile: "cursor" }, { profile: "openai" }],
      other: [{ kind: "canonical", from: "a@1/x@1", to: "other@1/x@1" }],
    });
  });

  it("says that there is nothing to lock, and writes nothing", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { command: "x" } } } });
    for (const args of [
      ["lock", "--static"],
      ["lock", "--check"],
    ]) {
      const { code, out, err } = runOnym(folder, args);
      expect({ code, out }).toEqual({ code: 0, out: "" });
      expect(err).toContain('Nothing to lock: no tools. List tools under "tools"');
    }
    const report = json(runOnym(folder, ["lock", "--static", "--json"]));
    expect(report).toMatchObject({ status: "unasked", added: [], kept: 0, unasked: [{ server: "a" }] });
    expect(readdirSync(folder)).toEqual(["onym.json"]);
    expect(runOnym(folder, ["names", "--static"]).err).toContain('No tools. List tools under "tools"');
    expect(runOnym(folder, ["matrix", "--static"]).out).toContain('No tools. List tools under "tools"');
  });

  it("records names under another alias, and diff compares them", () => {
    const folder = folderWith({ "onym.json": CRM });
    const args = ["lock", "--as", "acme", "-p", "claude-code,openai", "-f", "acme names.lock"];
    expect(runOnym(folder, args).code).toBe(0);
    expect(readFileSync(join(folder, "acme names.lock"), "utf8")).toContain('"claude-code?as=acme"');
    expect(runOnym(folder, [...args, "--check"]).code).toBe(0);
    const same = { added: [], kept: 12, retired: [], moved: [], handedOn: [], redefined: [] };
    expect(json(runOnym(folder, ["diff", "acme names.lock", "onym.json", "--json"]))).toEqual(same);
    expect(json(runOnym(folder, ["diff", "onym.json", "acme names.lock", "--json"]))).toEqual(same);
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { docs: CRM.mcpServers.docs } }));
    expect(runOnym(folder, [...args, "--check"]).err).toContain(
      "Run onym lock --file 'acme names.lock' --profile claude-code,openai --as acme to record",
    );
  });

  it("says what to do about a merge conflict", () => {
    const text = '<<<<<<< ours\n{"onymLock": 1}\n=======\n{}\n>>>>>>> theirs\n';
    const { code, err } = runOnym(folderWith({ "onym.json": CRM, "onym.lock": text }), ["lock"]);
    expect(code).toBe(2);
    expect(err).toContain("Take one side of the merge conflict, whole, and run onym lock.");
  });

  it.each([
    ["corrupt", "{ no json"],
    ["cut", '{"onymLock": 1, "profiles": {}, "tools": ['],
    ["newer", '{"onymLock": 99, "future": true}'],
    ["another file", '{"name": "x"}'],
    ["empty", ""],
    ["a NUL", "\u0000"],
  ])("never overwrites a lock that is %s", (_, text) => {
    const folder = folderWith({ "onym.json": CRM, "onym.lock": text });
    for (const args of [["lock"], ["lock", "--check"], ["names"], ["resolve", "x"]]) {
      const { code, out, err } = runOnym(folder, args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: "" });
      expect(err).toContain("onym.lock");
    }
    expect(readFileSync(join(folder, "onym.lock"), "utf8")).toBe(text);
    expect(readdirSync(folder).sort()).toEqual(["onym.json", "onym.lock"]);
    expect(runOnym(folder, ["names", "--no-lock"]).code).toBe(0);
  });

  it("says when the lock is a folder, or cannot be written", () => {
    const folder = folderWith({ "onym.json": CRM, "onym.lock/x": "" });
    expect(runOnym(folder, ["lock"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("it is a folder"),
    });
    expect(runOnym(folder, ["lock", "--file", "no/such/onym.lock"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("cannot be written"),
    });
  });
});

describe("onym diff (LOCK-1)", () => {
  it("compares two configs, two locks, or one of each", () => {
    const { docs, ...others } = CRM.mcpServers;
    const folder = folderWith({ "a.json": CRM, "b.json": { mcpServers: others } });
    const report = json(runOnym(folder, ["diff", "a.json", "b.json", "--profile", "openai", "--json"]));
    expect(Object.keys(report)).toEqual(["added", "kept", "retired", "moved", "handedOn", "redefined"]);
    expect(report).toEqual({
      added: [],
      kept: 5,
      retired: [{ profile: "openai", name: "docs_search", canonical: "docs@1/search@1" }],
      moved: [],
      handedOn: [],
      redefined: [],
    });
    for (const name of ["a", "b"])
      runOnym(folder, ["lock", "-c", `${name}.json`, "-f", `${name}.lock`, "-p", "openai"]);
    expect(json(runOnym(folder, ["diff", "a.lock", "b.lock", "--json"])).retired).toHaveLength(1);
    expect(json(runOnym(folder, ["diff", "a.lock", "b.json", "--json"]))).toEqual(report);
    expect(runOnym(folder, ["diff", "a.lock", "b.lock"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("- docs_search"),
    });
    expect(runOnym(folder, ["diff", "a.lock", "none"])).toMatchObject({ code: 2, out: "" });
  });

  it("tells of moved names", () => {
    const server = (integration: string) => ({ mcpServers: { s: { integration, tools: ["x"] } } });
    const folder = folderWith({ "a.json": server("one"), "b.json": server("two") });
    const report = json(runOnym(folder, ["diff", "a.json", "b.json", "-p", "openai", "--json"]));
    expect(report.moved).toEqual([
      { profile: "openai", name: "two_x", canonical: "two@1/x@1", from: "one_x" },
    ]);
  });
});

describe("configs (CFG-1, CFG-2, CFG-3)", () => {
  it.each([
    ".mcp.json",
    "claude_desktop_config.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    "mcp.json",
    "workbench-config.json",
  ])("finds %s when there is no onym.json", (file) => {
    const key = file.startsWith(".vscode") ? "servers" : "mcpServers";
    const folder = folderWith({ [file]: `{ // a comment\n "${key}": {"s": {"tools": ["x_y"]},},}` });
    const elsewhere = { env: { HOME: join(folder, "home") } };
    expect(json(runOnym(folder, ["names", "--json"], elsewhere)).tools).toHaveLength(1);
    writeFileSync(join(folder, "onym.json"), '{"mcpServers": {}}');
    expect(json(runOnym(folder, ["names", "--json"], elsewhere)).tools).toHaveLength(0);
  });

  it("says what was left out because it is not static", () => {
    const folder = folderWith({
      ".vscode/mcp.json": {
        servers: { x: { command: "${input:c}", env: { E: "${env:NO}" } }, y: { tools: ["a_b"] } },
        inputs: [],
      },
    });
    const report = json(runOnym(folder, ["names", "--static", "--json"]));
    expect(report).toMatchObject({ from: "config", tools: [{ name: "y_a_b" }] });
    expect(report.problems).toMatchObject([{ code: "not-static", severity: "info", tools: [] }]);
    const { code, err } = runOnym(folder, ["names", "--static"]);
    expect(code).toBe(0);
    expect(err).toContain('1 server was not asked, and its tools are not known: "x". Ask with --live');
  });

  it("reads VS Code's settings.json and Claude Code's own file, each with what is left out", () => {
    const folder = folderWith({
      "settings.json": { "editor.tabSize": 2, mcp: { servers: { a: { tools: ["x_y"] } } } },
      ".claude.json": {
        mcpServers: { b: { tools: ["x_y"] } },
        projects: { "/p": { mcpServers: { c: { command: "x" } } } },
      },
    });
    expect(json(runOnym(folder, ["names", "--json", "-c", "settings.json"])).tools).toHaveLength(1);
    const { code, out, err } = runOnym(folder, ["names", "-c", ".claude.json"]);
    expect({ code, out }).toEqual({ code: 0, out: "b_x_y  b@1/x_y@1\n" });
    expect(err).toContain('note: 1 server under "projects" was not read.');
  });

  it("escapes what a reason quotes once", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { tools: ["x\u202Ey"] } } } });
    const { out } = runOnym(folder, ["names", "-p", "openai"]);
    expect(out).toContain("\\u{202E}");
    expect(out).not.toContain("\\u{005C}");
  });

  it("tells every mistake with file, place, path, reason and fix", () => {
    const folder = folderWith({
      "onym.json":
        '{\n "mcpServers": {"salesforce": {"command": "x", "env": {"TOKEN": "${TOKEN}"}}},\n "stricd": true\n}',
    });
    const { code, out, err } = runOnym(folder, ["names", "--json"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(
      "onym.json:2:65 mcpServers.salesforce.env.TOKEN: The variable TOKEN is not set.\n  Set it",
    );
    expect(err).toContain('onym.json:3:2 stricd: There is no key "stricd" here.\n  Did you mean "strict"?');
    writeFileSync(
      join(folder, "onym.json"),
      '{"mcpServers": {"a": {"command": "x", "env": {"T": "${TOKEN}"}}}}',
    );
    expect(runOnym(folder, ["names", "--static"], { env: { TOKEN: "t" } }).code).toBe(0);
  });

  it.each([
    [
      "two of one integration (CANON-1)",
      { one: { tools: [], integration: "data-grout" }, two: { tools: [], integration: "data-grout" } },
      ['"one"', '"two"'],
    ],
    ["a bad integration (CANON-1)", { a: { integration: "Not Kebab", tools: [] } }, ['"Not Kebab"', '"a"']],
    [
      "an alias that is another's id (NAME-7)",
      { a: { alias: "b", tools: [] }, b: { tools: [] } },
      ["alias b"],
    ],
    ["a bad alias", { a: { alias: "__", tools: [] } }, ['"__"']],
    [
      "two that only run",
      { a: { command: "x", integration: "c" }, b: { url: "http://127.0.0.1", integration: "c" } },
      ['"a"', '"b"'],
    ],
  ])("refuses %s", (_, mcpServers, told) => {
    const { code, out, err } = runOnym(folderWith({ "onym.json": { mcpServers } }), ["names"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    for (const text of told) expect(err).toContain(text);
  });

  it("keeps two apart whose ids differ only in case or separators, and says so (NAME-8)", () => {
    const mcpServers = { "data grout": { tools: ["a"] }, "data-grout": { tools: ["a"] } };
    const { code, out, err } = runOnym(folderWith({ "onym.json": { mcpServers } }), ["names"]);
    expect(code).toBe(0);
    expect(out).toContain("data-grout@1/a@1");
    expect(out).toMatch(/data-grout-[a-z2-7]{8}@1\/a@1/);
    expect(err).toContain('"data grout" and "data-grout" differ only in case or separators');
  });

  it("refuses bad toolbox ids (BOX-4)", () => {
    const folder = folderWith({ "onym.json": { toolboxes: { a__b: { mcpServers: { x: { tools: [] } } } } } });
    expect(runOnym(folder, ["names"])).toMatchObject({ code: 2, err: expect.stringContaining('"a__b"') });
  });

  it.each([
    ["empty", ""],
    ["a list", "[]"],
    ["a number", "5"],
    ["deep", "[".repeat(200_000)],
    ["deep objects", '{"a":'.repeat(200_000)],
    ["cut", '{"mcpServers": {"a'],
    ["strange", '{"mcpServers": {"\\u202E\\u001b[31m": 5}}'],
  ])("refuses a config that is %s, with exit 2 and no control characters", (_, text) => {
    const { code, out, err } = runOnym(folderWith({ "onym.json": text }), ["names"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^error: onym\.json:1:\d+ /);
    expect(err).not.toMatch(/[^\P{C}\n]/u);
  });

  it("refuses what cannot be read as a file", () => {
    const folder = folderWith({ "onym.json/x": "" });
    symlinkSync("loop.json", join(folder, "loop.json"));
    writeFileSync(join(folder, "latin.json"), Buffer.from([0x7b, 0xe9, 0x7d]));
    const refused = (file: string) => runOnym(folder, ["names", "--config", file]);
    expect(runOnym(folder, ["names"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("it is a folder"),
    });
    expect(refused("loop.json")).toMatchObject({ code: 2, err: expect.stringContaining("circle") });
    expect(refused("latin.json")).toMatchObject({ code: 2, err: expect.stringContaining("not UTF-8") });
    expect(refused("none.json")).toMatchObject({ code: 2, err: expect.stringContaining("no such file") });
    expect(runOnym(folderWith({}), ["names"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no config here"),
    });
  });

  it("works with an empty object and a byte order mark", () => {
    expect(runOnym(folderWith({ "onym.json": "\uFEFF{}" }), ["names"])).toMatchObject({ code: 0, out: "" });
  });
});

describe("text from outside (SAFE-1)", () => {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "a\u202Eb\u0007c",
    "x\ny",
    "\ud800",
    "検索",
    " ",
    "\u200B",
  ];
  const hostile = folderWith({
    "onym.json": `{"mcpServers": {"__proto__": {"tools": ${JSON.stringify(names)}}, "constructor": {"tools": ["__proto__"]}}}`,
  });

  it("gives every tool a name and finds it again", () => {
    const { tools } = json(runOnym(hostile, ["names", "--profile", "universal", "--json"]));
    expect(tools).toHaveLength(names.length + 1);
    const input = tools
      .map(({ canonical }: { canonical: string }) => `${JSON.stringify(canonical)}\n`)
      .join("");
    const ran = runOnym(hostile, ["resolve", "--stdin"], { input });
    expect(ran.code).toBe(0);
    const raws = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).raw);
    expect(raws).toEqual(tools.map(({ raw }: { raw: string }) => raw));
  });

  it("shows nothing invisible to people, in any command", () => {
    const shown = [
      ["names"],
      ["matrix"],
      ["lint"],
      ["lint", "--format", "github"],
      ["lint", "--format", "sarif"],
      ["explain", "x\ny", "--server", "__proto__"],
      ...["names", "matrix", "lint", "doctor"].map((name) => [name, "--json"]),
      ...["explain", "resolve"].map((name) => [name, "x\ny", "--server", "__proto__", "--json"]),
      ["lock"],
      ["diff", "onym.json", "onym.lock"],
    ];
    for (const args of shown) {
      const { out, err } = runOnym(hostile, args);
      expect({ args, text: (out + err).match(/[^\P{C}\n]/u) }).toEqual({ args, text: null });
    }
  });
});

describe("onym profiles --stale (RULE-6)", () => {
  it("lists what nobody looked at for six months, and nothing that is retired or was run since", () => {
    const { code, out } = runOnym(projectRoot, ["profiles", "--stale", "--json"]);
    expect(code).toBe(0);
    const { profiles } = JSON.parse(out) as {
      profiles: readonly { id: string; asOf: string; retired: boolean }[];
    };
    const oldest = new Date();
    oldest.setUTCMonth(oldest.getUTCMonth() - 6);
    for (const { asOf, retired } of profiles) {
      expect(asOf < oldest.toISOString().slice(0, 10)).toBe(true);
      expect(retired).toBe(false);
    }
    expect(profiles.map(({ id }) => id)).toContain("anthropic-on-bedrock");
    expect(runOnym(projectRoot, ["profiles", "claude-code"]).out).toMatch(
      /as of +2026-11-\d\d, observed in 2\./,
    );
    expect(runOnym(projectRoot, ["profiles", "roo-code"]).out).toContain("no longer offered");
  });
});
