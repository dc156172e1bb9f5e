// Every command of the documentation is run, page by page and in order, but those that not-run.ts names with a reason; and
// every command and flag of `onym` that a text names is one that there is.

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runOnym } from "../cli/run-onym.js";
import { isLong } from "../long-runs.js";
import { listFiles, listPackages, projectRoot, readProjectFile } from "../project-files.js";
import { newDocsMachine } from "./docs-machine.js";
import { NOT_RUN } from "./not-run.js";
import { readCommands, readMentions } from "./read-commands.js";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...listFiles("docs", ".md"),
  ...listPackages().map((folder) => `${folder}/README.md`),
].filter((file) => existsSync(projectRoot + file));

/** Pages for people who have clients, and no config of Onym's yet. */
const WITHOUT_CONFIG: ReadonlySet<string> = new Set([
  "README.md",
  "docs/start.md",
  "docs/getting-connected.md",
  "packages/onym/README.md",
]);
const OF_A_TEAM: ReadonlySet<string> = new Set(["docs/deploy.md", "docs/guides/platform-team.md"]);

/** Commands that end with 1 where they find something. */
const FINDS = /^onym (lint|doctor|lock --check)\b/;

const commands = PAGES.flatMap((file) => readCommands(file, readProjectFile(file)));
const withoutNpx = (text: string): string => text.replace(/^npx (?=onym )/, "");
const isRun = (text: string): boolean => !NOT_RUN.some(({ command }) => command.test(withoutNpx(text)));

describe("the commands of the documentation", () => {
  const run = commands.filter(({ text }) => isRun(text));
  console.info(`docs: ${commands.length} commands, ${run.length} of them run`);

  it.runIf(isLong).each([...new Set(run.map(({ file }) => file))])("run: %s", async (file) => {
    const kind = WITHOUT_CONFIG.has(file) ? "clients" : OF_A_TEAM.has(file) ? "team" : "config";
    const machine = await newDocsMachine(kind);
    try {
      for (const { line, text } of run.filter((command) => command.file === file)) {
        const { code, said } = await machine.run(text);
        const isFine = code === 0 || (code === 1 && FINDS.test(withoutNpx(text)));
        expect(isFine ? "" : `${file}:${line} ${text}\nexit ${code}\n${said}`).toBe("");
      }
    } finally {
      machine.remove();
    }
  });

  it.each(NOT_RUN)("has a command like $command, which is not run: $reason", ({ command }) => {
    expect(commands.filter(({ text }) => command.test(withoutNpx(text)))).not.toEqual([]);
  });

  it("names only scripts and files of this repository that there are", () => {
    const { scripts } = JSON.parse(readProjectFile("package.json"));
    const lost = commands.filter(({ text }) => {
      const [, script] = /^npm run ([\w:-]+)/.exec(text) ?? [];
      const [, file] = /^npx vitest run (\S+)/.exec(text) ?? [];
      return (
        (script !== undefined && scripts[script] === undefined) ||
        (file !== undefined && !existsSync(projectRoot + file))
      );
    });
    expect(lost).toEqual([]);
  });
});

describe("what the documentation says of onym", () => {
  const mentions = PAGES.filter((file) => !file.startsWith("docs/decisions/")).flatMap((file) =>
    readMentions(file, readProjectFile(file)),
  );

  it("is a command and flags that there are", () => {
    const helps = new Map<string, string | undefined>();
    const lost: string[] = [];
    for (const { file, line, text } of mentions) {
      const words = (text.split(" -- ", 1)[0] ?? "").split(/[\s|<>;&]+/).slice(1);
      const help = helpFor(words, helps);
      const wrong = words.filter((word) => /^--[a-z]/.test(word)).filter((word) => !hasFlag(help, word));
      if (help === undefined) lost.push(`${file}:${line} no command: ${text}`);
      else if (wrong.length > 0) lost.push(`${file}:${line} no ${wrong.join(", ")}: ${text}`);
    }
    console.info(`docs: ${mentions.length} mentions of onym commands`);
    expect(mentions.length).toBeGreaterThan(100);
    expect(lost).toEqual([]);
  });
});

function hasFlag(help: string | undefined, word: string): boolean {
  const [flag = word] = word.split(/[=.,)]/, 1);
  return help !== undefined && new RegExp(`(^|[\\s,])${flag}(?![\\w-])`, "m").test(help);
}

/** Of the command, or of the one below it that is named. */
function helpFor(words: readonly string[], known: Map<string, string | undefined>): string | undefined {
  const [command = "", below = ""] = words;
  const outer = printHelp([command], known);
  const isBelow =
    /^[a-z]+$/.test(below) && new RegExp(`^ {2}${below}\\b`, "m").test(outer?.split("Commands:")[1] ?? "");
  return isBelow ? `${outer}\n${printHelp([command, below], known)}` : outer;
}

/** Of a command that is not there, the help of all is printed. */
function printHelp(words: readonly string[], known: Map<string, string | undefined>): string | undefined {
  const key = words.join(" ");
  if (!known.has(key)) {
    const { out } = runOnym(projectRoot, [...words, "--help"]);
    known.set(key, out.startsWith(`Usage: onym ${key} `) ? out : undefined);
  }
  return known.get(key);
}
