// One edit in a TOML text: a table (`[mcp_servers.files]`) or an entry of a list of tables (`[[mcp_servers]]`) with all that
// belongs to it. Tables that are written inline or as dotted keys are not found, so that the caller refuses the edit.

import { parse, stringify } from "smol-toml";
import type { Edit, EditStep } from "./edit.js";

/** `undefined` where the text has no such place. The caller checks what came of it. */
export function editToml(text: string, { path, value }: Edit): string | undefined {
  const last = path.at(-1);
  const keys = path.filter((step) => typeof step === "string");
  if (last === undefined || keys.length < path.length - 1) return undefined;
  const sections = findSections(text);
  const owned = sections.filter((section) => isOf(section, keys, last, text, sections));
  const without = owned.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  if (value === undefined) return owned.length === 0 ? text : tidy(without);
  if (typeof value !== "object" || value === null) return undefined;
  const list = typeof last === "string" ? undefined : keys.at(-1);
  const cleared = list === undefined ? without : withoutEmptyList(without, list);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const block = stringify(nested(path, value)).trim().replaceAll("\n", eol);
  return insertBlock(cleared, block, {
    at: owned[0]?.start,
    family: keys.slice(0, list === undefined ? -1 : undefined),
    eol,
  });
}

function nested(path: readonly EditStep[], value: object): Record<string, unknown> {
  const whole = path.reduceRight<unknown>(
    (inner, step) => (typeof step === "string" ? { [step]: inner } : [inner]),
    value,
  );
  return whole as Record<string, unknown>;
}

interface Section {
  readonly keys: readonly string[];
  /** `[[keys]]` */
  readonly isEntry: boolean;
  readonly start: number;
  /** Comments right above the next header are the next one's. */
  readonly end: number;
}

/** Belongs to the table at `keys`, or to the entry of the list at `keys` with that name. */
function isOf(
  section: Section,
  keys: readonly string[],
  last: EditStep,
  text: string,
  sections: readonly Section[],
): boolean {
  if (!startsWith(section.keys, keys)) return false;
  if (typeof last === "string") return true;
  const head = sections.slice(0, sections.indexOf(section) + 1).findLast((one) => isHead(one, keys));
  if (head === undefined) return false;
  try {
    const read: unknown = keys.reduce<unknown>(
      (value, key) => Reflect.get(Object(value), key),
      parse(text.slice(head.start, head.end)),
    );
    return Array.isArray(read) && Reflect.get(Object(read[0]), "name") === last.name;
  } catch {
    return false;
  }
}

function isHead({ keys: own, isEntry }: Section, keys: readonly string[]): boolean {
  return isEntry && own.length === keys.length && startsWith(own, keys);
}

function startsWith(keys: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => keys[index] === key);
}

/** Where the one before stood, else after the last of its family, else at the end. */
function insertBlock(
  text: string,
  block: string,
  {
    at,
    family,
    eol,
  }: { readonly at: number | undefined; readonly family: readonly string[]; readonly eol: string },
): string {
  const kin =
    family.length === 0 ? undefined : findSections(text).findLast(({ keys }) => startsWith(keys, family));
  const offset = at ?? kin?.end ?? text.length;
  const before = text.slice(0, offset).trimEnd();
  const after = text.slice(offset).replace(/^(?:[ \t]*\r?\n)+/, "");
  return `${before}${before === "" ? "" : eol + eol}${block}${eol}${after === "" ? "" : eol + after}`;
}

/** `mcp_servers = []`, as some programs write it, stands in the way of `[[mcp_servers]]`. */
function withoutEmptyList(text: string, key: string): string {
  const lines = text.split("\n");
  const end = findSections(text)[0]?.start ?? text.length;
  let offset = 0;
  return lines
    .filter((line) => {
      const isEmptyList = offset < end && /^\s*([\w-]+)\s*=\s*\[\s*\]\s*$/.exec(line)?.[1] === key;
      offset += line.length + 1;
      return !isEmptyList;
    })
    .join("\n");
}

function tidy(text: string): string {
  return text.trim() === "" ? "" : text;
}

function findSections(text: string): readonly Section[] {
  const headers = findHeaders(text);
  return headers.map(({ keys, isEntry, start }, index) => {
    const next = headers[index + 1]?.start;
    return { keys, isEntry, start, end: next === undefined ? text.length : beforeComments(text, next) };
  });
}

/** Comment lines directly above an offset belong to what follows them. */
function beforeComments(text: string, offset: number): number {
  let start = offset;
  while (start > 0) {
    const above = text.lastIndexOf("\n", start - 2) + 1;
    if (!/^[ \t]*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return start;
}

interface Header {
  readonly keys: readonly string[];
  readonly isEntry: boolean;
  readonly start: number;
}

/** Lines that start a table; brackets in strings, comments and lists over several lines are none. */
function findHeaders(text: string): readonly Header[] {
  const headers: Header[] = [];
  let depth = 0;
  let isLineStart = true;
  let lineStart = 0;
  for (let at = 0; at < text.length; ) {
    const mark = text.charAt(at);
    if (mark === "\n") {
      at++;
      lineStart = at;
      isLineStart = true;
      continue;
    }
    if (mark === "[" && isLineStart && depth === 0) {
      const end = endOfLine(text, at);
      const header = parseHeader(text.slice(at, end));
      if (header !== undefined) headers.push({ ...header, start: lineStart });
      at = end;
      continue;
    }
    if (mark === "#") at = endOfLine(text, at);
    else if (mark === '"' || mark === "'") at = endOfString(text, at, mark);
    else {
      if (mark === "[" || mark === "{") depth++;
      else if (mark === "]" || mark === "}") depth--;
      at++;
    }
    if (mark !== " " && mark !== "\t") isLineStart = false;
  }
  return headers;
}

function parseHeader(line: string): Pick<Header, "keys" | "isEntry"> | undefined {
  const isEntry = line.startsWith("[[");
  try {
    const keys: string[] = [];
    let value: unknown = parse(line);
    while (typeof value === "object" && value !== null) {
      const inner: unknown = Array.isArray(value) ? value[0] : value;
      const [key] = Object.keys(Object(inner));
      if (key === undefined) break;
      keys.push(key);
      value = Reflect.get(Object(inner), key);
    }
    return { keys, isEntry };
  } catch {
    return undefined;
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, from: number, quote: '"' | "'"): number {
  const isLong = text.startsWith(quote.repeat(3), from);
  const closing = isLong ? quote.repeat(3) : quote;
  for (let at = from + closing.length; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === "\\") at++;
    else if (text.startsWith(closing, at)) return at + closing.length;
    else if (!isLong && text.charAt(at) === "\n") return at;
  }
  return text.length;
}
