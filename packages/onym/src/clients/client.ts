// What Onym knows of a client: which files it keeps its servers in, in which form, and how a gateway is registered there. One
// table of these drives discovery, `init --client`, `connect` and docs/clients.md.

import { escapeText } from "@onym/core";
import { stringify } from "smol-toml";
import { formatYaml } from "../documents/edit-yaml.js";

export interface Client {
  readonly id: string;
  readonly title: string;
  /** Whose names it gets, where that is not the profile of its id. */
  readonly profile?: string;
  /** Where its servers stand, those of the user before those of a project; empty where they cannot be read from a file. */
  readonly files: readonly ClientFile[];
  /** One server as it stands there; absent for a transport that it does not have. */
  readonly entry?: { readonly stdio?: EntryOf; readonly http?: EntryOf };
  /** Other ways than a file: commands, and what is entered by hand. */
  readonly otherWays?: (gateway: GatewayAddress) => readonly Way[];
  /** It is no longer offered; since when, and what took its place. */
  readonly retired?: string;
  /** What else a user should know, in one sentence. */
  readonly remark?: string;
  /** Absent where it applies to every registration. */
  readonly remarkApplies?: (registration: Registration) => boolean;
  /** Where this was read, or where it should be written down. */
  readonly source: string;
  /** The day it was read there, YYYY-MM-DD; absent where nobody has held the row against it. */
  readonly checked?: string;
}

/** Under which name, and in which file where Onym writes one. */
export interface Registration {
  readonly alias: string;
  readonly file: string | undefined;
}

/** What a user of this registration should know beside it. */
export function remarkOf(client: Client, registration: Registration): string | undefined {
  return client.remarkApplies?.(registration) === false ? undefined : client.remark;
}

export interface ClientFile {
  /** A path with `{home}`, `{appData}`, `{config}`, `{xdg}`, `{codex}`, `{copilot}`, `{kimi}` or `{project}` at its start: see client-paths.ts. */
  readonly place: string;
  /** The same on Windows, where it is another. */
  readonly windows?: string;
  readonly format: ClientFormat;
  /** Where in it the servers are. */
  readonly servers: readonly string[];
  /** A list of entries with a `name` each, instead of entries by id. */
  readonly isList?: true;
  /** It is read, and nothing is written to it any more. */
  readonly isOld?: true;
}

/** `json`: also with comments. */
export type ClientFormat = "json" | "toml" | "yaml";

export type EntryOf = (gateway: GatewayAddress) => Readonly<Record<string, unknown>>;

/** How a client reaches Onym. */
export interface GatewayAddress {
  /** The name under which it is registered; what Onym is told with `--as` must be the same. */
  readonly alias: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On this machine, or where the user says. */
  readonly url: string;
  /** For clients that run elsewhere. */
  readonly publicUrl: string;
  /** What to send with each request: a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way to register it: what to run, or what to write where. */
export interface Way {
  readonly transport: "stdio" | "http";
  readonly kind: "run" | "write" | "enter";
  /** `write`: the place of the file; `enter`: where in the client. */
  readonly where?: string;
  readonly language: "sh" | "json" | "toml" | "yaml" | "text";
  readonly text: string;
}

// How a gateway is registered in a client: what to run, what to enter, and what to write into its file, in the file's format.

/** Commands first, then the file that the user's own servers stand in. */
export function waysToRegister(client: Client, gateway: GatewayAddress): readonly Way[] {
  const file = client.files[0];
  const written = (["stdio", "http"] as const).flatMap((transport): readonly Way[] => {
    const entry = client.entry?.[transport]?.(gateway);
    if (file === undefined || entry === undefined) return [];
    const text = formatRegistration(file, gateway.alias, entry);
    return [{ transport, kind: "write", where: file.place, language: file.format, text }];
  });
  return [...(client.otherWays?.(gateway) ?? []), ...written];
}

/** The part of a file that registers one server. */
function formatRegistration(
  { format, servers, isList }: ClientFile,
  alias: string,
  entry: Readonly<Record<string, unknown>>,
): string {
  const inner = isList === true ? [{ name: alias, ...entry }] : { [alias]: entry };
  const whole = servers.reduceRight<unknown>((value, key) => ({ [key]: value }), inner);
  if (format === "toml") return stringify(whole as Record<string, unknown>).trim();
  return format === "yaml" ? formatYaml(whole) : formatSnippet(whole);
}

/** JSON in which a list of plain values stays on its line, as people write it. */
export function formatSnippet(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  if (isList && value.every((item) => typeof item !== "object" || item === null))
    return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const members = isList
    ? value.map((item) => formatSnippet(item, inner))
    : Object.entries(value).flatMap(([key, member]) =>
        member === undefined ? [] : [`${JSON.stringify(key)}: ${formatSnippet(member, inner)}`],
      );
  if (members.length === 0) return isList ? "[]" : "{}";
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${members.map((member) => inner + member).join(",\n")}\n${indent}${close}`;
}

export function run(transport: Way["transport"], ...words: readonly string[]): Way {
  return { transport, kind: "run", language: "sh", text: words.map(pasteWord).join(" ") };
}

/** Unlike in messages, quotes stay as they are: the word is made to be pasted. */
function pasteWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${escapeText(word).replaceAll("'", "'\\''")}'`;
}

export function enter(where: string, text: string): Way {
  return { transport: "http", kind: "enter", where, language: "text", text };
}
