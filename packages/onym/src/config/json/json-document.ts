// A JSON file with the places of everything in it. Comments and trailing commas are taken, as editors write them.

import { quoteText } from "@onym/core";
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { ConfigProblem } from "../config-problem.js";
import type { JsonPath, Place } from "./json-path.js";

export interface JsonDocument {
  /** The file as messages name it. */
  readonly file: string;
  readonly root: Node;
  readonly placeAt: (offset: number) => Place;
}

export type ParsedDocument =
  | { readonly ok: true; readonly document: JsonDocument }
  | { readonly ok: false; readonly problem: ConfigProblem };

/** Deeper nesting would exhaust the stack of code that walks the tree, and no config needs it. */
const DEEPEST = 256;

/** Reads a text as JSON. A byte order mark is skipped. `ifEmpty` is what to write into a file with nothing in it. */
export function parseJsonDocument(text: string, file: string, ifEmpty: string): ParsedDocument {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const placeAt = placeFinder(source, file);
  const refuse = (offset: number, message: string, fix: string): ParsedDocument => {
    return { ok: false, problem: { code: "bad-json", path: "", place: placeAt(offset), message, fix } };
  };

  const tooDeep = firstTooDeep(source);
  if (tooDeep !== undefined) {
    return refuse(tooDeep, `The JSON is nested more than ${DEEPEST} levels deep.`, "Nest it less deeply.");
  }
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (root === undefined || source.trim() === "") {
    return refuse(0, "The file is empty.", ifEmpty);
  }
  if (error !== undefined) {
    const found = source.slice(error.offset, error.offset + Math.max(1, error.length));
    const code = printParseErrorCode(error.error);
    const missing = MISSING.get(code);
    const reason = missing === undefined ? (REASONS.get(code) ?? "unexpected text") : `${missing} is missing`;
    const where = missing === undefined ? "at" : "before";
    return refuse(
      error.offset,
      `It is not JSON: ${reason} ${where} ${showFound(found)}.`,
      "Correct the JSON there.",
    );
  }
  return { ok: true, document: { file, root, placeAt } };
}

/** A string of the file is shown in its own quotes, not in a second pair. */
function showFound(found: string): string {
  if (found === "") return "the end";
  return quoteText(/^"[^"]*"$/.test(found) ? found.slice(1, -1) : found, 30);
}

/** What the text lacks, by the parser's code. */
const MISSING: ReadonlyMap<string, string> = new Map([
  ["PropertyNameExpected", "a key in double quotes"],
  ["ValueExpected", "a value"],
  ["ColonExpected", "a colon"],
  ["CommaExpected", "a comma"],
  ["CloseBraceExpected", "a closing }"],
  ["CloseBracketExpected", "a closing ]"],
]);

/** What the text has and should not, by the parser's code. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["InvalidSymbol", "an unknown word"],
  ["InvalidNumberFormat", "a number that is none"],
  ["EndOfFileExpected", "text after the end"],
  ["UnexpectedEndOfString", "a string without its end"],
  ["InvalidEscapeCharacter", "an escape that is none"],
  ["InvalidUnicode", "an escape that is none"],
  ["InvalidCharacter", "a control character in a string"],
]);

/** The nearest place there is for a path: of the key, the value, or the innermost part that exists. */
export function placeOfPath(document: JsonDocument, path: JsonPath): Place {
  let node = document.root;
  let offset = node.offset;
  for (const part of path) {
    const next = childOf(node, part);
    if (next === undefined) break;
    offset = next.offset;
    node = next.value;
  }
  return document.placeAt(offset);
}

export function nodeOfPath(document: JsonDocument, path: JsonPath): Node | undefined {
  let node: Node | undefined = document.root;
  for (const part of path) node = node === undefined ? undefined : childOf(node, part)?.value;
  return node;
}

function childOf(node: Node, part: string | number): Child | undefined {
  if (typeof part === "number") {
    const value = node.type === "array" ? node.children?.[part] : undefined;
    return value === undefined ? undefined : { offset: value.offset, value };
  }
  return node.type === "object" ? childrenOf(node).get(part) : undefined;
}

interface Child {
  readonly offset: number;
  readonly value: Node;
}

/** By key. Every server and problem looks up its place, so that a scan each time would be quadratic. */
const children = new WeakMap<Node, ReadonlyMap<string, Child>>();

function childrenOf(node: Node): ReadonlyMap<string, Child> {
  const known = children.get(node);
  if (known !== undefined) return known;
  const found = new Map<string, Child>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    // The first of two equal keys counts.
    if (typeof key?.value === "string" && value !== undefined && !found.has(key.value))
      found.set(key.value, { offset: key.offset, value });
  }
  children.set(node, found);
  return found;
}

/** Looks at marks only: the scanner of the parser takes as long for blanks as the parser itself. */
function firstTooDeep(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') at = endOfString(text, at);
    else if (mark === "/" && text[at + 1] === "/") at = endBefore(text, at, /[\r\n]/g);
    else if (mark === "/" && text[at + 1] === "*") at = endBefore(text, at, /\*\//g) + 1;
    else if (mark === "{" || mark === "[") depth++;
    else if (mark === "}" || mark === "]") depth--;
    if (depth > DEEPEST) return at;
  }
  return undefined;
}

/** Where the string ends that begins here, at the latest with its line. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== "\n" && text[at] !== "\r")
    at += text[at] === "\\" ? 2 : 1;
  return at;
}

function endBefore(text: string, start: number, end: RegExp): number {
  end.lastIndex = start + 2;
  return end.exec(text)?.index ?? text.length;
}

/** Line starts are found once, when the first place is asked for. */
function placeFinder(text: string, file: string): (offset: number) => Place {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n?|\n/g), (end) => end.index + end[0].length)];
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
