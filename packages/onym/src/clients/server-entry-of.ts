// A server entry of any client → an entry of Onym's config. What cannot be carried over is said, not lost.

import { quoteText } from "@onym/core";
import { FILTER_KEYS, filtersOf, proxyFilterOf } from "../config/sections/tool-filters.js";
import type { EntryOf } from "./client.js";
import { fieldOf, objectOf } from "./server-maps.js";

/** The keys of a config that a client's entry can give. */
export interface CarriedEntry {
  readonly type?: "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: true;
  readonly tools?: unknown;
  readonly toolFilters?: readonly string[];
}

export type Carried =
  | {
      readonly entry: CarriedEntry;
      readonly notes: readonly string[];
      /** Raw names of tools that the entry mentions: in allow lists and the like. */
      readonly mentions: readonly string[];
      /** Raw names, and what the file had those tools shown as. */
      readonly shownAs?: readonly (readonly [raw: string, shown: string])[];
    }
  | { readonly reason: string };

/** Lists of raw names in the entries of clients. */
const LISTS = ["autoApprove", "alwaysAllow", ...FILTER_KEYS];

/** What is hidden there and cannot be hidden here. */
const HIDDEN_OTHERS = /^disabled_?(prompts|resources|resource_?templates)$/i;

export function serverEntryOf(raw: unknown): Carried {
  const given = objectOf(raw);
  if (given === undefined) return { reason: "it is no object" };
  const notes: string[] = [];
  const [command, ...first] = commandOf(given);
  const args = [...first, ...textsOf(fieldOf(given, "args") ?? fieldOf(fieldOf(given, "command"), "args"))];
  const url = ["httpUrl", "serverUrl", "url", "uri"].map((key) => textOf(fieldOf(given, key))).find(Boolean);
  const tools = fieldOf(given, "tools");
  const isStatic =
    tools !== undefined && objectOf(tools) === undefined && command === undefined && url === undefined;
  if (command === undefined && url === undefined && !isStatic)
    return { reason: "it has no command and no url" };
  const filters = filtersOf(given);
  for (const key of Object.keys(given)) {
    const hidden = HIDDEN_OTHERS.test(key) ? textsOf(fieldOf(given, key)) : [];
    if (hidden.length > 0) notes.push(cannotHide(key, hidden));
  }
  const entry: CarriedEntry = {
    ...(url === undefined || command !== undefined ? {} : typeOf(given)),
    ...(command === undefined ? {} : { command, ...(args.length === 0 ? {} : { args }) }),
    ...withText(given, "envFile"),
    ...withText(given, "cwd"),
    ...withMap("env", environmentOf(given)),
    ...(url === undefined || command !== undefined ? {} : { url, ...withMap("headers", headersOf(given)) }),
    ...(fieldOf(given, "disabled") === true || fieldOf(given, "enabled") === false ? { disabled: true } : {}),
    ...(isStatic ? { tools } : {}),
    ...(filters === undefined ? {} : { toolFilters: filters }),
  };
  const mentions = LISTS.flatMap((key) => textsOf(fieldOf(given, key))).concat(
    proxyFilterOf(given).list ?? [],
  );
  return { entry, notes, mentions: [...new Set(mentions)].filter((name) => !/[*?]|^!/.test(name)) };
}

/** One text, a list of words (OpenCode), or an object with a path (older Zed). */
function commandOf(given: object): readonly string[] {
  const command = fieldOf(given, "command") ?? fieldOf(given, "cmd");
  const words = Array.isArray(command) ? textsOf(command) : textsOf([command ?? undefined]);
  if (words.length > 0) return words;
  const path = textOf(fieldOf(command, "path"));
  return path === undefined ? [] : [path];
}

function typeOf(given: object): Pick<CarriedEntry, "type"> {
  const type = ["type", "transport", "transportType"].map((key) => textOf(fieldOf(given, key))).find(Boolean);
  const plain = type?.toLowerCase().replace(/[-_]/g, "");
  if (plain === "sse") return { type: "sse" };
  return plain === undefined || plain === "stdio" ? {} : { type: "http" };
}

function environmentOf(given: object): ReadonlyMap<string, string> {
  const command = fieldOf(given, "command");
  return new Map(
    ["environment", "envs", "env"]
      .map((key) => fieldOf(given, key))
      .concat([fieldOf(command, "env")])
      .reverse()
      .flatMap(pairsOf),
  );
}

/** Also the ways of Codex to name a variable that holds the secret. */
function headersOf(given: object): ReadonlyMap<string, string> {
  const token = textOf(fieldOf(given, "bearer_token_env_var"));
  return new Map([
    ...pairsOf(fieldOf(given, "headers")),
    ...pairsOf(fieldOf(given, "http_headers")),
    ...pairsOf(fieldOf(given, "env_http_headers")).map(
      ([name, variable]) => [name, `\${${variable}}`] as const,
    ),
    ...(token === undefined ? [] : [["Authorization", `Bearer \${${token}}`] as const]),
  ]);
}

function cannotHide(key: string, names: readonly string[]): string {
  const shown = names.map((name) => quoteText(name)).join(", ");
  return `what ${key} hides (${shown}) is shown: Onym has filters for tools only`;
}

function withText<K extends "envFile" | "cwd">(given: object, key: K): Partial<Record<K, string>> {
  const text = textOf(fieldOf(given, key));
  return text === undefined ? {} : ({ [key]: text } as Record<K, string>);
}

function withMap(key: "env" | "headers", map: ReadonlyMap<string, string>): Partial<CarriedEntry> {
  return map.size === 0 ? {} : { [key]: Object.fromEntries(map) };
}

/** OpenCode writes `{env:NAME}` for what is `${NAME}` here. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.replace(/(?<!\$)\{env:(\w+)\}/g, (_, name: string) => `\${${name}}`);
}

function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => {
    if (typeof item === "number") return [String(item)];
    return item === "" ? [""] : (textOf(item) ?? []);
  });
}

function pairsOf(value: unknown): readonly (readonly [string, string])[] {
  return Object.entries(objectOf(value) ?? {}).flatMap(([name, inner]) => {
    const text = typeof inner === "number" || inner === "" ? String(inner) : textOf(inner);
    return text === undefined ? [] : [[name, text] as const];
  });
}

// The forms in which clients write a server that is started or connected to.

/** Command and arguments, as most clients write them, with what else the client wants beside. */
export const started: EntryOf = ({ command, args }) => ({ command, args: [...args] });

export function startedWith(beside: Readonly<Record<string, unknown>>): EntryOf {
  return (gateway) => ({ ...beside, ...started(gateway) });
}

/** An address under this key, with what else the client wants beside it. */
export function connected(key: string, beside: Readonly<Record<string, unknown>> = {}): EntryOf {
  return ({ url, headers }) => ({ ...beside, [key]: url, ...(headers === undefined ? {} : { headers }) });
}

/** For clients that start commands only: a bridge that connects for them. */
export const bridged: EntryOf = ({ url, headers = {} }) => ({
  command: "npx",
  args: [
    "-y",
    "mcp-remote",
    url,
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}:${value}`]),
  ],
});

/** OpenCode and what was made from it. */
export const localCommand: EntryOf = ({ command, args }) => ({
  type: "local",
  command: [command, ...args],
  enabled: true,
});
