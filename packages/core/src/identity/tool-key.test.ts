import { describe, expect, it } from "vitest";
import {
  createOwnerCheck,
  keyOfTuple,
  ownerTextOf,
  parseToolKey,
  partsOfKey,
  readToolKey,
  toolboxOfKey,
  toolKeyOf,
  tupleOfKey,
} from "./tool-key.js";

const plain = { server: "docs", raw: "search" };
const boxed = { toolbox: "dev", server: "docs", raw: "search" };
const quoted = { server: 'a","b', raw: 'c","d\\' };

describe("the key of a tool of a catalog", () => {
  it.each([
    [plain, '["namespaced","docs","search"]'],
    [boxed, '["toolbox","dev","docs","search"]'],
    [{ ...plain, toolbox: undefined }, '["namespaced","docs","search"]'],
    [{ server: "toolbox", raw: "" }, '["namespaced","toolbox",""]'],
    [quoted, '["namespaced","a\\",\\"b","c\\",\\"d\\\\"]'],
  ])("of %o is %s (ID-1)", (parts, text) => {
    expect(toolKeyOf(parts)).toBe(text);
  });

  it.each([plain, boxed, quoted, { server: "", raw: "" }])("holds %o (ID-1)", (parts) => {
    expect(partsOfKey(toolKeyOf(parts))).toEqual(parts);
    expect(readToolKey(JSON.parse(toolKeyOf(parts)))).toBe(toolKeyOf(parts));
    expect(parseToolKey(toolKeyOf(parts))).toEqual(parts);
    expect(keyOfTuple(tupleOfKey(toolKeyOf(parts)))).toBe(toolKeyOf(parts));
  });

  it.each(["", "docs/search", "{", '["bare","search"]', '["prompt","","docs","greet"]', "null"])(
    "is not %j (ID-1)",
    (text) => {
      expect(parseToolKey(text)).toBeUndefined();
    },
  );

  it.each([
    [undefined],
    [null],
    ["namespaced"],
    [{ 0: "namespaced", 1: "docs", 2: "search", length: 3 }],
    [[]],
    [["namespaced"]],
    [["namespaced", "docs"]],
    [["namespaced", "docs", 5]],
    [[5, "docs", "search"]],
    [["namespaced", "docs", "search", "more"]],
    [["toolbox", "dev"]],
    [["toolbox", "dev", "docs"]],
    [["toolbox", "dev", "docs", "search", "more"]],
    [["bare", "docs", "search"]],
    [["bare", "dev", "docs", "search"]],
  ])("is not read from %j (ID-1)", (json) => {
    expect(readToolKey(json)).toBeUndefined();
  });

  it("begins with its toolbox, if it has one (BOX-7)", () => {
    expect(toolboxOfKey(toolKeyOf(boxed))).toBe("dev");
    expect(toolboxOfKey(toolKeyOf(plain))).toBeUndefined();
    expect(toolboxOfKey(toolKeyOf({ server: "s", raw: '["toolbox","dev","' }))).toBeUndefined();
    expect(toolboxOfKey(toolKeyOf({ server: '["toolbox","dev",', raw: "r" }))).toBeUndefined();
  });

  it("says whose it is, whatever the tool is called (ID-1)", () => {
    const isTheirs = createOwnerCheck([{ server: "docs" }, { toolbox: "dev", server: "crm" }]);
    expect(isTheirs(toolKeyOf(plain))).toBe(true);
    expect(isTheirs(toolKeyOf({ server: "docs", raw: 'x","y' }))).toBe(true);
    expect(isTheirs(toolKeyOf({ toolbox: "dev", server: "crm", raw: "a" }))).toBe(true);
    expect(isTheirs(toolKeyOf(boxed))).toBe(false);
    expect(isTheirs(toolKeyOf({ server: "crm", raw: "a" }))).toBe(false);
    expect(createOwnerCheck([])(toolKeyOf(plain))).toBe(false);
    expect(ownerTextOf(toolKeyOf(plain))).toBe('["namespaced","docs');
  });
});
