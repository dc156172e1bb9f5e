// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

// The command line as its users meet it: the built program, in folders of its own.

import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { crmFolder, json, widerThan } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";
import { ONYM_BIN } from "./gateway/harness.js";
import { projectRoot } from "./project-files.js";

const crm = crmFolder();

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
