// One listed tool without its name: serialized once, shared by every profile. A list is a table plus these.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";

import type { FindReferences, TextPart } from "../references/find-references.js";
import { isCompilableSchema, repairMembers, TOOL_MEMBERS } from "./repair-entry.js";

import { formatSchemaMember, type JsonText, joinMembers, plainJson, readSchemaTexts } from "./schema-text.js";

/** Everything in a listed tool that does not depend on the caller. */
export interface ToolBody {
  /** `undefined` if the server sent none. */
  readonly description: readonly TextPart[] | undefined;
  /** `"title":"…","inputSchema":{…}`: members of the entry beside name, description and `_meta`. */
  readonly members: JsonText;
  /** The same for clients up to 2025-11-25, which accept only objects as structured output. */
  readonly legacyMembers: JsonText;
  /** The server's own members of `_meta`; empty or ending in a comma. */
  readonly meta: string;
  /** The schemas among the members are unchanged. */
  readonly isFaithful: boolean;
  /** Total length, in characters. */
  readonly length: number;
}

/** Set by Onym, or useless here: a server's values of these are not passed on. `execution` offers tasks. */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "_meta",
  "execution",
  "canonical_name",
  "openai_name",
  "cursor_name",
  "source_server",
  "toolbox_name",
]);

/** Members of `_meta` with the origin of a tool. */
export const OWN_META: ReadonlySet<string> = new Set(["source_server", "toolbox_name", "original_name"]);

/**
 * Serializes a tool. Repairs what would make a client reject the whole list, so that one bad tool harms no
 * other (NAME-5): a schema that is not an object becomes the empty one, other members of the wrong type are
 * left out.
 */
export function buildToolBody(tool: JsonObject, findReferences: FindReferences): ToolBody {
  const { description } = tool;
  const members: JsonText[] = [];
  const legacy: JsonText[] = [];
  const put = (key: string, value: unknown): JsonText =>
    plainJson(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const schema = repairObjectSchema(tool["inputSchema"]);
  const texts = readSchemaTexts(schema);
  const input = formatSchemaMember("inputSchema", schema, texts, findReferences);
  members.push(input);
  legacy.push(input);
  const repaired = repairMembers(tool, TOOL_MEMBERS);
  for (const [key, value] of Object.entries(repaired)) {
    if (OWN_MEMBERS.has(key) || key === "inputSchema") continue;
    if (key !== "outputSchema") {
      const member = put(key, value);
      members.push(member);
      legacy.push(member);
      continue;
    }
    members.push(put(key, value));
    if (isJsonObject(value) && value["type"] === "object" && isCompilableSchema(value))
      legacy.push(put(key, repairObjectSchema(value)));
  }
  const whole = joinMembers(members);
  const wholeLegacy = joinMembers(legacy);
  const meta = foreignMeta(tool["_meta"]);
  return {
    description: typeof description === "string" ? findReferences(description, texts.own) : undefined,
    members: whole,
    // Share one text if both are equal.
    legacyMembers: wholeLegacy.text === whole.text ? whole : wholeLegacy,
    meta,
    isFaithful: schema === tool["inputSchema"] && repaired["outputSchema"] === tool["outputSchema"],
    length: whole.text.length + meta.length + (typeof description === "string" ? description.length : 0),
  };
}

function foreignMeta(meta: unknown): string {
  if (!isJsonObject(meta)) return "";
  return Object.entries(meta)
    .filter(([key]) => !OWN_META.has(key) && !key.startsWith("onym/"))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`)
    .join("");
}

/**
 * The specification requires an object schema; clients reject a list with anything else. They also reject
 * `true` and `false` among the properties, which JSON Schema allows: these are written as objects.
 */
function repairObjectSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return { type: "object" };
  const repaired = repairMembers(schema, OBJECT_SCHEMA);
  return repaired["type"] === "object" ? repaired : { type: "object", ...repaired };
}

const OBJECT_SCHEMA = new Map<string, (value: unknown) => unknown>([
  ["type", (type) => (type === "object" ? type : undefined)],
  ["properties", (properties) => (isJsonObject(properties) ? repairProperties(properties) : undefined)],
  [
    "required",
    (names) => (Array.isArray(names) && names.every((name) => typeof name === "string") ? names : undefined),
  ],
]);

function repairProperties(properties: JsonObject): JsonObject {
  const isFit = (schema: unknown): boolean => typeof schema === "object" && schema !== null;
  if (Object.values(properties).every(isFit)) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isFit(schema) ? schema : schema === false ? { not: {} } : {},
    ]),
  );
}
