import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatHeaderValue, parseHeaderValue } from "./header-value.js";

describe("header values (GW-4)", () => {
  it.each([
    ["get_leads", "get_leads"],
    ["file:///a b", "file:///a b"],
    ["größe", "=?base64?Z3LDtsOfZQ==?="],
    ["", "=?base64??="],
    [" a", "=?base64?IGE=?="],
    ["a\r\nx: y", "=?base64?YQ0KeDogeQ==?="],
    ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
  ])("%j are written as %j, and read back", (text, value) => {
    expect(formatHeaderValue(text)).toBe(value);
    expect(parseHeaderValue(value)).toBe(text);
  });

  it("are printable ASCII and lead back to every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const value = formatHeaderValue(text);
        expect(value).toMatch(/^[ -~]+$/);
        expect(parseHeaderValue(value)).toBe(text);
      }),
    );
  });

  it.each(["=?base64?Z?=", "=?base64?YR==?=", "=?base64?Y Q==?=", "=?base64?/w==?=", "=?base64?YQ?="])(
    "%j are refused: no strict base64 of UTF-8",
    (value) => {
      expect(parseHeaderValue(value)).toBeUndefined();
    },
  );
});
