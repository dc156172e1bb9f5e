import { describe, expect, it } from "vitest";
import { decodeTransport } from "./decode-transport.js";

describe("decodeTransport", () => {
  it.each([
    ["salesforce@1~get_leads@1", "salesforce@1/get_leads@1"],
    ["salesforce%401%2Fget_leads%401", "salesforce@1/get_leads@1"],
    ["salesforce%401%2fget_leads%401", "salesforce@1/get_leads@1"],
    ["salesforce%401~get_leads%401", "salesforce@1/get_leads@1"],
    ["a@1~b~c@1", "a@1/b~c@1"],
    ["a@1/b~c@1", "a@1/b~c@1"],
    ["a@1%2Fb~c@1", "a@1/b~c@1"],
    ["%2541", "%41"],
    ["%7E", "~"],
    ["a%C3%A4", "aä"],
    ["plain", "plain"],
    ["", ""],
  ])("makes of %j: %j (CANON-5)", (text, decoded) => {
    expect(decodeTransport(text)).toEqual({ ok: true, value: decoded });
  });

  it.each([
    ["100%", "bad-escape"],
    ["%4", "bad-escape"],
    ["%zz", "bad-escape"],
    ["%C0%AF", "bad-escape"],
    ["%ED%A0%80", "bad-escape"],
    ["%FF", "bad-escape"],
    ["a%00b", "encoded-nul"],
  ])("refuses %j as %s, with a position (CANON-5)", (text, code) => {
    expect(decodeTransport(text)).toMatchObject({
      ok: false,
      problem: { code, position: text.indexOf("%") },
    });
  });

  it("decodes once, however deep the encoding, in one pass over a long text (CANON-5)", () => {
    const once = decodeTransport("%25".repeat(34_000));
    expect(once).toEqual({ ok: true, value: "%".repeat(34_000) });
    expect(decodeTransport("~".repeat(100_000)).ok).toBe(true);
  });
});
