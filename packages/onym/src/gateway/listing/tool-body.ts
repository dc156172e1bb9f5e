// One tool as it is listed, without its name: serialised once, shared by every profile. A list is a table plus these.

import type { JsonObject } from "../../mcp/json.js";
import { isJsonObject } from "../../mcp/json.js";
import type { FindReferences, TextPart } from "../references/find-references.js";
import { isCompilableSchema } from "./check-schema.js";
import { repairMembers, TOOL_MEMBERS } from "./repair-entry.js";
import { formatSchemaMember, type JsonText, joinMembers, plainJson, readSchemaTexts } from "./schema-text.js";

/** Everything of a listed tool that does not depend on who looks at it. */
export interface ToolBody {
  /** `undefined` where the downstream gave none. */
  readonly description: readonly TextPart[] | undefined;
  /** `"title":"…","inputSchema":{…}`: members of the entry beside name, description and `_meta`. */
  readonly members: JsonText;
  /** The same for clients up to 2025-11-25, which take only objects as structured output. */
  readonly legacyMembers: JsonText;
  /** Members of `_meta` that are the downstream's own; empty or ending in a comma. */
  readonly meta: string;
  /** The schemas among the members are as the downstream gave them. */
  readonly isFaithful: boolean;
  /** Of all of it, in characters. */
  readonly length: number;
}

/** Ours, or of no use here: a downstream's values of these are not passed on. `execution` offers tasks. */
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

/** Members of `_meta` that say where a tool comes from. */
export const OWN_META: ReadonlySet<string> = new Set(["source_server", "toolbox_name", "original_name"]);

/**
 * Serialises a tool. What would make a client refuse the whole list is repaired here, so that one bad tool harms no
 * other (NAME-5): a schema that is no object becomes the empty one, other members of the wrong type are left out.
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
    // One text where both are the same.
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
 * The specification wants an object schema; clients refuse a list that holds anything else. They also refuse `true` and
 * `false` among the properties, which JSON Schema allows: these are spelled out.
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
