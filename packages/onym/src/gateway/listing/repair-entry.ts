// Entries of lists as clients take them. SDK clients refuse a whole list because of one member of the wrong type, so
// such members are left out, and one bad entry harms no other (NAME-5).

import { isJsonObject, type JsonObject } from "../../mcp/json.js";

type Mend = (value: unknown) => unknown;

/**
 * Members of these names, mended by these rules; others stay as they are. What is mended to `undefined` goes. An entry with
 * nothing to mend is returned as it is.
 */
export function mendMembers(entry: JsonObject, rules: ReadonlyMap<string, Mend>): JsonObject {
  let mended: [string, unknown][] | undefined;
  for (const key of Object.keys(entry)) {
    const mend = rules.get(key);
    if (mend === undefined) continue;
    const value = mend(entry[key]);
    if (value === entry[key]) continue;
    mended ??= Object.entries(entry);
    const at = mended.findIndex(([name]) => name === key);
    mended.splice(at, 1, ...(value === undefined ? [] : ([[key, value]] as [string, unknown][])));
  }
  return mended === undefined ? entry : Object.fromEntries(mended);
}

const text: Mend = (value) => (typeof value === "string" ? value : undefined);
const object: Mend = (value) => (isJsonObject(value) ? value : undefined);
const flag: Mend = (value) => (typeof value === "boolean" ? value : undefined);
const texts: Mend = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
const number: Mend = (value) => (typeof value === "number" ? value : undefined);

function members(rules: readonly (readonly [string, Mend])[]): Mend {
  const byKey = new Map(rules);
  return (value) => (isJsonObject(value) ? mendMembers(value, byKey) : undefined);
}

/** The entries of a list that hold a text under `key`, each mended. */
function entries(key: string, mend: Mend): Mend {
  return (value) =>
    Array.isArray(value)
      ? value.filter((each) => isJsonObject(each) && typeof each[key] === "string").map(mend)
      : undefined;
}

const theme: Mend = (value) => (value === "light" || value === "dark" ? value : undefined);
const icons = entries(
  "src",
  members([
    ["mimeType", text],
    ["sizes", texts],
    ["theme", theme],
  ]),
);

export const TOOL_MEMBERS: ReadonlyMap<string, Mend> = new Map([
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

export const PROMPT_MEMBERS: ReadonlyMap<string, Mend> = new Map([
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

const audience: Mend = (value) =>
  Array.isArray(value) && value.every((role) => role === "user" || role === "assistant") ? value : undefined;
const priority: Mend = (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined);
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const moment: Mend = (value) =>
  typeof value === "string" && MOMENT.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const RESOURCE_MEMBERS: ReadonlyMap<string, Mend> = new Map([
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
