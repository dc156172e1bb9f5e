import { describe, expect, it } from "vitest";
import { buildSnapshot } from "../../snapshot/build-snapshot.js";
import { toolKeyOf } from "../tool-key.js";
import { callIdOf } from "./call-id.js";
import { spanNameOf, traceAttributesOf } from "./trace-attributes.js";

const [tool] = buildSnapshot([
  { server: "salesforce", tools: [{ name: "get_leads", description: "Finds leads" }] },
]).catalog.tools;
if (tool === undefined) throw new Error("no tool");

describe("the span of a call", () => {
  it("has the attributes of the conventions, and ours for the identity (ID-1)", () => {
    const callId = callIdOf({ call_id: "c1" });
    expect(traceAttributesOf({ tool, name: "sf_get_leads", callId, profile: "openai" })).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "sf_get_leads",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.description": "Finds leads",
      "onym.tool.key": '["namespaced","salesforce","get_leads"]',
      "onym.tool.canonical": "salesforce@1/get_leads@1",
      "onym.server.id": "salesforce",
      "onym.profile": "openai",
    });
  });

  it("leaves out what is not known (ID-1, ID-6)", () => {
    const bare = { key: toolKeyOf({ server: "a", raw: "b" }), canonical: "a@1/b@1", server: "a" };
    const attributes = traceAttributesOf({ tool: bare, name: "a_b", callId: callIdOf({ call_id: 5 }) });
    expect(Object.keys(attributes).sort()).toEqual([
      "gen_ai.operation.name",
      "gen_ai.tool.name",
      "gen_ai.tool.type",
      "onym.server.id",
      "onym.tool.canonical",
      "onym.tool.key",
    ]);
  });

  it("tells toolbox, type and a real namespace (ID-1, ID-7)", () => {
    const boxed = { ...tool, toolbox: "dev" };
    const attributes = traceAttributesOf({ tool: boxed, name: "n", namespace: "crm", type: "extension" });
    expect(attributes).toMatchObject({
      "onym.toolbox": "dev",
      "onym.tool.namespace": "crm",
      "gen_ai.tool.type": "extension",
    });
    expect(traceAttributesOf({ tool, name: "n", namespace: "n" })).not.toHaveProperty("onym.tool.namespace");
  });

  it.each([
    [{ name: "lookup" }, "execute_tool lookup"],
    [{ name: "lookup", namespace: "crm" }, "execute_tool crm.lookup"],
    [{ name: "lookup", namespace: "lookup" }, "execute_tool lookup"],
    [{ name: "lookup", traceName: "Customer lookup" }, "execute_tool Customer lookup"],
    [{ name: "" }, "execute_tool"],
    [{ name: "a\u202e\nb" }, "execute_tool a\\u{202E}\\u{000A}b"],
  ])("of %j is named %j (ID-1, SAFE-1)", (call, name) => {
    expect(spanNameOf(call)).toBe(name);
  });

  it("shows foreign text escaped, and a key that still is JSON of the same tuple (SAFE-1)", () => {
    const parts = { server: "s\u202e", raw: "\u200b\ud800\u{1F600}\u007f\n__proto__" };
    const strange = { ...parts, key: toolKeyOf(parts), canonical: `s@1/${parts.raw}@1` };
    const attributes = traceAttributesOf({ tool: strange, name: parts.raw });
    for (const value of Object.values(attributes)) expect(value).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(JSON.parse(attributes["onym.tool.key"] ?? "")).toEqual(["namespaced", parts.server, parts.raw]);
  });

  it("cuts a description that nobody would read there, and takes no other than text (SAFE-1)", () => {
    const described = (description: unknown) =>
      traceAttributesOf({ tool: { ...tool, definition: { description } }, name: "n" })[
        "gen_ai.tool.description"
      ];
    expect(described("x".repeat(5_000))).toBe(`${"x".repeat(1_000)}…`);
    expect(described("x".repeat(1_001))).toBe(`${"x".repeat(1_000)}…`);
    expect(described("x".repeat(1_000))).toBe("x".repeat(1_000));
    expect(described({ toString: () => "x" })).toBeUndefined();
    expect(described("")).toBeUndefined();
  });
});
