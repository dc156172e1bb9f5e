// How a gateway is registered in a client: what to run, what to enter, and what to write into its file, in the file's format.

import { escapeText } from "@onym/core";
import { stringify } from "smol-toml";
import { formatYaml } from "../edit/edit-yaml.js";
import type { Client, ClientFile, GatewayAddress, Way } from "./client.js";

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
