// A server entry → how the server is reached: what to start, or where to connect. Nothing is started here.

import { basename, dirname, resolve, sep } from "node:path";
import { quoteText } from "@onym/core";
import type { Launch } from "../../model/launch.js";
import type { ConfigServer } from "../config.js";
import { type ConfigProblem, formatJsonPath } from "../config-problem.js";
import { parseEnvFile } from "../files/parse-env-file.js";
import { type Environment, editorVariable, missingVariable } from "../json/expand-variables.js";
import type { JsonPath } from "../json/json-path.js";
import { readOAuth } from "../sections/read-oauth.js";
import { type EntryLaunch, readEntry } from "./entry-launch.js";
import type { LaunchInput, NoteProblem } from "./launch-input.js";
import { ownFolderOf, placeServer } from "./place-server.js";

/** The launch of a server, or all that is wrong with it. */
export function launchOf(
  server: ConfigServer,
  input: LaunchInput,
): { readonly launch: Launch } | { readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const note: NoteProblem = (at, problem) => {
    const below = formatJsonPath(["x", ...at]).slice(1);
    problems.push({ ...problem, path: server.path + below, place: server.place });
  };
  const project = projectFolderOf(input.folder);
  const entry = fillEditorWords(server.entry, { project, env: input.env }, note);
  const used = readEntry(entry, note);
  const { server: id, toolbox } = server.source;
  const ownFolder = ownFolderOf({ env: input.env, config: input.folder, id, toolbox });
  const launch = used === undefined ? undefined : build(used, { ...input, folder: project, ownFolder }, note);
  if (launch === undefined || problems.length > 0) return { problems };
  const isOpen = launch.kind === "static" || launch.kind === "unusable" || server.variables.size === 0;
  return { launch: isOpen ? launch : { ...launch, variables: server.variables } };
}

type Entry = ConfigServer["entry"];

/** From nothing but what a user was shown of the entry. */
function build(
  used: EntryLaunch,
  input: LaunchInput & { readonly ownFolder: string },
  note: NoteProblem,
): Launch | undefined {
  if (used.kind === "static") return { kind: used.kind };
  if (used.kind === "stdio") {
    const { kind, command, args } = used;
    if (command.trim() === "" || [command, ...args].some((word) => word.includes("\0"))) {
      const message = "The command is empty, or it or its arguments hold a NUL.";
      note(["command"], { code: "bad-command", message, fix: "Write the program to start." });
    }
    return {
      kind,
      command,
      args,
      env: readEnvironment(used, input, note),
      ...placeServer(used, input, note),
    };
  }
  const { kind, url, urlKey } = used;
  checkUrl(urlKey, url, note);
  const oauth = readOAuth(used, note);
  return { kind, url, headers: readHeaders(used, note), ...(oauth === undefined ? {} : { oauth }) };
}

type StartedEntry = Extract<EntryLaunch, { readonly kind: "stdio" }>;

function checkUrl(key: string, url: string, note: NoteProblem): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return;
  // The address may hold a secret, so only what is before it is shown.
  const message =
    parsed === undefined
      ? "This is not a valid address."
      : `Onym connects over HTTP, not over ${quoteText(parsed.protocol)}.`;
  note([key], { code: "bad-url", message, fix: "Write an address that starts with https:// or http://." });
}

function readHeaders(
  { headers }: Extract<EntryLaunch, { readonly headers: unknown }>,
  note: NoteProblem,
): ReadonlyMap<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      const message = `${quoteText(name, 40)} is not a valid header name.`;
      note(["headers", name], { code: "bad-header", message, fix: "Use letters, digits and dashes." });
    } else if (/[^\t\x20-\x7E\x80-\xFF]/.test(value)) {
      const message = "The value holds a line break or another character that no header may hold.";
      note(["headers", name], { code: "bad-header", message, fix: "Write it on one line, in plain text." });
    }
  }
  return new Map(Object.entries(headers));
}

