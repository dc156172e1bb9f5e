// One tool as it is listed, without its name: serialised once, shared by every profile. A list is a table plus these.

import type { JsonObject } from "../../rpc/json.js";
import { isJsonObject } from "../../rpc/json.js";
import type { TextPart } from "../references/find-references.js";

/** Everything of a listed tool that does not depend on who looks at it. */
export interface ToolBody {
  /** `undefined` where the downstream gave none. */
  readonly description: readonly TextPart[] | undefined;
  /** `"title":"…","inputSchema":{…}`: members of the entry beside name, description and `_meta`. */
  readonly members: string;
  /** The same for clients up to 2025-11-25, which take only objects as structured output. */
  readonly legacyMembers: string;
  /** Members of `_meta` that are the downstream's own; empty or ending in a comma. */
  readonly meta: string;
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

const OWN_META: ReadonlySet<string> = new Set(["source_server", "toolbox_name", "original_name"]);

/**
 * Serialises a tool. What would make a client refuse the whole list is mended here, so that one bad tool harms no
 * other (NAME-5): a schema that is no object becomes the empty one, other members of the wrong type are left out.
 */
export function buildToolBody(
  tool: JsonObject,
  findReferences: (text: string) => readonly TextPart[],
): ToolBody {
  const { description } = tool;
  const members: string[] = [];
  const legacy: string[] = [];
  const put = (key: string, value: unknown, isModernOnly: boolean): void => {
    const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    members.push(member);
    if (!isModernOnly) legacy.push(member);
  };
  put("inputSchema", inputSchemaOf(tool["inputSchema"]), false);
  for (const [key, value] of Object.entries(tool)) {
    if (OWN_MEMBERS.has(key) || key === "inputSchema" || !isFit(key, value)) continue;
    put(key, value, key === "outputSchema" && !isObjectSchema(value));
  }
  return {
    description: typeof description === "string" ? findReferences(description) : undefined,
    members: members.join(","),
    legacyMembers: legacy.join(","),
    meta: foreignMeta(tool["_meta"]),
  };
}

function foreignMeta(meta: unknown): string {
  if (!isJsonObject(meta)) return "";
  return Object.entries(meta)
    .filter(([key]) => !OWN_META.has(key) && !key.startsWith("onym/"))
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`)
    .join("");
}

/** The specification wants an object schema; clients refuse a list that holds anything else. */
function inputSchemaOf(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return { type: "object" };
  const { properties, required } = schema;
  const badProperties = properties !== undefined && !isJsonObject(properties);
  const badRequired =
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === "string"));
  if (isObjectSchema(schema) && !badProperties && !badRequired) return schema;
  return Object.fromEntries([
    ["type", "object"],
    ...Object.entries(schema).filter(
      ([key]) =>
        key !== "type" && !(key === "properties" && badProperties) && !(key === "required" && badRequired),
    ),
  ]);
}

function isObjectSchema(schema: unknown): boolean {
  return isJsonObject(schema) && schema["type"] === "object";
}

function isFit(key: string, value: unknown): boolean {
  switch (key) {
    case "title":
      return typeof value === "string";
    case "annotations":
    case "outputSchema":
      return isJsonObject(value);
    case "icons":
      return (
        Array.isArray(value) && value.every((icon) => isJsonObject(icon) && typeof icon["src"] === "string")
      );
    default:
      return true;
  }
}
