// What editors fill in themselves, where Onym starts the server in their place: folders it knows, prompts it does not.

import { basename, sep } from "node:path";
import type { ConfigServer } from "../config.js";
import type { NoteProblem } from "../launches/launch-input.js";
import { type Environment, editorVariable, missingVariable } from "./expand-variables.js";
import type { JsonPath } from "./json-path.js";

type Entry = ConfigServer["entry"];

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
export function fillEditorWords(
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
