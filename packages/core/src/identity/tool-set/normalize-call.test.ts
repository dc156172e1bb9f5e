import { describe, expect, it } from "vitest";
import { qualifiedNameOf } from "../layers/qualified-name.js";
import { normalizeCall } from "./normalize-call.js";

const deferred = { name: "lookup", deferred: true };

describe("normalising a call", () => {
  it("strips the synthetic namespace on a copy; the model's call still shows it (ID-7)", () => {
    const call = Object.freeze({ name: "lookup", namespace: "lookup", call_id: "c1", arguments: "{}" });
    expect(normalizeCall(call, deferred)).toEqual({ name: "lookup", call_id: "c1", arguments: "{}" });
    expect(call.namespace).toBe("lookup");
    expect(qualifiedNameOf(call)).toBe("lookup.lookup");
  });

  it("keeps every other field, even one called __proto__ (ID-7, SAFE-1)", () => {
    const call: unknown = JSON.parse('{"name":"lookup","namespace":"lookup","__proto__":{"x":1}}');
    expect(JSON.stringify(normalizeCall(call, deferred))).toBe('{"name":"lookup","__proto__":{"x":1}}');
  });

  it.each([
    [
      { name: "lookup", namespace: "lookup" },
      { name: "other", deferred: true },
    ],
    [
      { name: "lookup", namespace: "lookup" },
      { name: "lookup", namespace: "crm", deferred: true },
    ],
    [
      { name: "lookup", namespace: "lookup" },
      { name: "lookup", namespace: "lookup" },
    ],
    [{ name: "lookup" }, deferred],
    [{ name: "", namespace: "" }, deferred],
    [null, deferred],
    ["lookup", deferred],
  ])("returns %j for %j as it is (ID-7)", (call, tool) => {
    expect(normalizeCall<unknown>(call, tool)).toBe(call);
  });
});
