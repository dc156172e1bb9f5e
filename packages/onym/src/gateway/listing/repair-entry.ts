// Repairs list entries for clients. SDK clients reject a whole list because of one member of the wrong type,
// so such members are left out, and one bad entry harms no other (NAME-5).

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";

type Repair = (value: unknown) => unknown;

/**
 * Repairs the members that have a rule; others stay. A member repaired to `undefined` is removed. An entry
 * without faults is returned unchanged.
 */
export function repairMembers(entry: JsonObject, rules: ReadonlyMap<string, Repair>): JsonObject {
  let repaired: [string, unknown][] | undefined;
  for (const key of Object.keys(entry)) {
    const repair = rules.get(key);
    if (repair === undefined) continue;
    const value = repair(entry[key]);
    if (value === entry[key]) continue;
    repaired ??= Object.entries(entry);
    const at = repaired.findIndex(([name]) => name === key);
    repaired.splice(at, 1, ...(value === undefined ? [] : ([[key, value]] as [string, unknown][])));
  }
  return repaired === undefined ? entry : Object.fromEntries(repaired);
}

const text: Repair = (value) => (typeof value === "string" ? value : undefined);
const object: Repair = (value) => (isJsonObject(value) ? value : undefined);
const flag: Repair = (value) => (typeof value === "boolean" ? value : undefined);
const texts: Repair = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
const number: Repair = (value) => (typeof value === "number" ? value : undefined);

function members(rules: readonly (readonly [string, Repair])[]): Repair {
  const byKey = new Map(rules);
  return (value) => (isJsonObject(value) ? repairMembers(value, byKey) : undefined);
}

/** The entries of a list with a text under `key`, each repaired. */
function entries(key: string, repair: Repair): Repair {
  return (value) =>
    Array.isArray(value)
      ? value.filter((each) => isJsonObject(each) && typeof each[key] === "string").map(repair)
      : undefined;
}

const theme: Repair = (value) => (value === "light" || value === "dark" ? value : undefined);
const icons = entries(
  "src",
  members([
    ["mimeType", text],
    ["sizes", texts],
    ["theme", theme],
  ]),
);

export const TOOL_MEMBERS: ReadonlyMap<string, Repair> = new Map([
  ["title", text],
  ["icons", icons],
  ["outputSchema", object],
  [
    "annotations",
    members([
      ["title", text],
      ["readOnlyHint", flag],
      ["destructiveHint", flag],
      ["idempotentHint", flag],
      ["openWorldHint", flag],
    ]),
  ],
]);

export const PROMPT_MEMBERS: ReadonlyMap<string, Repair> = new Map([
  ["title", text],
  ["description", text],
  ["icons", icons],
  ["_meta", object],
  [
    "arguments",
    entries(
      "name",
      members([
        ["title", text],
        ["description", text],
        ["required", flag],
      ]),
    ),
  ],
]);

const audience: Repair = (value) =>
  Array.isArray(value) && value.every((role) => role === "user" || role === "assistant") ? value : undefined;
const priority: Repair = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const moment: Repair = (value) =>
  typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const RESOURCE_MEMBERS: ReadonlyMap<string, Repair> = new Map([
  ["title", text],
  ["description", text],
  ["mimeType", text],
  ["size", number],
  ["icons", icons],
  ["_meta", object],
  [
    "annotations",
    members([
      ["audience", audience],
      ["priority", priority],
      ["lastModified", moment],
    ]),
  ],
]);

// Checks whether clients can compile a tool's output schema. SDK clients compile all of them when they list,
// and one failure costs them the whole list, including every other server's tools (NAME-5). The schema is
// only scanned, within limits; nothing is compiled or run here (SAFE-3).

const MAX_DEPTH = 64;
const MAX_SCHEMAS = 5_000;
const MAX_PATTERN_LENGTH = 1_000;
/** In all patterns of one schema: to parse one, such as `\p{L}`, takes up to 0.1 ms (SAFE-4). */
export const MAX_PROPERTY_ESCAPES = 64;
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
  let propertyEscapes = 0;
  const isPattern = (pattern: unknown): boolean => {
    if (typeof pattern !== "string") return false;
    propertyEscapes += countPropertyEscapes(pattern);
    return propertyEscapes <= MAX_PROPERTY_ESCAPES && parses(pattern);
  };
  const visit = (schema: unknown, depth: number): boolean => {
    if (typeof schema === "boolean") return true;
    if (!isJsonObject(schema) || depth > MAX_DEPTH || ++visited > MAX_SCHEMAS) return false;
    const each = (schemas: readonly unknown[]): boolean => schemas.every((child) => visit(child, depth + 1));
    return Object.entries(schema).every(([key, value]) => {
      const check = PLAIN.get(key);
      if (check !== undefined) return check(value);
      if (key === "pattern") return isPattern(value);
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

function countPropertyEscapes(pattern: string): number {
  return pattern.split(/\\p/i).length - 1;
}

/** Parsed, never run. */
function parses(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
