import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateValues } from "./estimate-values.js";
import { MAX_READ_BYTES } from "./fast-path/parse-large.js";

function countValues(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + countValues(each), 1);
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each) + 1, 1);
}

describe("an estimate of the values in a text (SAFE-4)", () => {
  it("is at least the values and keys of any JSON, and at most one more for each list and object", () => {
    const text = fc.stringMatching(/^["\\[\]{},: a-cé€😀]{0,300}$/u);
    const json = fc.oneof(fc.jsonValue(), fc.array(text), fc.dictionary(text, text));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, space) => {
        const written = JSON.stringify(value, undefined, space);
        const estimate = estimateValues(written, Infinity);
        const values = countValues(value);
        expect(estimate).toBeGreaterThanOrEqual(values);
        expect(estimate).toBeLessThanOrEqual(2 * values);
        expect(estimateValues(Buffer.from(written), Infinity)).toBe(estimate);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["nothing", "", 1],
    ["a list", "[1,2]", 3],
    ["an object", '{"a":[1,2]}', 5],
    ["levels", "[[[", 4],
    ["text with marks", '"[{,:"', 1],
    ["text with quotes", '["\\"[","\\\\",1]', 4],
    ["long text", `["${"x".repeat(10_000)}",1]`, 3],
    ["long text with quotes in it", `["${'x"[,'.repeat(1_000).replaceAll('"', '\\"')}",1]`, 3],
    ["long text with backslashes at its end", `["${"x".repeat(1_000)}${"\\\\".repeat(1_000)}",1]`, 3],
    ["text without an end", `["${"x,".repeat(1_000)}`, 2],
    ["text that ends with a backslash", '["\\', 2],
    ["what is beyond the bytes that are parsed", `[${" ".repeat(MAX_READ_BYTES)}1,1]`, 2],
  ])("of %s is a count", (_, text, values) => {
    expect(estimateValues(text, Infinity)).toBe(values);
    expect(estimateValues(Buffer.from(text), Infinity)).toBe(values);
  });

  it("goes up to the maximum", () => {
    for (const values of [9, 10, 11])
      expect(
        estimateValues(
          `[${Array(values - 1)
            .fill(1)
            .join()}]`,
          10,
        ),
      ).toBe(Math.min(values, 10));
  });
});
