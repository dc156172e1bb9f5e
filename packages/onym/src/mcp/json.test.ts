import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, parseJson } from "./json.js";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("parseJson", () => {
  it("says the same as JSON.parse of anything that is written by JSON.stringify", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 0, maxLength: 3_000 }), (value, text) => {
        const json = JSON.stringify([value, text]);
        expect(parseJson(json)).toEqual({ ok: true, value: JSON.parse(json) });
      }),
    );
  });

  it("refuses what is nested beyond reason, and nothing else for its brackets (SAFE-1)", () => {
    expect(parseJson(nested(MAX_DEPTH)).ok).toBe(true);
    expect(parseJson(nested(MAX_DEPTH + 1))).toMatchObject({ ok: false });
    expect(parseJson(`{"a":${nested(50_000)}}`)).toMatchObject({ ok: false });
    expect(parseJson(JSON.stringify("[".repeat(10_000))).ok).toBe(true);
    expect(parseJson(JSON.stringify({ a: '\\"[['.repeat(5_000) })).ok).toBe(true);
    expect(parseJson(`[${"[],".repeat(5_000)}[]]`).ok).toBe(true);
  });

  it("gives back a reason for what is no JSON", () => {
    for (const text of ["", "{", '"', `"${"x".repeat(5_000)}`, "undefined", "\u0000"])
      expect(parseJson(text)).toMatchObject({ ok: false, reason: expect.any(String) });
  });
});
