// A client's file in which Onym is registered: it says which config Onym is started with, and is none itself.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { getNodeValue } from "jsonc-parser";
import { parseJsonDocument } from "../json/json-document.js";
import { configArgument, startsOnym } from "./onym-entry.js";
import { MAX_CONFIG_BYTES, readTextFile } from "./read-text-file.js";

export interface ClientRegistration {
  /** The name under which Onym is registered. */
  readonly id: string;
  /** The ids of the servers beside Onym that are switched on. */
  readonly others: readonly string[];
  /**
   * `followed`: the config that Onym is started with, absolute. `same`: this file, named, or because none is and the client starts
   * Onym here. `unknown`: it connects to an address, or its config is gone.
   */
  readonly config:
    | { readonly kind: "followed"; readonly file: string }
    | { readonly kind: "same" }
    | { readonly kind: "unknown" };
}

/** `undefined` where Onym is not registered in the file, or nothing can be said of it. */
export function readRegistration(file: string, cwd: string): ClientRegistration | undefined {
  const read = readTextFile(file, MAX_CONFIG_BYTES);
  if ("reason" in read) return undefined;
  const parsed = parseJsonDocument(read.text, file, "");
  if (!parsed.ok) return undefined;
  const entries = serverEntries(getNodeValue(parsed.document.root));
  const own = entries.find(isOnymEntry);
  if (own === undefined) return undefined;
  const others = entries.filter((one) => !isOnymEntry(one) && member(one.entry, "disabled") !== true);
  return { id: own.id, others: others.map(({ id }) => id), config: configOf(own.entry, file, cwd) };
}

function configOf(entry: unknown, file: string, cwd: string): ClientRegistration["config"] {
  if (textOf(member(entry, "command")) === undefined) return { kind: "unknown" };
  const named = configArgument(wordsOf(member(entry, "args")));
  if (named === undefined) return { kind: "same" };
  const config = resolve(cwd, textOf(member(entry, "cwd")) ?? "", named);
  if (config === resolve(file)) return { kind: "same" };
  return existsSync(config) ? { kind: "followed", file: config } : { kind: "unknown" };
}

interface ServerEntry {
  readonly id: string;
  readonly entry: unknown;
}

function serverEntries(value: unknown): readonly ServerEntry[] {
  const maps = [
    member(value, "mcpServers"),
    member(value, "servers"),
    member(member(value, "mcp"), "servers"),
  ];
  return maps.flatMap((map) => Object.entries(Object(map)).map(([id, entry]) => ({ id, entry })));
}

function isOnymEntry({ id, entry }: ServerEntry): boolean {
  return startsOnym(id, {
    command: textOf(member(entry, "command")),
    args: wordsOf(member(entry, "args")),
    url: textOf(member(entry, "url")),
  });
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function wordsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).filter((word) => typeof word === "string");
}
