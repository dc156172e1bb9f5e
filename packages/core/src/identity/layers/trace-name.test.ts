import { describe, expect, it } from "vitest";
import { lookupKeyOfTool } from "./lookup-key.js";
import { traceNameOfCall, traceNameOfTool } from "./trace-name.js";

describe("trace names", () => {
  it("prefer the explicit name, and an empty one is none (ID-1)", () => {
    expect(traceNameOfTool({ name: "n", namespace: "crm", traceName: "Customer" })).toBe("Customer");
    expect(traceNameOfTool({ name: "n", traceName: "" })).toBe("n");
  });

  it("leave the key of the tool alone (ID-1)", () => {
    expect(lookupKeyOfTool({ name: "n", traceName: "Customer" })).toBe(lookupKeyOfTool({ name: "n" }));
  });

  it("collapse a synthetic namespace, but not a name that only looks like one (ID-1)", () => {
    expect(traceNameOfCall({ name: "x", namespace: "x" })).toBe("x");
    expect(traceNameOfCall({ name: "x.x" })).toBe("x.x");
  });

  it("are absent for what has no name (ID-1)", () => {
    expect(traceNameOfCall({ name: "" })).toBeUndefined();
    expect(traceNameOfCall(undefined)).toBeUndefined();
  });
});
