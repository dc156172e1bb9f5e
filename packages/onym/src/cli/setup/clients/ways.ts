// The forms in which clients take a server: a JSON file, a TOML table, YAML, a command line.

import { escapeText } from "@onym/core";
import type { GatewayAddress, Way } from "./client.js";

type EntryOf = (gateway: GatewayAddress) => object;

/** Command and arguments, as most clients write them. */
export const started: EntryOf = ({ command, args }) => ({ command, args });

/** An address under this key, with what else the client wants beside it. */
export function connected(key: string, beside: object = {}): EntryOf {
  return ({ url }) => ({ ...beside, [key]: url });
}

/** Entries under one key of a JSON file. */
export function inJson(
  gateway: GatewayAddress,
  where: string,
  key: string,
  entries: { readonly stdio?: EntryOf; readonly http?: EntryOf },
): readonly Way[] {
  return (["stdio", "http"] as const).flatMap((transport) => {
    const entry = entries[transport]?.(gateway);
    if (entry === undefined) return [];
    const text = formatSnippet({ [key]: { [gateway.alias]: entry } });
    return [{ transport, kind: "write", where, language: "json", text } as const];
  });
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

export function inYaml(transport: Way["transport"], where: string, lines: readonly string[]): Way {
  return { transport, kind: "write", where, language: "yaml", text: lines.join("\n") };
}

/** A JSON string is a string of YAML, and for plain text also one of TOML. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}

/** A key of YAML or TOML, quoted where it must be. */
export function keyOf(text: string): string {
  return /^[A-Za-z][\w-]*$/.test(text) ? text : quoted(text);
}
