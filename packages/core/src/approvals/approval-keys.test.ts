import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { isDeferredTopLevel, type LookupKey } from "../identity/layers/lookup-key.js";
import type { FunctionTool } from "../identity/name-parts.js";
import { type ToolKey, toolKeyOf } from "../identity/tool-key.js";
import {
  type ApprovalKey,
  type ApprovalKeys,
  approvalKeysOfCall,
  approvalKeysOfCatalogTool,
  approvalKeysOfTool,
  formatApprovalKey,
  formatApprovalKeys,
  formatStoredKey,
  readStoredKey,
} from "./approval-keys.js";

const nastyText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "",
      ".",
      "a.b",
      "b.a",
      "__proto__",
      "constructor",
      "catalog",
      "bare",
      "namespaced",
      "toolbox",
      "deferred_top_level",
      "deferred_top_level:a",
      '["namespaced","a","b"]',
      '","',
      "\\",
      "\ud800",
      "\ufffd",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);

interface Subject {
  readonly identity: readonly unknown[];
  readonly keys: ApprovalKeys | undefined;
}

function functionSubject(tool: FunctionTool): Subject {
  const namespace = tool.namespace || undefined;
  const kind = isDeferredTopLevel(tool) ? "deferred" : "plain";
  return { identity: [kind, namespace ?? null, tool.name], keys: approvalKeysOfTool(tool) };
}

const functionTool = fc
  .record({ name: nastyText, namespace: fc.option(nastyText, { nil: undefined }), deferred: fc.boolean() })
  .map(functionSubject);
const catalogTool = fc
  .record({ server: nastyText, raw: nastyText, toolbox: fc.option(nastyText, { nil: undefined }) })
  .map((parts): Subject => {
    const identity = ["catalog", parts.toolbox ?? null, parts.toolbox === undefined, parts.server, parts.raw];
    return { identity, keys: approvalKeysOfCatalogTool(toolKeyOf(parts)) };
  });
/** Two ways to cut one dotted text, as namespaced tools: the pairs that joined keys confuse. */
const resplitPair = fc
  .tuple(fc.array(nastyText, { minLength: 2, maxLength: 5 }), fc.nat(), fc.nat(), fc.boolean())
  .map(([words, first, second, deferred]): [Subject, Subject] => {
    const cut = (at: number) =>
      functionSubject({ namespace: words.slice(0, at).join("."), name: words.slice(at).join("."), deferred });
    return [cut(first % words.length), cut(second % words.length)];
  });
const anySubject = fc.oneof(functionTool, catalogTool);
const subjectPair = fc.oneof(fc.tuple(anySubject, anySubject), resplitPair);

