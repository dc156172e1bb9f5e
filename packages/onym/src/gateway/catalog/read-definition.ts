// Reads what a server says of a tool or prompt beside its name: every member, so that an approval notices any
// change of the listing (POL-9).

import type { ToolDefinition } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { OWN_META } from "../listing/tool-body.js";

/** Members with a field of their own in a definition: the field, and the check for its value. */
type Fields = ReadonlyMap<string, readonly [keyof ToolDefinition, (value: unknown) => boolean]>;

const isText = (value: unknown): boolean => typeof value === "string";
const isAny = (value: unknown): boolean => value !== undefined;

export const TOOL_FIELDS: Fields = new Map([
  ["title", ["title", isText]],
  ["description", ["description", isText]],
  ["inputSchema", ["inputSchema", isAny]],
  ["outputSchema", ["outputSchema", isAny]],
  ["annotations", ["annotations", isJsonObject]],
  ["icons", ["icons", isAny]],
]);

export const PROMPT_FIELDS: Fields = new Map([
  ["title", ["title", isText]],
  ["description", ["description", isText]],
  ["arguments", ["inputSchema", isAny]],
  ["icons", ["icons", isAny]],
]);

/** Naming keys that another Onym adds; a rename does not change what a tool is. */
const NAMING: ReadonlySet<string> = new Set([
  "name",
  "canonical_name",
  "openai_name",
  "cursor_name",
  "source_server",
  "toolbox_name",
]);

export function readDefinition(listed: JsonObject, fields: Fields): ToolDefinition {
  const known: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [key, value] of Object.entries(listed)) {
    if (NAMING.has(key) || key === "_meta") continue;
    const [field, isFit] = fields.get(key) ?? [];
    if (field === undefined || isFit === undefined) others.push([key, value]);
    else if (isFit(value)) known.push([field, value]);
  }
  const meta = readMeta(listed["_meta"]);
  return {
    ...Object.fromEntries(known),
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

function readMeta(meta: unknown): unknown {
  if (!isJsonObject(meta)) return meta;
  const kept = Object.entries(meta).filter(([key]) => !OWN_META.has(key) && !key.startsWith("onym/"));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
