// A schema as JSON, with the places where its descriptions mention other tools, so that each caller sees its
// own names (GW-9). Only descriptions are searched: defaults, examples, enums and parameter names are data.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { FindReferences, TextPart } from "../references/find-references.js";

/** JSON as the server sent it, and where it mentions tools. */
export interface JsonText {
  readonly text: string;
  readonly mentions: readonly JsonMention[];
}

interface JsonMention {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly raw: string;
}

/** The descriptions in a schema, and its own words. */
export interface SchemaTexts {
  readonly descriptions: ReadonlyMap<JsonObject, string>;
  /** Parameter names and values: in quotes or backticks, these are not tools. */
  readonly own: ReadonlySet<string>;
}

/** Deeper parts are passed through unchanged. */
const MAX_DEPTH = 64;
const MAX_SCHEMAS = 2_000;
const MAX_CHARACTERS = 50_000;
const MAX_OWN = 2_000;

const SCHEMA_KEYS: ReadonlySet<string> = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  // Lists of schemas; a list under any of these keys is treated as one.
  "allOf",
  "anyOf",
  "oneOf",
  "prefixItems",
]);
const MAP_KEYS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

export function readSchemaTexts(root: JsonObject): SchemaTexts {
  const descriptions = new Map<JsonObject, string>();
  const own = new Set<string>();
  let schemas = 0;
  let characters = 0;
  const addDescription = (schema: JsonObject): void => {
    const { description } = schema;
    if (typeof description !== "string") return;
    characters += description.length;
    if (characters <= MAX_CHARACTERS) descriptions.set(schema, description);
  };
  const addOwn = (values: readonly unknown[]): void => {
    for (const value of values) {
      if (own.size >= MAX_OWN) return;
      if (typeof value === "string") own.add(value);
    }
  };
  const visit = (schema: unknown, depth: number): void => {
    if (Array.isArray(schema)) {
      for (const each of schema) if (!Array.isArray(each)) visit(each, depth + 1);
      return;
    }
    if (!isJsonObject(schema) || depth > MAX_DEPTH || ++schemas > MAX_SCHEMAS) return;
    addDescription(schema);
    addOwn([schema["const"]]);
    if (Array.isArray(schema["enum"])) addOwn(schema["enum"]);
    for (const key of Object.keys(schema)) {
      const value = schema[key];
      if (SCHEMA_KEYS.has(key)) visit(value, depth + 1);
      if (!MAP_KEYS.has(key) || !isJsonObject(value)) continue;
      if (key === "properties") addOwn(Object.keys(value));
      for (const name of Object.keys(value)) visit(value[name], depth + 1);
    }
  };
  visit(root, 0);
  return { descriptions, own };
}

/** The member of an entry that holds this schema. */
export function formatSchemaMember(
  key: string,
  schema: JsonObject,
  { descriptions, own }: SchemaTexts,
  find: FindReferences,
): JsonText {
  const mentioning = new Map<JsonObject, readonly TextPart[]>();
  for (const [holder, text] of descriptions) {
    const parts = find(text, own);
    if (parts.some((part) => typeof part !== "string")) mentioning.set(holder, parts);
  }
  const name = `${JSON.stringify(key)}:`;
  if (mentioning.size === 0) return { text: name + JSON.stringify(schema), mentions: [] };
  const parts: TextPart[] = [name];
  writeJson(schema, mentioning, parts, 0);
  return joinParts(parts);
}

/** Members without mentions. */
export function plainJson(text: string): JsonText {
  return { text, mentions: [] };
}

export function joinMembers(members: readonly JsonText[]): JsonText {
  let at = 0;
  const mentions: JsonMention[] = [];
  for (const member of members) {
    for (const { start, end, raw } of member.mentions)
      mentions.push({ start: start + at, end: end + at, raw });
    at += member.text.length + 1;
  }
  return { text: members.map(({ text }) => text).join(","), mentions };
}

/** The JSON with the names for one caller. */
export function renderJson({ text, mentions }: JsonText, nameOf: (raw: string) => string): string {
  if (mentions.length === 0) return text;
  const pieces: string[] = [];
  let shown = 0;
  for (const { start, end, raw } of mentions) {
    pieces.push(text.slice(shown, start), escapeJson(nameOf(raw)));
    shown = end;
  }
  return pieces.join("") + text.slice(shown);
}

/** Writes what `JSON.stringify` writes, split at the mentions. */
function writeJson(
  value: unknown,
  mentioning: ReadonlyMap<JsonObject, readonly TextPart[]>,
  parts: TextPart[],
  depth: number,
): void {
  // A schema is at most two levels below its parent schema.
  if (typeof value !== "object" || value === null || depth > 2 * MAX_DEPTH) {
    parts.push(JSON.stringify(value));
    return;
  }
  const isList = Array.isArray(value);
  parts.push(isList ? "[" : "{");
  const described = isJsonObject(value) ? mentioning.get(value) : undefined;
  let separator = "";
  for (const [key, each] of Object.entries(value)) {
    parts.push(isList ? separator : `${separator}${JSON.stringify(key)}:`);
    separator = ",";
    if (key !== "description" || described === undefined) writeJson(each, mentioning, parts, depth + 1);
    else
      parts.push('"', ...described.map((part) => (typeof part === "string" ? escapeJson(part) : part)), '"');
  }
  parts.push(isList ? "]" : "}");
}

function joinParts(parts: readonly TextPart[]): JsonText {
  const pieces: string[] = [];
  const mentions: JsonMention[] = [];
  let at = 0;
  for (const part of parts) {
    const piece = typeof part === "string" ? part : escapeJson(part.raw);
    if (typeof part !== "string") mentions.push({ start: at, end: at + piece.length, raw: part.raw });
    pieces.push(piece);
    at += piece.length;
  }
  return { text: pieces.join(""), mentions };
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
