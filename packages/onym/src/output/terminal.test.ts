import { expect, it } from "vitest";
import { formatJson } from "./terminal.js";

it("is JSON of the same value, with nothing in it that cannot be seen (SAFE-1)", () => {
  const value = {
    "a\u202eb": ["\u0000\u001b[31m\n\t", "\u0085\u2028\u200b\ufeff\u{e0041}\ud800", 'plain ä 漢 "\\"'],
    empty: {},
  };
  for (const text of [formatJson(value), formatJson(value, 2)]) {
    expect(JSON.parse(text)).toEqual(value);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(text).toContain("\\u202e");
    expect(text).toContain("\\udb40\\udc41");
    expect(text).toContain("ä 漢");
  }
  expect(formatJson(value)).not.toContain("\n");
});
