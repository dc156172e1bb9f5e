// onym completion: what may come next, and the scripts in the shells themselves.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";

const folder = mkdtempSync(join(tmpdir(), "onym-completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = join(projectRoot, "packages/onym/bin/onym.js");
const onym = join(folder, "bin/onym");
mkdirSync(join(folder, "bin"));
writeFileSync(onym, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
chmodSync(onym, 0o755);
writeFileSync(join(folder, "notes.md"), "");
writeFileSync(
  join(folder, "onym.json"),
  JSON.stringify({
    mcpServers: {
      salesforce: { tools: ["get_leads", "Summarize Pipeline", "evil\nname\u202e"] },
      runs: { command: join(folder, "must-not-start") },
    },
    toolboxes: { dev: { mcpServers: { files: { tools: ["read"] } } } },
  }),
);
const env = {
  ...process.env,
  PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
  XDG_STATE_HOME: folder,
};

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

function answer(...args: readonly string[]): string {
  const { code, out, err } = runOnym(folder, args, {
    env: { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder },
  });
  expect([code, err]).toEqual([0, ""]);
  return out;
}

/** The words that are offered behind these. */
function offered(...words: readonly string[]): readonly string[] {
  const [kind, typed, ...lines] = answer("completion", "words", "--", ...words)
    .trimEnd()
    .split("\n");
  expect([kind, typed ?? ""]).toEqual(["words", words.at(-1)]);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

describe("onym completion words", () => {
  const help = answer("--help");
  const commands = [...help.matchAll(/^ {2}([a-z]+)( \[command\])? {2,}/gm)].map(([, name]) => name ?? "");

  it("offers the commands that the help lists", () => {
    expect(commands.length).toBeGreaterThan(20);
    expect(new Set(offered(""))).toEqual(new Set(commands));
    expect(offered("prof")).toEqual(["profiles"]);
    expect(offered("help", "prof")).toEqual(["profiles"]);
    expect(offered("policy", "")).toEqual(["admit", "test", "help"]);
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish", "help"]);
  });

  it.each(commands.filter((name) => name !== "help"))(
    "offers the flags that the help of %s lists",
    (name) => {
      const flags = [...answer(name, "--help").matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)];
      expect(new Set(offered(name, "--"))).toEqual(new Set(flags.map(([, flag]) => flag)));
    },
  );

  it("offers profiles, styles, clients, servers, toolboxes and tools where they are meant", () => {
    expect(offered("names", "--profile", "claude-c")).toEqual(["claude-code"]);
    expect(offered("names", "--profile=claude-c")).toEqual(["--profile=claude-code"]);
    expect(offered("matrix", "-p", "openai", "claude-c")).toEqual(["claude-code"]);
    expect(offered("profiles", "claude-c")).toEqual(["claude-code"]);
    expect(offered("names", "--style", "t")).toEqual(["toolbox"]);
    expect(offered("lint", "--format", "s")).toEqual(["sarif"]);
    expect(offered("init", "--client", "curs")).toEqual(["cursor"]);
    expect(offered("login", "")).toEqual(["salesforce", "runs", "files"]);
    expect(offered("explain", "--toolbox", "")).toEqual(["dev"]);
    expect(offered("policy", "test", "salesforce@1/g")).toEqual(["salesforce@1/get_leads@1"]);
    expect(offered("approve", "dev:f")).toEqual(["dev:files@1/read@1"]);
  });

  it("reads the config that the line names, and says nothing of one that cannot be read", () => {
    const other = join(folder, "other.json");
    writeFileSync(other, JSON.stringify({ mcpServers: { elsewhere: { tools: ["x"] } } }));
    expect(offered("login", "-c", other, "")).toEqual(["elsewhere"]);
    writeFileSync(other, "{");
    const ran = spawnSync(onym, ["completion", "words", "--", "login", "-c", other, ""], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([1, "", ""]);
  });

  it("leaves out a name that a terminal must not get (SAFE-1)", () => {
    for (const word of offered("resolve", "")) expect(word).toMatch(/^[\x20-\x7e]+$/);
  });

  it("leaves files to the shell, and everything after two dashes", () => {
    for (const words of [
      ["import", ""],
      ["names", "-c", ""],
      ["lint", "--", "npx", ""],
    ])
      expect(answer("completion", "words", "--", ...words)).toBe("files\n\n");
  });
});

/** What is typed, and what stands there once Tab was pressed. */
const LINES = [
  ["onym prof", "onym profiles "],
  ["onym names --profile claude-c", "onym names --profile claude-code "],
  ["onym resolve salesforce@1/g", "onym resolve salesforce@1/get_leads@1 "],
  ["onym resolve salesforce@1/S", "onym resolve salesforce@1/Summarize\\ Pipeline@1 "],
  ["onym resolve 'salesforce@1/S", "onym resolve 'salesforce@1/Summarize Pipeline@1' "],
  ["onym import no", "onym import notes.md "],
] as const;

const hasShell = (shell: string): boolean => {
  const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
  if (!isThere) console.warn(`completion: ${shell} is not on this machine, and was not tried`);
  return isThere;
};

describe("completion in bash", () => {
  // As bash itself splits what was typed: at blanks, and at `@`, `:` and `=`, which are words of their own outside of quotes.
  const SCRIPT = `
    source <(onym completion bash)
    COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=("\${@:2}") COMP_CWORD=$(( $# - 2 ))
    _onym onym
    printf '%s\\n' "\${COMPREPLY[@]}"`;

  it.each([
    ["onym prof", ["onym", "prof"], "profiles"],
    ["onym names --profile claude-c", ["onym", "names", "--profile", "claude-c"], "claude-code"],
    ["onym names --profile=claude-c", ["onym", "names", "--profile", "=", "claude-c"], "claude-code"],
    ["onym resolve salesforce@1/g", ["onym", "resolve", "salesforce", "@", "1/g"], "1/get_leads@1"],
    [
      "onym resolve salesforce@1/S",
      ["onym", "resolve", "salesforce", "@", "1/S"],
      "1/Summarize\\ Pipeline@1",
    ],
    [
      "onym resolve 'salesforce@1/S",
      ["onym", "resolve", "'salesforce@1/S"],
      "salesforce@1/Summarize Pipeline@1",
    ],
    ["onym approve dev:f", ["onym", "approve", "dev", ":", "f"], "files@1/read@1"],
    ["onym import no", ["onym", "import", "no"], "notes.md"],
  ])("completes %j", (line, words, expected) => {
    expect(run("bash", ["--norc", "-c", SCRIPT, "bash", line, ...words])).toBe(`${expected}\n`);
  });
});

describe("completion in bash, of names that would run something", () => {
  const hostile = join(folder, "hostile");
  const mark = join(hostile, "ran");
  mkdirSync(hostile);
  const ids = [`x'$(touch ${mark})'`, `x"$(touch ${mark})"`, `x$(touch ${mark})`, `x;touch ${mark};`, "x y"];
  const mcpServers = Object.fromEntries(ids.map((id) => [id, { tools: ["t"] }]));
  writeFileSync(join(hostile, "onym.json"), JSON.stringify({ mcpServers }));
  // What is offered stands on the line then, which is closed and run as it is.
  const SCRIPT = `
    cd "$1"; source <(onym completion bash)
    COMP_LINE="onym login $2" COMP_POINT=\${#COMP_LINE} COMP_WORDS=(onym login "$2") COMP_CWORD=2
    _onym onym
    for word in "\${COMPREPLY[@]}"; do
      for end in "" "'" '"'; do (eval ": $3$word$end") 2>/dev/null; done
    done
    printf '%s\\n' "\${COMPREPLY[@]}"`;

  it.each([
    ["'x", "'", ["x y"]],
    ['"x', '"', ["x y"]],
    ["x", "", ids.length],
    ["''x", "''", ["x y"]],
    ["$'x", "$'", []],
  ])("runs none of them behind %j", (current, quotes, expected) => {
    const lines = run("bash", ["--norc", "-c", SCRIPT, "bash", hostile, current, quotes])
      .trimEnd()
      .split("\n");
    if (typeof expected === "number") expect(lines).toHaveLength(expected);
    else expect(lines.filter((line) => line !== "")).toEqual(expected);
    expect(existsSync(mark)).toBe(false);
  });
});

describe.skipIf(!hasShell("zsh"))("completion in zsh", () => {
  // A terminal inside zsh, with an interactive zsh in it that gets the keys.
  const SCRIPT = `
    zmodload zsh/zpty
    zpty inner zsh -f -i
    zpty -w inner 'PS1=; unsetopt prompt_sp zle_bracketed_paste 2>/dev/null; TERM=dumb; COLUMNS=200'
    zpty -w inner 'autoload -U compinit; compinit -u -D; source <(onym completion zsh); echo lo""aded'
    zpty -r inner said '*loaded*'
    zpty -w -n inner "$1"$'\\t'
    zpty -r inner said "*\${(b)2}*"
    zpty -d inner`;

  it.each(LINES)("completes %j", (line, expected) => {
    // It reads until that stands there, and ends with the time limit where it never does.
    expect(run("zsh", ["-f", "-c", SCRIPT, "zsh", line, expected])).toBe("");
  });
});

describe.skipIf(!hasShell("fish"))("completion in fish", () => {
  it.each([
    ["onym prof", "profiles"],
    ["onym names --profile claude-c", "claude-code"],
    ["onym names --profile=claude-c", "--profile=claude-code"],
    ["onym resolve salesforce@1/g", "salesforce@1/get_leads@1"],
    ["onym resolve 'salesforce@1/S", "salesforce@1/Summarize Pipeline@1"],
    ["onym import no", "notes.md"],
  ])("completes %j", (line, expected) => {
    const script = 'onym completion fish | source; complete -C "$argv[1]"';
    const lines = run("fish", ["--no-config", "-c", script, line]).trimEnd().split("\n");
    expect(lines.map((each) => each.split("\t")[0])).toEqual([expected]);
  });
});
