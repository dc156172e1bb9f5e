// What zod found wrong, in words: the path, what should stand there, what does, and the way out (CFG-2).

import { quoteText } from "@onym/core";
import * as z from "zod/mini";
import type { JsonPath } from "../json/json-path.js";
import { didYouMean } from "../json/near-text.js";

export interface DescribedIssue {
  readonly code: "wrong-type" | "unknown-key" | "missing-key";
  readonly path: JsonPath;
  readonly message: string;
  readonly fix: string;
}

type Issue = z.core.$ZodIssue;

/** Describes every issue that `schema` has with `value`. */
export function describeIssues(schema: z.core.$ZodType, value: unknown): readonly DescribedIssue[] {
  const encoded = encodeKeys(value);
  const result = z.safeParse(schema, encoded);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => describeIssue(issue, [], schema, encoded));
}

function describeIssue(
  issue: Issue,
  above: JsonPath,
  schema: z.core.$ZodType,
  value: unknown,
): readonly DescribedIssue[] {
  const path = [...above, ...(issue.path as JsonPath)];
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => ({
      code: "unknown-key",
      path: plainPath([...path, key]),
      message: `There is no key ${quoteText(decodeKey(key))} here.`,
      fix: `${didYouMean(key, known)}The keys here are ${known.join(", ")}.`,
    }));
  }
  const actual = valueAt(value, path);
  if (issue.code === "invalid_union") {
    // The alternative that took the value itself, and stumbled over something inside, is the one that was meant.
    const meant = issue.errors.find((branch) => branch.every(({ path: inner }) => inner.length > 0));
    if (meant !== undefined) return meant.flatMap((inner) => describeIssue(inner, path, schema, value));
  }
  const expected = [...new Set(expectations(issue))].join(" or ");
  const isMissing = actual === undefined;
  return [
    {
      code: isMissing ? "missing-key" : "wrong-type",
      path: plainPath(path),
      message: isMissing
        ? `This is missing; it should be ${expected}.`
        : `Should be ${expected}, is ${nameOf(actual)}.`,
      fix: fixOf(issue, actual, expected),
    },
  ];
}

function fixOf(issue: Issue, actual: unknown, expected: string): string {
  if (issue.code === "invalid_value" && typeof actual === "string") {
    return `${didYouMean(actual, issue.values.map(String))}Write ${expected}.`;
  }
  return `Write ${expected}.`;
}

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["null", "null"],
]);

function expectations(issue: Issue): readonly string[] {
  // A schema may say in its own words what it takes.
  if (issue.message !== "Invalid input") return [issue.message];
  switch (issue.code) {
    case "invalid_type":
      return [EXPECTED.get(issue.expected) ?? issue.expected];
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value));
    case "invalid_union":
      return issue.errors.flatMap((branch) => branch.slice(0, 1).flatMap(expectations));
    default:
      return ["something else"];
  }
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return quoteText(value, 40);
  return typeof value === "object" ? "an object" : String(value);
}

/** The keys that the object at this path may have. */
function knownKeys(schema: z.core.$ZodType, path: JsonPath): readonly string[] {
  let current: unknown = unwrapped(schema);
  for (const part of path) {
    current = alternativeFor(current, part);
    if (current instanceof z.ZodMiniObject) current = unwrapped(current.shape[String(part)]);
    else if (current instanceof z.ZodMiniRecord) current = unwrapped(current.def.valueType);
    else if (current instanceof z.ZodMiniArray) current = unwrapped(current.def.element);
  }
  const meant = alternativeFor(current, "");
  return meant instanceof z.ZodMiniObject ? Object.keys(meant.shape) : [];
}

/** Of several alternatives the one that has such parts: a list by number, an object by key. */
function alternativeFor(schema: unknown, part: string | number): unknown {
  if (!(schema instanceof z.ZodMiniUnion)) return schema;
  const kind = typeof part === "number" ? z.ZodMiniArray : z.ZodMiniObject;
  return schema.def.options.find((option) => option instanceof kind) ?? schema;
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema;
}

function valueAt(value: unknown, path: JsonPath): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Reflect.get(current, typeof part === "number" ? part : String(part));
  }
  return current;
}

function plainPath(path: JsonPath): JsonPath {
  return path.map((part) => (typeof part === "string" ? decodeKey(part) : part));
}

// zod passes over the key `__proto__` of a record without a word, and such a server is to be named or refused, not
// lost. So that key, and every key it could be mistaken for, is checked with a NUL in front.

function encodeKeys(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(encodeKeys);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const encoded = entries.map(([key, inner]) => [encodeKey(key), encodeKeys(inner)] as const);
  const isSame = encoded.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(encoded);
}

function encodeKey(key: string): string {
  return /^\0*__proto__$/.test(key) ? `\0${key}` : key;
}

function decodeKey(key: string): string {
  return /^\0+__proto__$/.test(key) ? key.slice(1) : key;
}
