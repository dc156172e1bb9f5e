// One edit in a JSON text, as editors write it: comments, trailing commas, indentation and line ends stay.

import { createScanner, getNodeValue, type Node, parseTree } from "jsonc-parser";
import type { Edit, EditStep } from "./edit.js";

/** `undefined` where the text has no such place. The caller checks what came of it. */
export function editJson(text: string, { path, value }: Edit): string | undefined {
  const source = text.trim() === "" ? `{}${lineEndOf(text)}` : text;
  const root = parseTree(source, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  let node = root;
  for (const [index, step] of path.entries()) {
    const child = childOf(node, step);
    if (child === undefined) {
      if (value === undefined) return source;
      return insert(source, node, step, nested(path.slice(index + 1), value));
    }
    if (index === path.length - 1 && value === undefined) return removeChild(source, node, child.whole);
    node = child.value;
  }
  return replaceValue(source, node, value);
}

interface Child {
  /** With its key, where it has one. */
  readonly whole: Node;
  readonly value: Node;
}

function childOf(node: Node, step: EditStep): Child | undefined {
  for (const child of node.children ?? []) {
    if (typeof step === "string") {
      const [key, value] = node.type === "object" ? (child.children ?? []) : [];
      if (key?.value === step && value !== undefined) return { whole: child, value };
    } else if (node.type === "array") {
      const name = child.type === "object" ? childOf(child, "name")?.value.value : undefined;
      if (name === step.name) return { whole: child, value: child };
    }
  }
  return undefined;
}

function nested(path: readonly EditStep[], value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, step) => (typeof step === "string" ? { [step]: inner } : [inner]),
    value,
  );
}

/** Lists of plain values change item by item, so that comments between them stay. */
function replaceValue(text: string, node: Node, value: unknown): string {
  if (node.type === "array" && Array.isArray(value) && [...value, ...valuesOf(node)].every(isPlain)) {
    const added = value.filter((item) => !valuesOf(node).includes(item));
    let edited = text;
    for (const item of valuesOf(node).filter((one) => !value.includes(one))) {
      const list = nodeAt(edited, node.offset);
      const gone = list?.children?.find((child) => child.value === item);
      if (list !== undefined && gone !== undefined) edited = removeChild(edited, list, gone);
    }
    for (const item of added) {
      const list = nodeAt(edited, node.offset);
      if (list !== undefined) edited = insertText(edited, list, JSON.stringify(item));
    }
    return edited;
  }
  const appended = node.type === "array" && Array.isArray(value) ? appendedTo(node, value) : undefined;
  if (appended !== undefined) {
    const inner = childIndent(text, node);
    return appended.reduce<string>((edited, item) => {
      const list = nodeAt(edited, node.offset);
      return list === undefined ? edited : insertText(edited, list, format(item, text, inner, false));
    }, text);
  }
  const indent = indentAt(text, node.offset);
  const written = isOneLine(text, node) && node.type !== "string" && (node.children ?? []).length > 0;
  return splice(text, node.offset, endOf(node), format(value, text, indent, written));
}

