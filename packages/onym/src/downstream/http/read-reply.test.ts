import { expect, it } from "vitest";
import { readRetryAfter } from "./read-reply.js";

it.each([
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["0", 0],
  ["30", 30_000],
  ["299", 299_000],
  ["300", 300_000],
  ["301", 300_000],
  ["999999999", 300_000],
  ["-1", 0],
  ["Mon, 16 Nov 2026 20:00:30 GMT", 30_000],
  ["Mon, 16 Nov 2020 20:00:30 GMT", 0],
])("Retry-After: %j is %j ms", (value, ms) => {
  expect(readRetryAfter(value, Date.parse("2026-11-16T20:00:00Z"))).toBe(ms);
});
