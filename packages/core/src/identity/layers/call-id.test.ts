import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callIdOf } from "./call-id.js";

describe("call ids", () => {
  it.each([
    { call_id: null, id: "i1" },
    { call_id: undefined, id: "i1" },
    { call_id: "", id: "i1" },
  ])("come from the id where %j has no call id (ID-6)", (call) => {
    expect(callIdOf(call)).toBe("i1");
  });

  it.each([
    { call_id: 0, id: "i1" },
    { call_id: false, id: "i1" },
    { call_id: ["c1"], id: "i1" },
    { call_id: { toString: () => "c1" } },
    { call_id: "" },
    { id: 7 },
    { id: "" },
    { type: "mcp_approval_request", call_id: "c1" },
    { type: "mcp_approval_request", id: 7, call_id: "c1" },
    {},
    null,
    "c1",
  ])("are never made from something else: %j (ID-6)", (call) => {
    expect(callIdOf(call)).toBeUndefined();
  });

  const hosted = { type: "hosted_tool_call", id: "i1", name: "lookup" };
  const request = { type: "mcp_approval_request", server_label: "crm", name: "lookup" };
  it.each<[object, string | undefined]>([
    [{ callId: "c1", id: "i1" }, "c1"],
    [{ callId: "", id: "i1" }, "i1"],
    [{ callId: 5, id: "i1" }, undefined],
    [{ call_id: "c1", callId: "c1" }, "c1"],
    [{ call_id: "c1", callId: "c2" }, undefined],
    [{ call_id: "c1", callId: 5 }, undefined],
    [{ ...hosted, providerData: { type: "mcp_call", id: "p1" } }, "i1"],
    [{ type: "hosted_tool_call", providerData: { type: "mcp_call", id: "p1" } }, "p1"],
    [{ type: "hosted_tool_call", providerData: { itemId: "m1" } }, "m1"],
    [{ ...hosted, callId: "c1", providerData: { ...request, id: "p1" } }, "p1"],
    [{ ...hosted, providerData: { ...request, itemId: "m1" } }, "m1"],
    [{ ...hosted, providerData: request }, "i1"],
    [{ ...hosted, providerData: { ...request, id: 5 } }, undefined],
    [{ callId: "c1", providerData: { ...request, id: "p1" } }, "c1"],
  ])("are read as the OpenAI Agents SDK keeps them: %j (ID-6)", (call, id) => {
    expect(callIdOf(call)).toBe(id);
  });

  it("identify the invocation, not the tool (ID-6)", () => {
    expect(callIdOf({ name: "a", call_id: "c1" })).toBe(callIdOf({ name: "b", call_id: "c1" }));
  });

  it("are text of the call itself for any input (ID-6, SAFE-1)", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (call_id, id) => {
        const result: unknown = callIdOf({ call_id, id });
        expect([call_id, id, undefined]).toContain(result);
        expect(result).not.toBe("");
      }),
    );
  });
});
