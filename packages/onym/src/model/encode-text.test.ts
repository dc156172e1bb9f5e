import { expect, it } from "vitest";
import { encodeSteps, encodeUriText, STEP_LENGTH } from "./encode-text.js";
import { runAtOnce } from "./run-slices.js";

it.each([
  ["nothing", "", 0],
  ["a step", "a".repeat(STEP_LENGTH), 1],
  ["a step and a character", "é".repeat(STEP_LENGTH + 1), 2],
  ["a pair at the end of a step", `${"a".repeat(STEP_LENGTH - 1)}😀b`, 2],
  ["a half at the end of a step", `${"a".repeat(STEP_LENGTH - 1)}\uD83Db`, 2],
  ["a half at the start of the next", `${"a".repeat(STEP_LENGTH)}\uDE00b`, 2],
  ["pairs alone", "😀".repeat(STEP_LENGTH), 2],
  ["pairs across each end", `a${"😀".repeat(STEP_LENGTH)}`, 2],
])("encodes %s as in one piece, in steps (SAFE-4)", (_, text, count) => {
  expect(runAtOnce(encodeSteps(text)).equals(Buffer.from(text))).toBe(true);
  expect([...encodeSteps(text)]).toHaveLength(count);
});

it.each([
  ["a/b c", "a%2Fb%20c"],
  ["\u{1f600}", "%F0%9F%98%80"],
  ["a\ud800b", "a%ED%A0%80b"],
  ["\udfff", "%ED%BF%BF"],
  ["", ""],
])("encodes %j as a part of an address", (text, encoded) => {
  expect(encodeUriText(text)).toBe(encoded);
});