// What editors fill in themselves, where Onym starts the server in their place: folders it knows, prompts it does not.

/** The keys that a launch reads. */
const READ = [
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "httpUrl",
  "serverUrl",
  "headers",
  "oauth",
] as const;
const WORD = /\$\{([^{}]*)\}/g;
const ASKED = /^(?:input|command|config|env|workspaceFolder):/;

/** The entry with `${workspaceFolder}`, `${userHome}` and the like filled in. */
function fillEditorWords(
  entry: Entry,
  { project, env }: { readonly project: string; readonly env: Environment },
  note: NoteProblem,
): Entry {
  const { HOME, USERPROFILE } = env;
  const words = new Map<string, string | undefined>([
    ["workspaceFolder", project],
    ["workspaceRoot", project],
    ["cwd", project],
    ["workspaceFolderBasename", basename(project)],
    ["userHome", HOME ?? USERPROFILE],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
  const fill = (value: unknown, at: JsonPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...at, index]));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, fill(inner, [...at, key])]),
      );
    if (typeof value !== "string") return value;
    return value.replace(WORD, (whole, word: string) => {
      const known = words.get(word);
      const variable = /^env:(\w+)$/.exec(word)?.[1];
      if (variable !== undefined) note(at, missingVariable(variable));
      else if (known === undefined && (ASKED.test(word) || words.has(word))) {
        note(at, editorVariable(word));
      }
      return known ?? whole;
    });
  };
  const filled = READ.flatMap((key) =>
    entry[key] === undefined ? [] : [[key, fill(entry[key], [key])] as const],
  );
  return { ...entry, ...Object.fromEntries(filled) } as Entry;
}

// What a started server gets beside its command: the variables its entry declares, and the project that it is for.

/** Editors keep a project's file in a folder of their own, and mean the project. */
function projectFolderOf(folder: string): string {
  return [".vscode", ".cursor"].includes(basename(folder)) ? dirname(folder) : folder;
}

/** `env` beats `envFile`; a number is its text, and `null` leaves a variable out. */
function readEnvironment(
  entry: StartedEntry,
  input: LaunchInput,
  note: NoteProblem,
): ReadonlyMap<string, string> {
  const env = new Map(fromFile(entry, input, note));
  for (const [name, value] of Object.entries(entry.env)) {
    if (name === "" || /[=\0]/.test(name) || String(value).includes("\0")) {
      const message = `${quoteText(name, 40)} cannot be set: a name is not empty and holds no =, and nothing holds a NUL.`;
      note(["env", name], { code: "bad-environment", message, fix: "Correct the name or the value." });
    } else if (value === null) env.delete(name);
    else env.set(name, String(value));
  }
  return env;
}

/** @param written As an entry has it; `folder` is that of the config. */
export function envFileOf(written: string, { folder, env }: Pick<LaunchInput, "folder" | "env">): string {
  const project = projectFolderOf(folder);
  const { envFile = written } = fillEditorWords({ envFile: written }, { project, env }, () => {});
  return resolve(project, envFile);
}

function fromFile(
  { envFile }: StartedEntry,
  { folder, readText }: LaunchInput,
  note: NoteProblem,
): Iterable<readonly [string, string]> {
  if (envFile === undefined) return [];
  const file = resolve(folder, envFile);
  const read = readText(file);
  if ("reason" in read) {
    note(["envFile"], {
      code: "unreadable-file",
      message: `The file ${quoteText(file)} cannot be read: ${read.reason}.`,
      fix: "Correct the path, which is relative to the config, or take it out.",
    });
    return [];
  }
  const parsed = parseEnvFile(read.text);
  if ("badLine" in parsed) {
    note(["envFile"], {
      code: "bad-env-file",
      message: `Line ${parsed.badLine} of ${quoteText(file)} is not NAME=VALUE.`,
      fix: "Write one NAME=VALUE a line; comments start with #.",
    });
    return [];
  }
  return parsed.variables;
}
