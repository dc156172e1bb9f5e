import { describe, expect, it } from "vitest";
import { handoffNameOf } from "../layers/handoff-name.js";
import type { FunctionTool } from "../name-parts.js";
import { resolveCall } from "./resolve-call.js";
import { buildToolSet } from "./tool-set.js";
import { validateToolSet } from "./validate-tool-set.js";

function codesOf(tools: readonly FunctionTool[]): readonly string[] {
  return validateToolSet(tools).map((finding) => finding.code);
}

describe("validating a tool set", () => {
  it("names the tools and the way out (ID-3)", () => {
    const tools = [
      { name: "c", namespace: "a.b" },
      { name: "other" },
      { name: "b.c", namespace: "a" },
      { name: "a.b.c" },
    ];
    const [finding, ...rest] = validateToolSet(tools);
    expect(rest).toEqual([]);
    expect(finding).toEqual({
      code: "duplicate-qualified",
      severity: "error",
      message:
        'These tools share the qualified name "a.b.c": tool "c" in namespace "a.b", tool "b.c" in namespace "a", tool "a.b.c".',
      fix: "Rename all but one of them: the tool, or the namespace around it.",
      tools: [tools[0], tools[2], tools[3]],
    });
  });

  it("says of each tool what is wrong with it, and what to do (ID-2, ID-3)", () => {
    const unnamed = { name: "" };
    const reserved = { name: "lookup", namespace: "lookup" };
    const deferred = { name: "find", deferred: true };
    expect(validateToolSet([reserved, unnamed, deferred, deferred])).toEqual([
      {
        code: "reserved-namespace",
        severity: "error",
        message:
          'tool "lookup" in namespace "lookup" repeats its name as its namespace; that shape is reserved for the deferred tool "lookup".',
        fix: "Rename the namespace or the tool, so that the two differ.",
        tools: [reserved],
      },
      {
        code: "unnamed-tool",
        severity: "error",
        message: "The tool at position 1 has no usable name or namespace, so nothing can call it.",
        fix: "Give it a name that is not empty, and a namespace that is text, or none.",
        tools: [unnamed],
      },
      {
        code: "duplicate-deferred",
        severity: "error",
        message: '2 deferred tools are named "find"; a call cannot tell them apart.',
        fix: "Rename all but one of them, or give them namespaces.",
        tools: [deferred, deferred],
      },
    ]);
  });

  it("tells deferred tools from others where it names them (ID-3)", () => {
    const [finding] = validateToolSet([
      { name: "n.a", deferred: true },
      { name: "a", namespace: "n" },
    ]);
    expect(finding?.message).toBe(
      'These tools share the qualified name "n.a": deferred tool "n.a", tool "a" in namespace "n".',
    );
  });

  it("refuses by default and warns on request, with the same findings (ID-3)", () => {
    const tools = [{ name: "lookup", namespace: "lookup" }];
    expect(validateToolSet(tools)).toMatchObject([{ code: "reserved-namespace", severity: "error" }]);
    expect(validateToolSet(tools, { policy: "warn" })).toMatchObject([
      { code: "reserved-namespace", severity: "warning" },
    ]);
  });

  it("warns without letting one tool shadow the other (ID-3)", () => {
    const tools = [{ name: "crm.lookup" }, { name: "lookup", namespace: "crm" }];
    expect(validateToolSet(tools, { policy: "warn" })).toHaveLength(1);
    expect(resolveCall({ name: "crm.lookup" }, buildToolSet(tools)).outcome).toBe("ambiguous");
  });

  it("finds two bare tools, and two namespaced tools, of one name (ID-3)", () => {
    expect(codesOf([{ name: "a" }, { name: "a" }])).toEqual(["duplicate-qualified"]);
    expect(
      codesOf([
        { name: "a", namespace: "n" },
        { name: "a", namespace: "n" },
      ]),
    ).toEqual(["duplicate-qualified"]);
    expect(
      codesOf([
        { name: "n.a", deferred: true },
        { name: "a", namespace: "n" },
      ]),
    ).toEqual(["duplicate-qualified"]);
  });

  it("accepts a deferred tool beside a bare and a namespaced one of its name (ID-3)", () => {
    expect(codesOf([{ name: "a" }, { name: "a", deferred: true }, { name: "a", namespace: "n" }])).toEqual(
      [],
    );
  });

  it("finds two deferred tools even where a bare one shares the name, and names only them (ID-3)", () => {
    const tools = [{ name: "a", deferred: true }, { name: "a" }, { name: "a", deferred: true }];
    expect(validateToolSet(tools)).toMatchObject([
      { code: "duplicate-deferred", tools: [tools[0], tools[2]] },
    ]);
  });

  it("reports tools that nothing can call instead of dropping them (ID-3)", () => {
    const strange = [{ name: "" }, { name: 5 }, { name: "a", namespace: 5 }] as unknown as FunctionTool[];
    expect(codesOf(strange)).toEqual(["unnamed-tool", "unnamed-tool", "unnamed-tool"]);
  });

  it("finds agents whose handoffs would share a name (ID-3, ID-9)", () => {
    const agents = ["Billing Agent", "billing-agent"];
    const tools = agents.map((agent) => ({ name: handoffNameOf(agent) ?? "" }));
    expect(codesOf(tools)).toEqual(["duplicate-qualified"]);
  });

  it("shows names with invisible and reordering characters escaped (SAFE-1)", () => {
    const [finding] = validateToolSet([{ name: "a\u200b" }, { name: "a\u200b" }]);
    expect(finding?.message).toContain('"a\\u{200B}"');
    expect(finding?.message).toContain("(2 times)");
  });

  it("takes prototype names for names (SAFE-1)", () => {
    expect(codesOf([{ name: "__proto__" }, { name: "constructor" }, { name: "toString" }])).toEqual([]);
    expect(codesOf([{ name: "__proto__" }, { name: "__proto__" }])).toEqual(["duplicate-qualified"]);
  });

  it("copes with a hundred thousand tools of one name (ID-3)", () => {
    const tools = Array.from({ length: 100_000 }, () => ({ name: "a" }));
    expect(validateToolSet(tools)).toMatchObject([{ tools: { length: 100_000 } }]);
  });
});
