import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FunctionTool } from "../name-parts.js";
import { toolKeyOf } from "../tool-key.js";
import { dispatchNameOfCall, dispatchNameOfTool } from "./dispatch-name.js";
import { isDeferredTopLevel, lookupKeyOfCall, lookupKeyOfTool } from "./lookup-key.js";

const nastyWord = fc.constantFrom(
  "a",
  "b",
  "c",
  "",
  ".",
  "a.b",
  "b.c",
  "..",
  "__proto__",
  "constructor",
  "toString",
  "bare",
  "namespaced",
  "deferred_top_level",
  "deferred_top_level:a",
  '["bare","a"]',
  '","',
  '"',
  "\\",
  "\u0000",
  "\ud800",
  "\udc00",
  "\ufffd",
);
const nastyText = fc.oneof(
  { weight: 4, arbitrary: nastyWord },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const anyTool: fc.Arbitrary<FunctionTool> = fc.record({
  name: nastyText,
  namespace: fc.option(nastyText, { nil: undefined }),
  deferred: fc.boolean(),
});
/** Two ways to cut one dotted text into namespace and name: the pairs that joined names confuse. */
const resplitPair = fc
  .tuple(fc.array(nastyText, { minLength: 2, maxLength: 5 }), fc.nat(), fc.nat(), fc.boolean())
  .map(([words, first, second, deferred]): [FunctionTool, FunctionTool] => {
    const cut = (at: number): FunctionTool => ({
      namespace: words.slice(0, at).join("."),
      name: words.slice(at).join("."),
      deferred,
    });
    return [cut(first % words.length), cut(second % words.length)];
  });
const toolPair = fc.oneof(fc.tuple(anyTool, anyTool), resplitPair);

function isSameTool(a: FunctionTool, b: FunctionTool): boolean {
  if (a.name !== b.name || (a.namespace || undefined) !== (b.namespace || undefined)) return false;
  return isDeferredTopLevel(a) === isDeferredTopLevel(b);
}

describe("lookup keys", () => {
  it("gives a deferred tool without namespace one key, and an explicit namespace its own (ID-2)", () => {
    expect(lookupKeyOfTool({ name: "n", deferred: true })).toBe('["deferred_top_level","n"]');
    expect(lookupKeyOfTool({ name: "n", namespace: "", deferred: true })).toBe('["deferred_top_level","n"]');
    expect(lookupKeyOfTool({ name: "n", namespace: "crm", deferred: true })).toBe('["namespaced","crm","n"]');
  });

  it("knows deferred tools by either field, only where it is true and no namespace is there (ID-2)", () => {
    expect(isDeferredTopLevel({ name: "n", deferred: true })).toBe(true);
    expect(isDeferredTopLevel({ name: "n", deferLoading: true })).toBe(true);
    expect(isDeferredTopLevel({ name: "n", deferred: false, deferLoading: false })).toBe(false);
    expect(isDeferredTopLevel({ name: "n", namespace: "crm", deferred: true })).toBe(false);
    expect(isDeferredTopLevel({ name: "", deferred: true })).toBe(false);
    expect(lookupKeyOfTool({ name: "n", deferLoading: true })).toBe('["deferred_top_level","n"]');
  });

  it("gives a tool without a name neither key nor label (ID-1)", () => {
    expect(lookupKeyOfTool({ name: "" })).toBeUndefined();
    expect(dispatchNameOfTool({ name: "" })).toBeUndefined();
    expect(dispatchNameOfCall({ name: "" })).toBeUndefined();
  });

  it("lets the provider's shape of a deferred call find the deferred tool (ID-2)", () => {
    expect(lookupKeyOfCall({ name: "n", namespace: "n" })).toBe(
      lookupKeyOfTool({ name: "n", deferred: true }),
    );
  });

  it("refuses a key to an explicit namespace that equals the tool's name (ID-2)", () => {
    expect(lookupKeyOfTool({ name: "n", namespace: "n" })).toBeUndefined();
    expect(lookupKeyOfTool({ name: "n", namespace: "n", deferred: true })).toBeUndefined();
  });

  it("agrees with the key of a catalog tool whose server is the namespace (ID-1)", () => {
    const key: string | undefined = lookupKeyOfTool({ name: "search", namespace: "docs" });
    expect(key).toBe(toolKeyOf({ server: "docs", raw: "search" }));
  });

  it.each([
    undefined,
    null,
    5,
    "search",
    [],
    {},
    { name: null },
    { name: ["x"] },
    { name: "x", namespace: 5 },
  ])("gives no key for %j, and does not throw (ID-1, SAFE-1)", (call) => {
    expect(lookupKeyOfCall(call)).toBeUndefined();
  });

  it("reads no name from a prototype (SAFE-1)", () => {
    expect(lookupKeyOfCall(Object.create({ name: "search" }))).toBeUndefined();
    expect(lookupKeyOfCall({ name: "search", ...JSON.parse('{"__proto__":{"namespace":"crm"}}') })).toBe(
      '["bare","search"]',
    );
  });

  it("are equal only for the same tool (ID-1, ID-4)", () => {
    fc.assert(
      fc.property(toolPair, ([a, b]) => {
        const [keyA, keyB] = [lookupKeyOfTool(a), lookupKeyOfTool(b)];
        if (keyA === undefined || keyB === undefined) return;
        expect(keyA === keyB).toBe(isSameTool(a, b));
      }),
      { numRuns: 10_000 },
    );
  });

  it("of calls are equal only for the same name and namespace (ID-1)", () => {
    fc.assert(
      fc.property(toolPair, ([a, b]) => {
        const [keyA, keyB] = [lookupKeyOfCall(a), lookupKeyOfCall(b)];
        if (keyA === undefined || keyB === undefined) return;
        const isSame = a.name === b.name && (a.namespace || undefined) === (b.namespace || undefined);
        expect(keyA === keyB).toBe(isSame);
      }),
      { numRuns: 10_000 },
    );
  });
});
