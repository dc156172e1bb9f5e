import { describe, expect, it } from "vitest";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool, ToolDefinition } from "../../catalog/tool.js";
import type { CallId } from "../../identity/layers/call-id.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { buildSnapshot, type SnapshotOptions } from "../../snapshot/build-snapshot.js";
import { approvalKeysOfCatalogTool } from "../approval-keys.js";
import { type CallBinding, callBindingOf } from "../call-binding.js";
import { type ToolBinding, toolBindingOf } from "../tool-binding.js";
import { decideStanding } from "./decide-standing.js";
import { decideToolCall } from "./decide-tool-call.js";
import { buildDecisionRecord } from "./decision-record.js";
import {
  buildStandingRecord,
  recordStanding,
  type StandingDecision,
  withdrawStanding,
} from "./standing-record.js";

const definition: ToolDefinition = {
  description: "Finds documents",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

function bind(change: {
  readonly principal?: string;
  readonly launch?: string;
  readonly server?: string;
  readonly toolbox?: string;
  readonly raw?: string;
  readonly definition?: ToolDefinition;
}): ToolBinding {
  const key = toolKeyOf({ server: "docs", raw: "search", ...change });
  const { principal = "ann", launch = "npx docs" } = change;
  return toolBindingOf({ principal, launch, tool: { key, definition: change.definition ?? definition } });
}

const binding = bind({});
const approved: StandingDecision = { verdict: "approved", ...binding };
const rejected: StandingDecision = { verdict: "rejected", ...binding };

function outcome(asked: ToolBinding, decisions: readonly StandingDecision[]): string {
  return decideStanding(asked, buildStandingRecord(decisions)).outcome;
}

describe("decisions about a tool that was renamed (LOCK-5) (POL-2)", () => {
  const find = bind({ raw: "find" });
  const identities = [{ key: binding.tool }];
  const gone = { former: identities, line: identities };
  const listed = { former: [], line: identities };
  const decide = (decisions: readonly StandingDecision[], lineage: typeof gone) =>
    decideStanding(find, buildStandingRecord(decisions), lineage).outcome;

  it("approve it while the old one is gone, and only as it was shown", () => {
    expect(decide([approved], gone)).toBe("approved");
    expect(decide([{ ...approved, launch: "other" }], gone)).toBe("changed");
    expect(decide([approved], listed)).toBe("undecided");
    expect(decide([{ verdict: "approved", ...find }], listed)).toBe("approved");
    expect(
      decide(
        [
          { ...approved, launch: "other" },
          { verdict: "approved", ...find },
        ],
        gone,
      ),
    ).toBe("approved");
    expect(decide([{ ...approved, principal: "bob" }], gone)).toBe("undecided");
  });

  it("reject it whether or not the old one is gone", () => {
    for (const lineage of [gone, listed]) {
      expect(decide([rejected, { verdict: "approved", ...find }], lineage)).toBe("rejected");
      const record = buildDecisionRecord([
        { kind: "always", keys: approvalKeysOfCatalogTool(binding.tool), verdict: "rejected" },
      ]);
      const standing = buildStandingRecord([{ verdict: "approved", ...find }]);
      const call = { binding: find, callId: undefined, arguments: {} };
      expect(decideToolCall({ ...call, lineage }, { record, standing }).outcome).toBe("rejected");
      expect(decideToolCall(call, { record, standing }).outcome).toBe("approved");
    }
  });
});

describe("a standing approval", () => {
  it("holds for the tool as it was approved (POL-2)", () => {
    expect(decideStanding(bind({}), buildStandingRecord([approved]))).toEqual({
      outcome: "approved",
      basis: "tool",
    });
    expect(outcome(binding, [])).toBe("undecided");
  });

  it.each([
    { principal: "bob" },
    { server: "mail" },
    { toolbox: "dev" },
    { raw: "Search" },
    { raw: "search", server: "docs ", launch: "npx docs" },
    { raw: "find", definition: { ...definition, description: "Deletes documents" } },
    { raw: "find" },
  ])("says nothing about %j: another person, server or raw name is undecided (POL-2)", (change) => {
    expect(outcome(bind(change), [approved])).toBe("undecided");
  });

  it("asks again when the definition changed, and shows the difference (POL-2)", () => {
    const asked = bind({ definition: { ...definition, description: "Deletes documents" } });
    expect(decideStanding(asked, buildStandingRecord([approved]))).toEqual({
      outcome: "changed",
      what: ["definition"],
      diff: {
        changes: [
          {
            kind: "changed",
            path: "$.description",
            before: "Finds documents",
            after: "Deletes documents",
          },
        ],
        omitted: 0,
      },
    });
  });

  it("asks again when the server is launched in another way, or both changed (POL-2)", () => {
    const record = buildStandingRecord([approved]);
    expect(decideStanding(bind({ launch: "sh -c evil" }), record)).toMatchObject({
      outcome: "changed",
      what: ["launch"],
      diff: { changes: [] },
    });
    expect(decideStanding(bind({ launch: "x", definition: {} }), record)).toMatchObject({
      what: ["definition", "launch"],
    });
  });

  it("asks again without a difference where the approved definition was not kept (POL-2)", () => {
    const record = buildStandingRecord([{ ...approved, definition: undefined }]);
    expect(decideStanding(binding, record).outcome).toBe("approved");
    expect(decideStanding(bind({ definition: {} }), record)).toEqual({
      outcome: "changed",
      what: ["definition"],
      diff: undefined,
    });
  });

  it("is for what was shown, should the tool change before the answer comes (POL-2)", () => {
    const shown = bind({});
    const meanwhile = bind({ definition: { description: "Deletes documents" } });
    expect(outcome(meanwhile, [{ verdict: "approved", ...shown }])).toBe("changed");
  });

  it("is replaced by a later one (POL-2)", () => {
    const next = bind({ definition: { description: "Deletes documents" } });
    const decisions: StandingDecision[] = [approved, { verdict: "approved", ...next }];
    expect(outcome(next, decisions)).toBe("approved");
    expect(outcome(binding, decisions)).toBe("changed");
  });

  it("does not count the order of keys in a schema, nor what is no part of the definition (POL-2)", () => {
    const reordered = { inputSchema: { properties: { text: { type: "string" } }, type: "object" } };
    expect(outcome(bind({ definition: { ...definition, ...reordered } }), [approved])).toBe("approved");
    const named = { name: "search", version: 3, ...definition };
    expect(outcome(bind({ definition: named }), [approved])).toBe("approved");
    expect(bind({ definition: named }).definition).not.toHaveProperty("name");
  });
});

describe("a standing rejection", () => {
  it("beats an approval in any order (POL-2)", () => {
    expect(outcome(binding, [approved, rejected])).toBe("rejected");
    expect(outcome(binding, [rejected, approved])).toBe("rejected");
  });

  it("holds whatever the tool makes of itself (POL-2)", () => {
    expect(outcome(bind({ definition: {}, launch: "other" }), [rejected])).toBe("rejected");
  });

  it("is one person's, and ends when it is withdrawn (POL-2)", () => {
    const record = buildStandingRecord([rejected]);
    expect(decideStanding(bind({ principal: "bob" }), record).outcome).toBe("undecided");
    const withdrawn = withdrawStanding(record, binding);
    expect(decideStanding(binding, withdrawn).outcome).toBe("undecided");
    expect(decideStanding(binding, recordStanding(withdrawn, approved)).outcome).toBe("approved");
    expect(decideStanding(binding, record).outcome).toBe("rejected");
  });
});

describe("a pure rename", () => {
  const source: ToolSource = { server: "docs", tools: [{ name: "search", ...definition }] };
  const only = (sources: readonly ToolSource[], options: SnapshotOptions = {}): Tool => {
    const tool = buildSnapshot(sources, options).catalog.toolWithKey(binding.tool);
    if (tool === undefined) throw new Error("the tool is gone");
    return tool;
  };

  it.each<[string, readonly ToolSource[], SnapshotOptions]>([
    ["alias", [{ ...source, alias: "d" }], {}],
    ["integration", [{ ...source, integration: "papers" }], {}],
    ["version", [{ ...source, version: 7 }], {}],
    ["style", [source], { style: "prefixed" }],
    ["gateway alias", [source], { as: "acme" }],
    ["pin", [source], { pins: { find: "docs@1/search@1" } }],
    ["declared rename", [source], { renames: [{ from: "old", to: "docs@1/search@1" }] }],
    ["neighbour", [source, { server: "docs-2", integration: "docs", version: 2, tools: ["search"] }], {}],
  ])("of the %s keeps the approval (POL-2)", (_, sources, options) => {
    const asked = toolBindingOf({ principal: "ann", launch: "npx docs", tool: only(sources, options) });
    expect(outcome(asked, [approved])).toBe("approved");
  });

  it("together with a changed definition asks (POL-2)", () => {
    const changed = { ...source, alias: "d", tools: [{ name: "search", description: "Deletes" }] };
    const asked = toolBindingOf({ principal: "ann", launch: "npx docs", tool: only([changed]) });
    expect(outcome(asked, [approved])).toBe("changed");
  });
});

describe("deciding about a call of a catalog tool", () => {
  const asked = { binding, callId: "c1" as CallId, arguments: { text: "leads" } };
  const call = callBindingOf({ ...asked, definition }) as CallBinding;
  const keys = approvalKeysOfCatalogTool(binding.tool);
  const standing = buildStandingRecord([approved]);
  const none = buildStandingRecord([]);
  const ask = (record: Parameters<typeof buildDecisionRecord>[0], tools = none) =>
    decideToolCall(asked, { record: buildDecisionRecord(record), standing: tools });

  it("takes the decision about the call first (ID-5)", () => {
    expect(ask([{ kind: "call", keys, call, verdict: "rejected" }], standing)).toEqual({
      outcome: "rejected",
      basis: "call",
    });
    expect(ask([{ kind: "call", keys, call, verdict: "approved" }]).outcome).toBe("approved");
    const denied = buildStandingRecord([rejected]);
    expect(ask([{ kind: "call", keys, call, verdict: "approved" }], denied).outcome).toBe("approved");
  });

  it("takes a rejection from wherever it is, and an approval only with its definition (ID-5, POL-2)", () => {
    expect(ask([{ kind: "always", keys, verdict: "rejected" }], standing).outcome).toBe("rejected");
    expect(ask([{ kind: "always", keys, verdict: "approved" }]).outcome).toBe("undecided");
    expect(ask([], standing)).toEqual({ outcome: "approved", basis: "tool" });
    expect(ask([])).toEqual({ outcome: "undecided" });
  });

  it("finds no decision about a call without an id (ID-6)", () => {
    const record = buildDecisionRecord([{ kind: "call", keys, call, verdict: "approved" }]);
    const nameless = { ...asked, callId: undefined };
    expect(decideToolCall(nameless, { record, standing: none }).outcome).toBe("undecided");
  });

  it("runs nothing but the call that was approved, with what was shown (ID-11)", () => {
    const record = buildDecisionRecord([{ kind: "call", keys, call, verdict: "approved" }]);
    const outcomeOf = (change: Partial<typeof asked>) =>
      decideToolCall({ ...asked, ...change }, { record, standing: none }).outcome;
    expect(outcomeOf({})).toBe("approved");
    expect(outcomeOf({ arguments: { text: "all" } })).toBe("undecided");
    expect(outcomeOf({ arguments: {} as never })).toBe("undecided");
    expect(outcomeOf({ binding: bind({ definition: { description: "Deletes documents" } }) })).toBe(
      "undecided",
    );
    expect(outcomeOf({ binding: bind({ server: "mail" }) })).toBe("undecided");
    expect(outcomeOf({ callId: "c2" as CallId })).toBe("undecided");
  });
});
