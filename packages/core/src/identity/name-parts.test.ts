import { describe, expect, expectTypeOf, it } from "vitest";
import type { CallId } from "./layers/call-id.js";
import type { DispatchName } from "./layers/dispatch-name.js";
import type { LookupKey } from "./layers/lookup-key.js";
import { type QualifiedName, qualifiedNameOf } from "./layers/qualified-name.js";
import type { TraceName } from "./layers/trace-name.js";
import {
  hasReservedNamespace,
  type Namespace,
  ownField,
  type PublicName,
  publicNameOf,
  readNameParts,
} from "./name-parts.js";

describe("public name and namespace", () => {
  it("takes a name only if it already is text and not empty (ID-1)", () => {
    expect(publicNameOf("search")).toBe("search");
    expect([publicNameOf(""), publicNameOf(123), publicNameOf(null), publicNameOf(["a"])]).toEqual(
      Array(4).fill(undefined),
    );
  });

  it("treats an absent, null or empty namespace as none (ID-1)", () => {
    for (const namespace of [undefined, null, ""]) {
      expect(readNameParts({ name: "n", namespace })).toEqual({ name: "n", namespace: undefined });
    }
  });

  it("does not turn a call with a malformed namespace into a bare one (ID-5)", () => {
    expect(readNameParts({ name: "n", namespace: 5 })).toBeUndefined();
    expect(readNameParts({ name: "n", namespace: { toString: () => "crm" } })).toBeUndefined();
  });

  it("takes the namespace that the OpenAI Agents SDK left in a tool, and no other symbol's (ID-1)", () => {
    const left = (description: string, value: unknown) => ({ name: "n", [Symbol(description)]: value });
    const namespaceOf = (tool: object) => readNameParts(tool)?.namespace;
    expect(namespaceOf(left("functionToolNamespace", "crm"))).toBe("crm");
    expect(namespaceOf({ ...left("other", "erp"), ...left("functionToolNamespace", "crm") })).toBe("crm");
    expect(namespaceOf({ ...left("functionToolNamespace", "crm"), namespace: "erp" })).toBe("crm");
    expect(namespaceOf({ ...left("functionToolNamespace", ""), namespace: "erp" })).toBe("erp");
    expect(namespaceOf({ ...left("functionToolNamespace", 5), namespace: "erp" })).toBe("erp");
    expect(readNameParts(left("other", "crm"))).toEqual({ name: "n", namespace: undefined });
  });

  it("sees a reserved namespace only where it repeats the whole name (ID-2)", () => {
    const isReserved = (name: string, namespace?: string) => {
      const parts = readNameParts({ name, namespace });
      return parts !== undefined && hasReservedNamespace(parts);
    };
    expect(isReserved("n", "n")).toBe(true);
    expect(isReserved("undefined")).toBe(false);
    expect(isReserved("n", "N")).toBe(false);
    expect(isReserved("a.n", "a")).toBe(false);
  });

  it("takes prototype names as ordinary names (SAFE-1)", () => {
    expect(qualifiedNameOf({ name: "constructor", namespace: "__proto__" })).toBe("__proto__.constructor");
    expect(ownField({}, "constructor")).toBeUndefined();
  });

  it("keeps the layers apart as types (ID-1)", () => {
    expectTypeOf<PublicName>().not.toExtend<Namespace>();
    expectTypeOf<QualifiedName>().not.toExtend<DispatchName>();
    expectTypeOf<QualifiedName>().not.toExtend<LookupKey>();
    expectTypeOf<LookupKey>().not.toExtend<TraceName>();
    expectTypeOf<PublicName>().not.toExtend<CallId>();
    expectTypeOf<string>().not.toExtend<LookupKey>();
  });
});
