// Repairs list entries for clients. SDK clients reject a whole list because of one member of the wrong type,
// so such members are left out, and one bad entry harms no other (NAME-5).

import { isJsonObject, type JsonObject } from "../../mcp/json.js";

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
