// A server entry → what of it is used, and how. Read from the entry with its variables filled in it becomes the launch; read from
// the entry as it is written it is what a user is shown and trusts. So what is shown is what is launched (CFG-6).

import { quoteText } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import { didYouMean } from "../json/near-text.js";
import { type ServerEntry, serverEntry } from "../schema/config-schema.js";
import type { NoteProblem } from "./launch-input.js";

/** The members of an entry that its launch uses. What else stands in the entry makes no difference to it. */
export type EntryLaunch =
  | { readonly kind: "static" }
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string | number | null>>;
      readonly envFile: string | undefined;
      readonly cwd: string | undefined;
      readonly isolation: ServerEntry["isolation"];
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      /** Under which the address stands. */
      readonly urlKey: UrlKey;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth: ServerEntry["oauth"];
    };

type LaunchKind = EntryLaunch["kind"];

/** `httpUrl` first: Gemini CLI writes it for what its `url` is not. */
const URL_KEYS = ["httpUrl", "serverUrl", "url"] as const;
type UrlKey = (typeof URL_KEYS)[number];

const TYPE_KEYS = ["type", "transport", "transportType"] as const;

/** What the key `type` says in all its spellings. Some clients write it as `transport` or `transportType`. */
const TYPES: ReadonlyMap<string, "stdio" | "http" | "sse"> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["http", "http"],
  ["remote", "http"],
  ["streamablehttp", "http"],
  ["sse", "sse"],
]);

/** `undefined` where the entry has no launch, for a reason that was noted. */
export function readEntry(entry: ServerEntry, note: NoteProblem): EntryLaunch | undefined {
  const kind = kindOf(entry, note);
  return kind === undefined ? undefined : partOf(kind, entry);
}

/**
 * The launches that an entry may have as it is written: one, or those of every kind where a variable decides which it is. None
 * where it has no launch.
 */
export function writtenLaunches(written: object): readonly EntryLaunch[] {
  const entry: ServerEntry = { ...written };
  const [, type = ""] = typeOf(entry);
  if (!type.includes("${")) {
    const launch = readEntry(entry, () => {});
    return launch === undefined ? [] : [launch];
  }
  return [
    ...(entry.command === undefined ? [] : [partOf("stdio", entry)]),
    ...(urlOf(entry) === undefined ? [] : [partOf("http", entry)]),
  ];
}

/** The keys of an entry that decide about its launch, or are part of it. */
export function keysOf(launch: EntryLaunch): ReadonlySet<string> {
  const used =
    launch.kind === "static"
      ? []
      : launch.kind === "stdio"
        ? ["command", "args", "env", "envFile", "cwd", "isolation"]
        : [launch.urlKey, "headers", "oauth"];
  return new Set<string>([...TYPE_KEYS, ...used]);
}

/**
 * Whether an entry of a client has the same launch as what is carried of it, so that it may be shown and trusted in its place.
 *
 * @param raw Anything.
 */
export function hasLaunchOf(raw: unknown, carried: object): raw is object {
  return serverEntry.safeParse(raw).success && launchText(Object(raw)) === launchText(carried);
}

function launchText(entry: object): string {
  const launches = writtenLaunches(entry).map((launch) => {
    if (launch.kind === "static") return launch;
    if (launch.kind !== "stdio") return { ...launch, urlKey: null, oauth: launch.oauth ?? null };
    const env = Object.entries(launch.env).map(([name, value]) => [
      name,
      value === null ? null : String(value),
    ]);
    const { envFile = null, cwd = null, isolation = "none" } = launch;
    return { ...launch, env: Object.fromEntries(env), envFile, cwd, isolation };
  });
  return canonicalJson(launches);
}

function kindOf(entry: ServerEntry, note: NoteProblem): LaunchKind | undefined {
  const url = urlOf(entry);
  if (entry.command === undefined && url === undefined) return "static";
  const [key, type] = typeOf(entry);
  if (type === undefined) {
    if (entry.command !== undefined) return "stdio";
    return url !== undefined && /\/sse\/?(?:[?#]|$)/.test(url[1]) ? "sse" : "http";
  }
  const kind = TYPES.get(type.toLowerCase().replace(/[-_]/g, ""));
  if (kind === undefined) {
    const isSocket = /^(?:ws|wss|websocket)$/i.test(type);
    note([key], {
      code: isSocket ? "unsupported-transport" : "wrong-type",
      message: isSocket
        ? `Servers over WebSocket (${quoteText(type)}) cannot be reached.`
        : `There is no way to talk to a server called ${quoteText(type, 40)}.`,
      fix: `${didYouMean(type, ["stdio", "http", "streamable-http", "sse"])}Write "stdio", "http" or "sse".`,
    });
    return undefined;
  }
  const missing = kind === "stdio" ? entry.command === undefined : url === undefined;
  if (missing) {
    const what = kind === "stdio" ? "command" : "url";
    const message = `The server is of type ${quoteText(type)}, but has no ${what}.`;
    note([key], { code: "missing-key", message, fix: `Write its "${what}", or another "type".` });
    return undefined;
  }
  return kind;
}

function partOf(kind: LaunchKind, entry: ServerEntry): EntryLaunch {
  if (kind === "static") return { kind };
  if (kind === "stdio") {
    const { command = "", args = [], env = {}, envFile, cwd, isolation } = entry;
    return { kind, command, args, env, envFile, cwd, isolation };
  }
  const [urlKey, url] = urlOf(entry) ?? ["url", ""];
  return { kind, url, urlKey, headers: entry.headers ?? {}, oauth: entry.oauth };
}

function urlOf(entry: ServerEntry): readonly [key: UrlKey, url: string] | undefined {
  for (const key of URL_KEYS) {
    const url = entry[key];
    if (url !== undefined) return [key, url];
  }
  return undefined;
}

function typeOf(entry: ServerEntry): readonly [key: string, type: string | undefined] {
  for (const key of TYPE_KEYS) {
    const type: unknown = Reflect.get(entry, key);
    if (typeof type === "string") return [key, type];
  }
  return ["type", undefined];
}
