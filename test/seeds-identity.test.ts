// The source document on tool identity, statement by statement. The full table of cases is beside the functions.

import { buildSnapshot } from "@onym/core";
import {
  approvalKeysOfCall,
  approvalKeysOfTool,
  formatApprovalKeys,
  isBareAliasAllowed,
} from "@onym/core/approvals";
import {
  buildToolSet,
  callIdOf,
  dispatchNameOfTool,
  handoffNameOf,
  lookupKeyOfCall,
  lookupKeyOfTool,
  normalizeCall,
  publicNameOf,
  qualifiedNameOf,
  resolveCall,
  spanNameOf,
  traceNameOfCall,
  traceNameOfTool,
  validateToolSet,
} from "@onym/core/identity";
import { describe, expect, it } from "vitest";

const bare = { name: "lookup" };
const deferred = { name: "lookup", deferred: true };
const namespaced = { name: "lookup", namespace: "crm" };
const reserved = { name: "lookup", namespace: "lookup" };

describe("seed 004: tool identity", () => {
  it.each([
    ["S004-1: the public name is the tool's own", publicNameOf(bare.name), "lookup"],
    [
      "S004-2: a namespace tells tools of one name apart",
      lookupKeyOfTool(namespaced) === lookupKeyOfTool(bare),
      false,
    ],
    ["S004-3: the qualified name has the namespace in front", qualifiedNameOf(namespaced), "crm.lookup"],
    ["S004-3: a call is routed by it", dispatchNameOfTool(namespaced), "crm.lookup"],
    ["S004-3: without a namespace it is the name", qualifiedNameOf(bare), "lookup"],
    ["S004-4: the key of a bare tool", lookupKeyOfTool(bare), '["bare","lookup"]'],
    ["S004-4: the key of a namespaced tool", lookupKeyOfTool(namespaced), '["namespaced","crm","lookup"]'],
    ["S004-4: the key of a deferred tool", lookupKeyOfTool(deferred), '["deferred_top_level","lookup"]'],
    ["S004-6: the trace name is the public name", traceNameOfTool(bare), "lookup"],
    ["S004-6: unless one is given", traceNameOfTool({ ...bare, traceName: "Look up" }), "Look up"],
    ["S004-6: the synthetic namespace is not traced", traceNameOfCall(reserved), "lookup"],
    ["S004-6: a span has the public name", spanNameOf(bare), "execute_tool lookup"],
    [
      "S004-6: unless one is given, whatever the namespace",
      spanNameOf({ ...namespaced, traceName: "Look up" }),
      "execute_tool Look up",
    ],
    ["S004-7: the call id is the provider's", callIdOf({ call_id: "c1", name: "lookup" }), "c1"],
    ["S004-9: a bare call", lookupKeyOfCall(bare), lookupKeyOfTool(bare)],
    ["S004-9: a namespaced call", lookupKeyOfCall(namespaced), lookupKeyOfTool(namespaced)],
    ["S004-9: a deferred tool's call", lookupKeyOfCall(reserved), lookupKeyOfTool(deferred)],
    ["S004-13: a handoff has one default name", handoffNameOf("Billing Agent"), "transfer_to_billing_agent"],
    [
      "S004-14: a deferred tool has a key of its own",
      lookupKeyOfTool(deferred),
      '["deferred_top_level","lookup"]',
    ],
    [
      "S004-15: a namespace equal to the name means it",
      lookupKeyOfCall(reserved),
      '["deferred_top_level","lookup"]',
    ],
    ["S004-16: and is no key of an ordinary tool", lookupKeyOfTool(reserved), undefined],
    ["S004-20: a number is no call id", callIdOf({ call_id: 123 }), undefined],
    ["S004-20: and nothing else takes its place", callIdOf({ call_id: 5, id: "i1" }), undefined],
  ])("%s", (_, actual, expected) => {
    expect(actual).toBe(expected);
  });

  it.each([
    ["S004-5: the canonical key", approvalKeysOfCall(namespaced), ["crm.lookup"]],
    [
      "S004-5: and a permitted alias",
      approvalKeysOfTool(deferred, { allowBareAlias: true }),
      ["lookup", "deferred_top_level:lookup"],
    ],
    [
      "S004-18: a lasting approval of a deferred tool",
      approvalKeysOfTool(deferred),
      ["deferred_top_level:lookup"],
    ],
  ])("%s", (_, keys, shown) => {
    expect(formatApprovalKeys(keys)).toEqual(shown);
  });

  it("S004-8: no two identities share a key, however their names are joined", () => {
    const tools = [
      { name: "a.b.c" },
      { name: "b.c", namespace: "a" },
      { name: "c", namespace: "a.b" },
      { name: "a.b.c", deferred: true },
    ];
    expect(new Set(tools.map(lookupKeyOfTool)).size).toBe(tools.length);
    expect(new Set(tools.map((tool) => approvalKeysOfTool(tool)?.canonical)).size).toBe(tools.length);
  });

  it.each([
    ["S004-10: two deferred tools of one name", [deferred, { ...deferred }], ["duplicate-deferred"]],
    [
      "S004-10: a dotted name against a namespace",
      [{ name: "crm.lookup" }, namespaced],
      ["duplicate-qualified"],
    ],
    ["S004-10: a bare and a deferred tool do not collide", [bare, deferred], []],
    ["S004-16: an explicit namespace equal to the name", [reserved], ["reserved-namespace"]],
  ])("%s", (_, tools, codes) => {
    expect(validateToolSet(tools).map(({ code }) => code)).toEqual(codes);
  });

  it("S004-11, S004-17: a call is normalised on a copy, for the tool that was chosen and no other", () => {
    const call = { ...reserved, call_id: "c1" };
    const tools = buildToolSet([bare, deferred]);
    expect(resolveCall(call, tools)).toEqual({ outcome: "resolved", tool: deferred });
    expect(normalizeCall(call, deferred)).toEqual({ name: "lookup", call_id: "c1" });
    expect(normalizeCall(call, bare)).toBe(call);
    expect(call.namespace).toBe("lookup");
  });

  it("S004-12: server-prefixed names are opt-in, and the downstream's tool keeps its name", () => {
    const snapshot = buildSnapshot([{ server: "docs", tools: ["search"] }]);
    expect(snapshot.namesFor("openai").tools.map(({ name }) => name)).toEqual(["docs_search"]);
    const [entry] = snapshot.namesFor("openai", { style: "prefixed" }).tools;
    expect(entry).toMatchObject({ name: "mcp_docs__search", tool: { raw: "search", server: "docs" } });
  });

  it.each([
    ["S004-19: no sibling", deferred, [], true],
    ["S004-19: a bare sibling", deferred, [bare], false],
    ["S004-19: a namespaced sibling", deferred, [namespaced], true],
    ["S004-19: a tool that is not deferred", bare, [], false],
  ])("%s", (_, tool, siblings, allowed) => {
    expect(isBareAliasAllowed(tool, buildToolSet([tool, ...siblings]))).toBe(allowed);
  });
});
