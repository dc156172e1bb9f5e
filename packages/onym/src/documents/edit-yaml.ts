// One edit in a YAML text: an entry of a mapping or of a list, in block style. What is written inline is left to the caller to refuse.

import { isCollection, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from "yaml";
import type { Edit, EditStep } from "./edit.js";

/** `undefined` where the text has no such place. The caller checks what came of it. */
export function editYaml(text: string, { path, value }: Edit): string | undefined {
  const { contents, errors } = parseDocument(text, { logLevel: "silent" });
  if (errors.length > 0) return undefined;
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const { places, container } = locate(text, contents, path);
  const last = places.at(-1);
  const isFound = places.length === path.length;
  if (value === undefined) {
    if (!isFound || last === undefined) return text;
    return text.slice(0, last.start) + text.slice(last.end);
  }
  if (isFound && last !== undefined) {
    const lines = write(nested(path.slice(-1), value), columnOf(text, last.at));
    return text.slice(0, last.start) + lines.join(eol) + eol + text.slice(last.end);
  }
  const missing = nested(path.slice(places.length), value);
  if (isCollection(container) && container.flow !== true && container.items.length > 0) {
    const end = endOfLines(text, container.range?.[1] ?? text.length);
    const column = columnOf(text, startOf(text, container));
    return insertLines(text, end, write(missing, column), eol);
  }
  if (!isEmpty(container)) return undefined;
  if (last === undefined) return insertLines(text, text.length, write(missing, 0), eol);
  const head = text.slice(last.start, last.keyEnd);
  const rest = text.slice(last.keyEnd, last.end);
  const isOneLine = rest.indexOf("\n") < 0 || rest.indexOf("\n") === rest.length - 1;
  const comment = isOneLine ? /\s(#[^\n]*)/.exec(rest)?.[1]?.trimEnd() : undefined;
  const first = `${head}:${comment === undefined ? "" : ` ${comment}`}`;
  const lines = [first, ...write(missing, columnOf(text, last.at) + UNIT)];
  return text.slice(0, last.start) + lines.join(eol) + eol + text.slice(last.end);
}

const UNIT = 2;

/** Where an entry is written: its lines, from the start of the first to the end of the last. */
interface Place {
  /** Where the key or the dash stands. */
  readonly at: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** As far along the path as there is something, and what is there. */
function locate(
  text: string,
  root: Node | null,
  path: readonly EditStep[],
): { readonly places: readonly Place[]; readonly container: Node | null } {
  const places: Place[] = [];
  let container = root;
  for (const step of path) {
    const found = typeof step === "string" ? findKey(container, step) : findNamed(text, container, step.name);
    if (found === undefined) break;
    const { at, keyEnd, value } = found;
    const end = endOfLines(text, Math.max(value?.range?.[1] ?? keyEnd, keyEnd));
    places.push({ at, keyEnd, start: text.lastIndexOf("\n", at - 1) + 1, end });
    container = value;
  }
  return { places, container };
}

interface Found {
  readonly at: number;
  readonly keyEnd: number;
  readonly value: Node | null;
}

function findKey(node: Node | null, step: string): Found | undefined {
  if (!isMap(node) || node.flow === true) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  if (pair === undefined || !isNode(pair.key) || pair.key.range == null) return undefined;
  const [at, keyEnd] = pair.key.range;
  return { at, keyEnd, value: isNode(pair.value) ? pair.value : null };
}

function findNamed(text: string, node: Node | null, name: string): Found | undefined {
  if (!isSeq(node) || node.flow === true) return undefined;
  const item = node.items.find((one) => isMap(one) && one.get("name") === name);
  if (!isMap(item) || item.range == null) return undefined;
  const at = dashBefore(text, item.range[0]);
  return { at, keyEnd: at + 1, value: item };
}

function dashBefore(text: string, offset: number): number {
  return text.lastIndexOf("-", offset - 1);
}

function startOf(text: string, node: Node): number {
  const start = node.range?.[0] ?? 0;
  if (!isSeq(node)) return start;
  const [first] = node.items;
  return isNode(first) ? dashBefore(text, first.range?.[0] ?? start) : start;
}

function isEmpty(node: Node | null): boolean {
  if (node === null) return true;
  return isCollection(node) ? node.items.length === 0 : isScalar(node) && node.value === null;
}

/** The end of the line on which the last character before `end` stands. */
function endOfLines(text: string, end: number): number {
  const written = text.slice(0, end).trimEnd().length;
  const stop = text.indexOf("\n", written);
  return stop < 0 ? text.length : stop + 1;
}

function insertLines(text: string, at: number, lines: readonly string[], eol: string): string {
  const before = text.slice(0, at);
  const start = before === "" || before.endsWith("\n") ? before : before + eol;
  return start + lines.join(eol) + eol + text.slice(at);
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function nested(path: readonly EditStep[], value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, step) => (typeof step === "string" ? { [step]: inner } : [inner]),
    value,
  );
}

/** A whole value, in block style. */
export function formatYaml(value: unknown): string {
  return write(value, 0).join("\n");
}

/** Block style; lists of plain values on one line. A JSON string is a string of YAML. */
function write(value: unknown, column: number): readonly string[] {
  const indent = " ".repeat(column);
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const [first = "", ...rest] = write(item, column + UNIT);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  if (typeof value !== "object" || value === null) return [`${indent}${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([key, member]) => {
    const name =
      /^[A-Za-z][\w-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key)
        ? key
        : JSON.stringify(key);
    if (member === undefined) return [];
    if (isInline(member)) return [`${indent}${name}: ${writeInline(member)}`];
    return [`${indent}${name}:`, ...write(member, column + UNIT)];
  });
}

function isInline(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const members: readonly unknown[] = Object.values(value);
  return (
    members.length === 0 ||
    (Array.isArray(value) && members.every((item) => typeof item !== "object" || item === null))
  );
}

function writeInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  return JSON.stringify(value);
}