describe("approval keys", () => {
  it("are shared by no two tools, of a builder or of a catalog (ID-4)", () => {
    fc.assert(
      fc.property(subjectPair, ([a, b]) => {
        if (a.keys === undefined || b.keys === undefined) return;
        const isSame = JSON.stringify(a.identity) === JSON.stringify(b.identity);
        expect(a.keys.canonical === b.keys.canonical).toBe(isSame);
      }),
      { numRuns: 10_000 },
    );
  });

  it("differ where the joined names agree (ID-4)", () => {
    const keys = [{ name: "c", namespace: "a.b" }, { name: "b.c", namespace: "a" }, { name: "a.b.c" }].map(
      (tool) => approvalKeysOfTool(tool)?.canonical,
    );
    expect(new Set(keys).size).toBe(3);
  });

  it("keep a deferred tool apart from a tool whose name looks like its key (ID-4)", () => {
    const deferred = approvalKeysOfTool({ name: "a", deferred: true });
    const lookalike = approvalKeysOfTool({ name: "deferred_top_level:a" });
    expect(formatApprovalKeys(deferred)).toEqual(formatApprovalKeys(lookalike));
    expect(deferred?.canonical).not.toBe(lookalike?.canonical);
  });

  it("are the same for a deferred tool and for the provider's call of it (ID-4)", () => {
    expect(approvalKeysOfTool({ name: "a", deferred: true })).toEqual(
      approvalKeysOfCall({ name: "a", namespace: "a" }),
    );
  });

  it("put the canonical key first and permitted aliases after it (ID-4)", () => {
    const options = { allowBareAlias: true, includeLegacyDeferred: true };
    expect(approvalKeysOfTool({ name: "a", deferred: true }, options)).toEqual({
      kind: "deferred_top_level",
      canonical: '["deferred_top_level","a"]',
      aliases: ['["bare","a"]', '["namespaced","a","a"]'],
    });
    expect(approvalKeysOfTool({ name: "a" }, options)?.aliases).toEqual([]);
  });

  it("are refused to an explicit namespace that repeats the name, and to what has no name (ID-2, ID-4)", () => {
    expect(approvalKeysOfTool({ name: "a", namespace: "a" })).toBeUndefined();
    expect(approvalKeysOfCall({ name: 5 })).toBeUndefined();
    expect(approvalKeysOfCall({ name: "a", namespace: 5 })).toBeUndefined();
    expect(approvalKeysOfCall(null)).toBeUndefined();
  });

  it("show the owner of a catalog tool, and hide no character (ID-4, SAFE-1)", () => {
    const shown = (parts: Parameters<typeof toolKeyOf>[0]) =>
      formatApprovalKey(approvalKeysOfCatalogTool(toolKeyOf(parts)).canonical);
    expect(shown({ server: "docs", raw: "search" })).toBe("docs/search");
    expect(shown({ toolbox: "dev", server: "docs", raw: "a\u202eb" })).toBe("dev/docs/a\\u{202E}b");
  });

  it("are read only from tuples that a key has (ID-4)", () => {
    const kept = [
      ["bare", "a"],
      ["deferred_top_level", "a"],
      ["namespaced", "n", "a"],
      ["hosted_mcp", "s", "a"],
      ["catalog", ["namespaced", "s", "a"]],
    ];
    for (const tuple of kept) {
      const key = readStoredKey(tuple);
      expect(key && JSON.parse(formatStoredKey(key))).toEqual(tuple);
    }
    const others = [
      null,
      "bare",
      [],
      ["bare"],
      ["bare", "a", "b"],
      ["bare", ""],
      ["namespaced", "n"],
      ["namespaced", "n", ""],
      ["namespaced", "n", "a", "b"],
      ["hosted_mcp", "s"],
      ["hosted_mcp", "s", "a", "b"],
      ["catalog", ["namespaced", "s", "a"], "b"],
      ["catalog", "s", "a"],
      ["other", "n", "a"],
    ];
    for (const tuple of others) expect(readStoredKey(tuple), JSON.stringify(tuple)).toBeUndefined();
    expect(approvalKeysOfCatalogTool(toolKeyOf({ server: "s", raw: "a" }))).toEqual({
      kind: "catalog",
      canonical: '["catalog","[\\"namespaced\\",\\"s\\",\\"a\\"]"]',
      aliases: [],
    });
  });

  it("are a type of their own (ID-4)", () => {
    expectTypeOf<LookupKey>().not.toExtend<ApprovalKey>();
    expectTypeOf<ToolKey>().not.toExtend<ApprovalKey>();
  });
});

describe("a request of a provider's own MCP connection", () => {
  const wire = { type: "mcp_approval_request", id: "r1", server_label: "crm", name: "lookup" };
  const kept = { type: "hosted_tool_call", id: "i1", name: "lookup", providerData: wire };

  it("has the label of its server in its key, and no alias (ID-4)", () => {
    for (const call of [wire, kept]) {
      const keys = approvalKeysOfCall(call, { allowBareAlias: true });
      expect(keys).toEqual({ kind: "hosted_mcp", canonical: '["hosted_mcp","crm","lookup"]', aliases: [] });
      expect(formatApprovalKeys(keys)).toEqual(["hosted_mcp:crm/lookup"]);
    }
  });

  it("shares its key with no function of that name, in whatever namespace (ID-4)", () => {
    const other = [
      { name: "lookup" },
      { name: "lookup", namespace: "crm" },
      { ...wire, server_label: "erp" },
    ];
    for (const call of other)
      expect(approvalKeysOfCall(call)?.canonical).not.toBe(approvalKeysOfCall(wire)?.canonical);
  });

  it("has none where it does not say which tool of which server it means (ID-4)", () => {
    expect(approvalKeysOfCall({ ...wire, server_label: undefined })).toBeUndefined();
    expect(approvalKeysOfCall({ ...wire, name: "" })).toBeUndefined();
    expect(
      approvalKeysOfCall({ ...kept, name: "mcp_approval_request", providerData: { ...wire, name: 5 } }),
    ).toBeUndefined();
  });

  it("is kept and read like every other (ID-4)", () => {
    const key = approvalKeysOfCall(wire)?.canonical as ApprovalKey;
    expect(readStoredKey(JSON.parse(formatStoredKey(key)))).toBe(key);
  });
});
