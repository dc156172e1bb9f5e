// JSON-RPC messages: the fast readers take what JSON.parse takes, and make the same of it.

import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import type { Members } from "../../../packages/onym/src/mcp/fast-path/scan.js";
import { scanMembers } from "../../../packages/onym/src/mcp/fast-path/scan-members.js";
import { MAX_DEPTH, memberText } from "../../../packages/onym/src/mcp/json.js";
import { type Message, parseMessage, readMessage } from "../../../packages/onym/src/mcp/message.js";
import type { FuzzTarget } from "../fuzz-target.js";

type Known = { readonly value: unknown } | undefined;

const INSIDE: ReadonlySet<string> = new Set(["params", "result"]);
const LARGE = 8192;

export const messages: FuzzTarget = {
  name: "messages",
  tokens: [
    ...['{"', '":', ",", "{}", "[]", "[[", "]]", '"', "\\u0000", "\\ud800", '\\"', "\\\\", "null", "true"],
    ...["-0", "1e999", "0.1", "-", "01", '"jsonrpc":"2.0"', '"id":1', '"result":{}', '"method":"tools/call"'],
    ...[
      '"params":{"name":"a","arguments":{}}',
      '"_meta":{}',
      '"__proto__":{}',
      '"arguments":',
      "\u2028",
      "é",
    ],
  ],
  read: (input) => {
    const parsed = parseMessage(input);
    if (parsed.ok) readMessage(parsed.value, parsed.text);
    scanMembers(input, INSIDE);
  },
  check: (input, chance) => {
    checkReaders(input);
    // The readers of large messages begin at 8 KiB: the same text with much space in it.
    if (chance.below(20) === 0) checkReaders(padded(input));
  },
};

/** After the first brace, so that nothing else changes. */
function padded(input: Buffer): Buffer {
  const at = input.indexOf("{") + 1;
  return Buffer.concat([input.subarray(0, at), Buffer.alloc(LARGE, " "), input.subarray(at)]);
}

function checkReaders(input: Buffer): void {
  const text = input.toString();
  const known = parsePlainly(text);
  checkMessage(input, text, known);
  checkScan(input, text, known);
  for (const path of [["result"], ["params", "arguments"]]) checkMember(text, path, known);
}

function checkMessage(input: Buffer, text: string, known: Known): void {
  const parsed = parseMessage(input);
  if (!parsed.ok) {
    assert.ok(known === undefined || isDeep(known.value), `refused valid JSON: ${parsed.reason}`);
    return;
  }
  assert.ok(known !== undefined, "took what is no JSON");
  assert.ok(isSame(parsed.value, known.value), "another value than JSON.parse");
  const read = readMessage(parsed.value, parsed.text);
  const expected = readMessage(known.value, text);
  assert.equal(read.kind, expected.kind);
  if (read.kind !== "invalid" && expected.kind !== "invalid") checkTexts(read);
}

/** The texts that a message was read from have to mean the same as its values. */
function checkTexts({ message }: Message): void {
  const { argumentsText, resultText, result } = { ...message } as Record<string, unknown>;
  const own = argumentsText as { readonly of: unknown; readonly text: string } | undefined;
  if (own !== undefined) assert.ok(isSame(JSON.parse(String(own.text)), own.of));
  if (resultText !== undefined) assert.ok(isSame(JSON.parse(String(resultText)), result));
}

function checkScan(input: Buffer, text: string, known: Known): void {
  const members = scanMembers(input, INSIDE);
  if (members !== undefined) {
    assert.ok(known !== undefined, "scanned what is no JSON");
    checkMembers(input, members, known.value);
    return;
  }
  // Written as JSON.stringify writes it, nothing in it can be read in two ways.
  const isPlain =
    known !== undefined && isUtf8(input) && !text.includes("\\") && JSON.stringify(known.value) === text;
  if (!isPlain || Array.isArray(known.value) || typeof known.value !== "object" || known.value === null)
    return;
  const sizes = [known.value, ...Object.values(known.value)].map((each) => Object.keys(Object(each)).length);
  assert.ok(isDeep(known.value) || Math.max(...sizes) > 100, "refused what is plain");
}

function checkMembers(input: Buffer, members: Members, value: unknown): void {
  const object = value as Record<string, unknown>;
  assert.deepEqual([...members.keys()].sort(), Object.keys(object).sort());
  for (const [key, { start, end, members: inner }] of members) {
    const own = Object.getOwnPropertyDescriptor(object, key)?.value as unknown;
    assert.ok(isSame(JSON.parse(input.toString("utf8", start, end)), own), `another value of ${key}`);
    if (inner !== undefined) checkMembers(input, inner, own);
  }
}

/** It is only asked about texts that JSON.parse took. */
function checkMember(text: string, path: readonly string[], known: Known): void {
  if (known === undefined) return;
  const own = memberText(text, path);
  if (own === undefined) return;
  let value = known.value;
  for (const key of path) value = Object.getOwnPropertyDescriptor(Object(value), key)?.value;
  assert.ok(isSame(JSON.parse(own), value), `another text of ${path.join(".")}`);
}

function parsePlainly(text: string): Known {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Values that are still unread count as what they hold. */
function isSame(value: unknown, known: unknown): boolean {
  return isDeepStrictEqual(value, known) || JSON.stringify(value) === JSON.stringify(known);
}

/** A level at a time, without recursion. */
function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
