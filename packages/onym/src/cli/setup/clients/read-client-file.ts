// The text of a client's file → its servers, or in a few words why it has none that can be read.

import { parse as parseToml, TomlError } from "smol-toml";
import { parseJsonDocument } from "../../../config/json/json-document.js";
import { readValue } from "../../../config/json/read-value.js";
import type { ClientFormat } from "./client.js";
import { type Carried, serverEntryOf } from "./server-entry-of.js";
import { findEntries, type Toolbox } from "./server-maps.js";

export interface ReadServer {
  readonly id: string;
  readonly carried: Carried;
  readonly toolbox?: Toolbox | undefined;
}

export type ReadFile =
  | { readonly servers: readonly ReadServer[]; readonly value: unknown }
  /** There is nothing wrong, and nothing about servers either. */
  | { readonly servers: undefined; readonly value: unknown }
  | { readonly reason: string };

export function readClientFile(
  text: string,
  { format, project }: { readonly format: ClientFormat; readonly project?: string },
): ReadFile {
  if (format === "yaml") return { reason: "YAML is not read" };
  const parsed = format === "toml" ? readToml(text) : readJson(text);
  if ("reason" in parsed) return parsed;
  const { value } = parsed;
  const entries = findEntries(value, project);
  return {
    value,
    servers: entries?.map(({ id, raw, toolbox }) => ({ id, carried: serverEntryOf(raw), toolbox })),
  };
}

type Parsed = { readonly value: unknown } | { readonly reason: string };

function readJson(text: string): Parsed {
  if (text.trim() === "") return { value: {} };
  const parsed = parseJsonDocument(text, "", "");
  if (parsed.ok)
    return { value: readValue(parsed.document.root, [], { document: parsed.document, problems: [] }) };
  const { place, message } = parsed.problem;
  return { reason: `line ${place.line}: ${lowerFirst(message)}` };
}

function readToml(text: string): Parsed {
  try {
    return { value: parseToml(text) };
  } catch (error) {
    const line = error instanceof TomlError ? `line ${error.line}: ` : "";
    return { reason: `${line}it is not TOML` };
  }
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}