/** What a list has at its end beyond what it had; `undefined` where it is another list. */
function appendedTo(list: Node, value: readonly unknown[]): readonly unknown[] | undefined {
  const before: readonly unknown[] = (list.children ?? []).map((child) => getNodeValue(child) as unknown);
  const isKept = before.every((item, index) => JSON.stringify(item) === JSON.stringify(value[index]));
  return isKept ? value.slice(before.length) : undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function valuesOf(list: Node): readonly unknown[] {
  return (list.children ?? []).map((child) => (child.children === undefined ? child.value : {}));
}

/** The list or object that starts there, after what was before it stayed the same. */
function nodeAt(text: string, offset: number): Node | undefined {
  const find = (node: Node): Node | undefined =>
    node.offset === offset && (node.type === "array" || node.type === "object")
      ? node
      : node.children?.map(find).find((found) => found !== undefined);
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : find(root);
}

function insert(text: string, node: Node, step: EditStep, value: unknown): string | undefined {
  if (typeof step === "string" ? node.type !== "object" : node.type !== "array") return undefined;
  const indent = childIndent(text, node);
  const isInline = isOneLine(text, node) && (node.children ?? []).length > 0;
  const written = format(value, text, indent, isInline);
  return insertText(text, node, typeof step === "string" ? `${JSON.stringify(step)}: ${written}` : written);
}

/** After the last child; behind a comment that stands on its line, and with a comma after it where that was the habit. */
function insertText(text: string, node: Node, entry: string): string {
  const last = node.children?.at(-1);
  const eol = lineEndOf(text);
  const close = endOf(node) - 1;
  const indent = childIndent(text, node);
  if (last === undefined) {
    const inner = text.slice(node.offset + 1, close);
    if (inner.trim() === "") {
      const outer = indentAt(text, node.offset);
      return splice(text, node.offset + 1, close, `${eol}${indent}${entry}${eol}${outer}`);
    }
    const kept = inner.trimEnd();
    const tail = inner.slice(kept.length);
    const end = tail.includes("\n") ? tail : `${eol}${indentAt(text, node.offset)}`;
    return splice(text, node.offset + 1 + kept.length, close, `${eol}${indent}${entry}${end}`);
  }
  const comma = commaAfter(text, endOf(last));
  if (isOneLine(text, node)) {
    if (comma !== undefined) return splice(text, comma + 1, comma + 1, ` ${entry},`);
    return splice(text, endOf(last), endOf(last), `, ${entry}`);
  }
  const from = comma === undefined ? endOf(last) : comma + 1;
  const at =
    from +
    (/^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?/.exec(text.slice(from))?.[0].trimEnd().length ?? 0);
  const withEntry = splice(text, at, at, `${eol}${indent}${entry}${comma === undefined ? "" : ","}`);
  return comma === undefined ? splice(withEntry, endOf(last), endOf(last), ",") : withEntry;
}

/** With the comma that parted it from its neighbours, and with its line where nothing else stands there. */
function removeChild(text: string, parent: Node, child: Node): string {
  const siblings = parent.children ?? [];
  const before = siblings[siblings.indexOf(child) - 1];
  const after = commaAfter(text, endOf(child));
  const end = after === undefined ? endOf(child) : after + 1;
  const lineStart = text.lastIndexOf("\n", child.offset - 1) + 1;
  const isFirst = text.slice(lineStart, child.offset).trim() === "";
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?:\r?\n|$)/.exec(text.slice(end))?.[0];
  const isWhole = isFirst && rest !== undefined && endOf(parent) > end + rest.length;
  const blanks = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const cut = isWhole
    ? splice(text, lineStart, end + rest.length, "")
    : splice(text, child.offset, after === undefined ? end : end + blanks, "");
  if (after !== undefined || before === undefined) return cut;
  const comma = commaAfter(text, endOf(before));
  if (comma === undefined) return cut;
  const isBeside = !isWhole && text.slice(comma + 1, child.offset).trim() === "";
  return splice(cut, comma, isBeside ? child.offset : comma + 1, "");
}

/** Comments and blanks may stand before it. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text.charAt(at) === "," ? at : undefined;
}

/** Lists of plain values on one line, as people write them; everything on one where the file does. */
function format(value: unknown, text: string, indent: string, isInline: boolean): string {
  if (isInline || isPlain(value)) return JSON.stringify(value);
  const unit = unitOf(text);
  const inner = indent + unit;
  const eol = lineEndOf(text);
  if (Array.isArray(value) && value.every(isPlain))
    return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  const members = Array.isArray(value)
    ? value.map((item) => format(item, text, inner, false))
    : Object.entries(Object(value)).flatMap(([key, member]) =>
        member === undefined ? [] : [`${JSON.stringify(key)}: ${format(member, text, inner, false)}`],
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return open + close;
  return `${open}${eol}${members.map((member) => inner + member).join(`,${eol}`)}${eol}${indent}${close}`;
}

function childIndent(text: string, node: Node): string {
  const [first] = node.children ?? [];
  const own = indentAt(text, node.offset);
  if (first === undefined) return own + unitOf(text);
  const lineStart = text.lastIndexOf("\n", first.offset - 1) + 1;
  return text.slice(lineStart, first.offset).trim() === "" && lineStart > node.offset
    ? text.slice(lineStart, first.offset)
    : own + unitOf(text);
}

/** The blanks at the start of a line. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/** By the first key that stands on a line of its own. */
function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function isOneLine(text: string, node: Node): boolean {
  return !text.slice(node.offset, endOf(node)).includes("\n");
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}
