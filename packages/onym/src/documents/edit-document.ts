// Edits in the text of a JSON, TOML or YAML file: what is not edited stays as it is, comments included. Each edit is checked by
// reading the new text: where it does not say exactly what was meant, nothing is handed back (LOCK-7).

import { parse as parseToml, TomlError } from "smol-toml";
import { parseDocument } from "yaml";
import { parseJsonDocument } from "../config/json/json-document.js";
import { readValue } from "../config/json/read-value.js";
import type { Edit, EditStep } from "./edit.js";
import { editJson } from "./edit-json.js";
import { editToml } from "./edit-toml.js";
import { editYaml } from "./edit-yaml.js";

export type DocumentFormat = "json" | "toml" | "yaml";

export type EditedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

export type ReadDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

const EDITORS = { json: editJson, toml: editToml, yaml: editYaml } as const;

/** Larger files are no settings. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The value of a text; of an empty one, an empty object. */
export function readDocument(text: string, format: DocumentFormat): ReadDocument {
  if (text.length > MAX_CHARACTERS) return { ok: false, reason: "it is larger than 32 MB" };
  const source = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (source.trim() === "") return { ok: true, value: Object.create(null) };
  return format === "json" ? readJson(source) : format === "toml" ? readToml(source) : readYaml(source);
}

/**
 * The text after all edits, in order.
 *
 * @example
 * editDocument('{ "a": 1 } // note', "json", [{ path: ["b"], value: 2 }]); // { ok: true, text: '{ "a": 1, "b": 2 } // note' }
 */
export function editDocument(text: string, format: DocumentFormat, edits: readonly Edit[]): EditedText {
  const before = readDocument(text, format);
  if (!before.ok) return before;
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  let source = text.slice(mark.length);
  let meant = before.value;
  // JSON is YAML, too, and is edited as what it is.
  const isJson = format === "json" || (format === "yaml" && /^\s*\{/.test(source) && readJson(source).ok);
  const editor = EDITORS[isJson ? "json" : format];
  for (const edit of edits) {
    const edited = editor(source, edit);
    if (edited === undefined) return cannotEdit(edit);
    source = edited;
    meant = applyEdit(meant, edit);
  }
  const after = readDocument(source, format);
  if (after.ok && isSame(after.value, meant)) return { ok: true, text: mark + source };
  // Large files take a while to read, so which edit was wrong is looked for only now.
  const wrong = edits.find(
    (_, at) => at === edits.length - 1 || !editDocument(text, format, edits.slice(0, at + 1)).ok,
  );
  return cannotEdit(wrong ?? { path: [] });
}

const BYTE_ORDER_MARK = "\uFEFF";

function cannotEdit({ path }: Edit): EditedText {
  const shown = path.map((step) => (typeof step === "string" ? step : step.name)).join(".");
  return { ok: false, reason: `${shown} cannot be changed in place, because of how the file is written` };
}

/** The same edit on the value alone: what the text has to say afterwards. */
export function applyEdit(value: unknown, { path, value: set }: Edit): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return set;
  const inner = rest.length === 0 ? set : applyEdit(memberOf(value, step), { path: rest, value: set });
  if (typeof step === "string") {
    const entries = Object.entries(Object(value)).filter(([key]) => key !== step || inner !== undefined);
    const isThere = entries.some(([key]) => key === step);
    const changed = entries.map(([key, member]) => [key, key === step ? inner : member] as const);
    return objectFrom(isThere || inner === undefined ? changed : [...changed, [step, inner]]);
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const at = list.findIndex((item) => memberOf(item, "name") === step.name);
  if (inner === undefined) return list.filter((_, index) => index !== at);
  return at < 0 ? [...list, inner] : list.map((item, index) => (index === at ? inner : item));
}

/** What is at one step of a path. */
export function memberOf(value: unknown, step: EditStep): unknown {
  if (typeof step !== "string")
    return Array.isArray(value) ? value.find((item) => memberOf(item, "name") === step.name) : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined;
}

export function valueAt(value: unknown, path: readonly EditStep[]): unknown {
  return path.reduce<unknown>(memberOf, value);
}

/** Without a prototype: keys are a stranger's (SAFE-1). */
function objectFrom(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}

/** Whatever the order of keys. An object that became empty may be written as nothing at all, or as `null` in YAML. */
export function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [plainOf(one), plainOf(other)];
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at]))
    );
  const isAdded = (key: string): boolean => !Object.hasOwn(a, key) && !isEmpty(plainOf(memberOf(b, key)));
  return (
    Object.keys(a).every((key) => isSame(memberOf(a, key), memberOf(b, key))) && !Object.keys(b).some(isAdded)
  );
}

/** Dates of TOML as their text; numbers that JSON does not have are none. */
function plainOf(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return value instanceof Date ? value.toJSON() : value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== "object" || value instanceof Date) return false;
  return Array.isArray(value)
    ? value.length === 0
    : Object.values(value).every((inner) => isEmpty(plainOf(inner)));
}

function readJson(text: string): ReadDocument {
  const plain = parsePlainJson(text);
  if (plain !== undefined) return { ok: true, value: plain };
  const parsed = parseJsonDocument(text, "", "");
  if (parsed.ok) {
    const { document } = parsed;
    return { ok: true, value: readValue(document.root, [], { document, problems: [] }) };
  }
  const { place, message } = parsed.problem;
  return {
    ok: false,
    reason: `line ${place.line}: ${message.charAt(0).toLowerCase()}${message.slice(1, -1)}`,
  };
}

/** Deeper ones are left to the parser that says where. */
const MAX_PLAIN_DEPTH = 100;

/** Ten times faster for large files; `undefined` where the text has comments or mistakes. */
function parsePlainJson(text: string): unknown {
  try {
    return withoutPrototypes(JSON.parse(text), MAX_PLAIN_DEPTH);
  } catch {
    return undefined;
  }
}

function withoutPrototypes(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new RangeError("too deep");
  if (Array.isArray(value)) return value.map((item) => withoutPrototypes(item, depth - 1));
  return objectFrom(
    Object.entries(value).map(([key, member]) => [key, withoutPrototypes(member, depth - 1)]),
  );
}

function readToml(text: string): ReadDocument {
  try {
    return { ok: true, value: parseToml(text) };
  } catch (error) {
    const line = error instanceof TomlError ? `line ${error.line}: ` : "";
    return { ok: false, reason: `${line}it is not TOML` };
  }
}

/** Aliases multiply: few of them are enough for any settings. */
const MAX_ALIASES = 100;

function readYaml(text: string): ReadDocument {
  const document = parseDocument(text, { logLevel: "silent" });
  const [error] = document.errors;
  const at = error?.linePos?.[0].line;
  if (error !== undefined)
    return { ok: false, reason: `${at === undefined ? "" : `line ${at}: `}it is not YAML` };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, value: value ?? Object.create(null) };
  } catch {
    return { ok: false, reason: "it has more aliases than any settings need" };
  }
}
