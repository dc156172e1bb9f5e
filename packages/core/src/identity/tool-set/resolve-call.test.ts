import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dispatchNameOfCall, dispatchNameOfTool } from "../layers/dispatch-name.js";
import { lookupKeyOfCall, lookupKeyOfTool } from "../layers/lookup-key.js";
import type { FunctionTool } from "../name-parts.js";
import { resolveCall } from "./resolve-call.js";
import { buildToolSet } from "./tool-set.js";

const bare: FunctionTool = { name: "lookup" };
const deferred: FunctionTool = { name: "lookup", deferred: true };
const namespaced: FunctionTool = { name: "lookup", namespace: "crm" };
const dotted: FunctionTool = { name: "crm.lookup" };

describe("resolving a call", () => {
  it("finds a namespaced tool by its namespace field and by its dotted name (ID-1)", () => {
    const tools = buildToolSet([namespaced, bare]);
    expect(resolveCall({ name: "lookup", namespace: "crm" }, tools)).toEqual({
      outcome: "resolved",
      tool: namespaced,
    });
    expect(resolveCall({ name: "crm.lookup" }, tools)).toEqual({ outcome: "resolved", tool: namespaced });
  });

  it("never takes a dotted bare tool for a namespaced call (ID-5)", () => {
    expect(resolveCall({ name: "lookup", namespace: "crm" }, buildToolSet([dotted, bare]))).toEqual({
      outcome: "unknown",
    });
  });

  it("lets nobody own a dotted name that a bare and a namespaced tool claim, in any order (ID-3)", () => {
    for (const tools of [
      [dotted, namespaced],
      [namespaced, dotted],
    ]) {
      expect(resolveCall({ name: "crm.lookup" }, buildToolSet(tools))).toEqual({
        outcome: "ambiguous",
        tools,
      });
    }
  });

  it("does not let the later of two equal tools shadow the earlier (ID-3)", () => {
    const twice = [bare, { ...bare }];
    expect(resolveCall({ name: "lookup" }, buildToolSet(twice)).outcome).toBe("ambiguous");
    expect(
      resolveCall({ name: "lookup", namespace: "lookup" }, buildToolSet([deferred, { ...deferred }])).outcome,
    ).toBe("ambiguous");
  });

  it("does not run a bare tool for the shape reserved for deferred ones (ID-2)", () => {
    expect(resolveCall({ name: "lookup", namespace: "lookup" }, buildToolSet([bare])).outcome).toBe(
      "unknown",
    );
  });

  it("does not let a tool with a reserved namespace take a deferred tool's calls (ID-2)", () => {
    const tools = buildToolSet([{ name: "lookup", namespace: "lookup" }, deferred]);
    expect(resolveCall({ name: "lookup", namespace: "lookup" }, tools)).toEqual({
      outcome: "resolved",
      tool: deferred,
    });
    expect(resolveCall({ name: "lookup.lookup" }, tools).outcome).toBe("unknown");
    expect(dispatchNameOfTool({ name: "lookup", namespace: "lookup" })).toBeUndefined();
    expect(dispatchNameOfCall({ name: "lookup", namespace: "lookup" })).toBe("lookup");
  });

  it("finds tools named like parts of every object's prototype, and no tool where there is none (SAFE-1)", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(resolveCall({ name }, buildToolSet([])).outcome).toBe("unknown");
      expect(resolveCall({ name }, buildToolSet([{ name }]))).toEqual({
        outcome: "resolved",
        tool: { name },
      });
    }
  });

  it("answers anything with an outcome and does not throw (ID-1, SAFE-1)", () => {
    const tools = buildToolSet([bare, deferred, namespaced]);
    fc.assert(
      fc.property(fc.anything(), (call) => {
        expect(resolveCall(call, tools).outcome).toBe("unknown");
      }),
    );
  });

  it("reaches every tool of a set without findings by the key of its own call (ID-1)", () => {
    const tools = [bare, deferred, namespaced, { name: "lookup", namespace: "erp" }];
    const calls = [{ name: "lookup" }, { name: "lookup", namespace: "lookup" }, namespaced, tools[3]];
    expect(calls.map(lookupKeyOfCall)).toEqual(tools.map(lookupKeyOfTool));
    expect(calls.map((call) => resolveCall(call, buildToolSet(tools)))).toEqual(
      tools.map((tool) => ({ outcome: "resolved", tool })),
    );
  });
});
