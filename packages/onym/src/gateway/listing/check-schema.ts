// Checks whether clients can compile a tool's output schema. SDK clients compile all of them when they list,
// and one failure costs them the whole list, including every other server's tools (NAME-5). The schema is
// only scanned, within limits; nothing is compiled or run here (SAFE-3).

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";

const MAX_DEPTH = 64;
const MAX_SCHEMAS = 5_000;
const MAX_PATTERN_LENGTH = 1_000;
const TYPES: ReadonlySet<unknown> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);
const LOCAL_REFERENCE = /^#\/(\$defs|definitions)\/([A-Za-z0-9_.-]+)$/;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isFlag: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNever: Check = () => false;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isType: Check = (value) =>
  Array.isArray(value) ? value.length > 0 && value.every((type) => TYPES.has(type)) : TYPES.has(value);

/** Keywords that hold no schema. Clients ignore unknown keywords, and so does this check. */
const PLAIN: ReadonlyMap<string, Check> = new Map([
  ["type", isType],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["required", isTexts],
  ["format", isText],
  ["pattern", isPattern],
  ["uniqueItems", isFlag],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((key) => [key, isNumber] as const),
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map(
    (key) => [key, isCount] as const,
  ),
  // References beyond the schema, and keywords with conditions of their own.
  ...["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"].map(
    (key) => [key, isNever] as const,
  ),
  ...["$async", "$data", "discriminator"].map((key) => [key, isNever] as const),
]);

const SCHEMA_KEYS = ["additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"];
const LIST_KEYS = ["allOf", "anyOf", "oneOf"];
const MAP_KEYS = ["properties", "patternProperties", "$defs", "definitions"];

export function isCompilableSchema(root: JsonObject): boolean {
  let visited = 0;
  const visit = (schema: unknown, depth: number): boolean => {
    if (typeof schema === "boolean") return true;
    if (!isJsonObject(schema) || depth > MAX_DEPTH || ++visited > MAX_SCHEMAS) return false;
    const each = (schemas: readonly unknown[]): boolean => schemas.every((child) => visit(child, depth + 1));
    return Object.entries(schema).every(([key, value]) => {
      const check = PLAIN.get(key);
      if (check !== undefined) return check(value);
      if (key === "nullable") return isFlag(value) && Object.hasOwn(schema, "type");
      if (key === "$ref") return resolves(value, root);
      if (key === "items") return Array.isArray(value) ? each(value) : visit(value, depth + 1);
      if (SCHEMA_KEYS.includes(key)) return visit(value, depth + 1);
      if (LIST_KEYS.includes(key)) return Array.isArray(value) && value.length > 0 && each(value);
      if (key === "dependencies")
        return isJsonObject(value) && each(Object.values(value).filter((needs) => !isTexts(needs)));
      if (!MAP_KEYS.includes(key)) return true;
      if (!isJsonObject(value)) return false;
      return (
        (key !== "patternProperties" || Object.keys(value).every(isPattern)) && each(Object.values(value))
      );
    });
  };
  return visit(root, 0);
}

function resolves(reference: unknown, root: JsonObject): boolean {
  if (reference === "#") return true;
  const [, place = "", name = ""] =
    typeof reference === "string" ? (LOCAL_REFERENCE.exec(reference) ?? []) : [];
  const defined = ownValue(root, place);
  return isJsonObject(defined) && ownValue(defined, name) !== undefined;
}

/** Parsed, never run. */
function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_LENGTH) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
