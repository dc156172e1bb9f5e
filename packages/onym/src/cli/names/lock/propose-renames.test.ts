import { buildSnapshot, EMPTY_LOCK, type Rename, type ToolSource } from "@onym/core";
import { describe, expect, it } from "vitest";
import { proposeRenames } from "./propose-renames.js";

const FIND = { description: "Finds leads", inputSchema: { type: "object", properties: { q: {} } } };
const DROP = { description: "Drops leads" };

const crm = (...tools: ToolSource["tools"]): ToolSource => ({ server: "crm", tools });
const lockOf = (sources: readonly ToolSource[], lock = EMPTY_LOCK) =>
  buildSnapshot(sources, { lock }).nextLock(["openai", "canonical"]);

function propose(
  before: readonly ToolSource[],
  after: readonly ToolSource[],
  over: {
    readonly renames?: readonly Rename[];
    readonly owners?: readonly ToolSource[];
    readonly isLocked?: boolean;
  } = {},
) {
  const { tools } = buildSnapshot(after).catalog;
  const first = lockOf(before);
  const lock = over.isLocked === true ? lockOf(after, first) : first;
  return proposeRenames({ lock, tools, owners: over.owners ?? after, renames: over.renames ?? [] });
}

describe("likely renames (LOCK-3)", () => {
  const before = [crm({ name: "list", ...FIND }, { name: "drop", ...DROP })];
  const after = [crm({ name: "find", ...FIND }, { name: "drop", ...DROP })];

  it("are of a tool that is gone to one of the same server that says the same; its names go on by themselves (LOCK-5)", () => {
    const proposal = {
      from: "crm@1/list@1",
      to: "crm@1/find@1",
      server: "crm",
      toolbox: undefined,
      renames: [{ from: "crm@1/list@1", to: "crm@1/find@1", policy: "warn" }],
    };
    expect(propose(before, after)).toEqual([proposal]);
    // Also after the new names were recorded.
    expect(propose(before, after, { isLocked: true })).toEqual([proposal]);
  });

  it("are counted from the version that the server announces, where it is one (LOCK-2)", () => {
    const since = (serverVersion: string | undefined) =>
      propose(before, after, { owners: after.map((source) => ({ ...source, serverVersion })) })[0]
        ?.renames[0];
    expect(since("2.1.0")).toMatchObject({ from: "crm@1/list@1", since: "2.1.0" });
    expect(since("latest")).not.toHaveProperty("since");
    expect(since(undefined)).not.toHaveProperty("since");
  });

  it("work when they are declared", () => {
    const renames = propose(before, after)[0]?.renames ?? [];
    const snapshot = buildSnapshot(after, { renames, lock: lockOf(before) });
    for (const old of [...renames.map(({ from }) => from), "crm_list"])
      expect(snapshot.resolve(old, { profile: "openai" })).toMatchObject({
        outcome: "resolved",
        tool: { raw: "find" },
      });
    const next = snapshot.nextLock(["openai", "canonical"]);
    const { tools } = snapshot.catalog;
    expect(proposeRenames({ lock: next, tools, owners: after, renames: [] })).toEqual([]);
  });

  it.each([
    ["nothing is gone", before, [crm({ name: "list", ...FIND }, { name: "find", ...FIND })]],
    ["the definition is another", before, [crm({ name: "find", ...FIND, title: "Find" })]],
    ["another server has it", before, [crm(), { server: "erp", tools: [{ name: "list", ...FIND }] }]],
    ["two new ones are the same", before, [crm({ name: "find", ...FIND }, { name: "look", ...FIND })]],
    [
      "two that are gone were the same",
      [crm({ name: "list", ...FIND }, { name: "look", ...FIND })],
      [crm({ name: "find", ...FIND })],
    ],
    ["tools say nothing of themselves", [crm("list")], [crm("find")]],
    [
      "the other was there before, too",
      [crm({ name: "list", ...FIND }, { name: "find", ...FIND })],
      [crm({ name: "find", ...FIND })],
    ],
    [
      "it is in another toolbox",
      [{ toolbox: "dev", server: "crm", tools: [{ name: "list", ...FIND }] }],
      [
        { toolbox: "dev", server: "crm", tools: [] },
        { toolbox: "ops", server: "crm", tools: [{ name: "find", ...FIND }] },
      ],
    ],
  ] satisfies [string, ToolSource[], ToolSource[]][])("are none where %s", (_, old, now) => {
    expect(propose(old, now)).toEqual([]);
  });

  it("are none where the server was not asked, or the rename is declared", () => {
    expect(propose(before, after, { owners: [] })).toEqual([]);
    const renames = [{ from: "crm@1/list@1", to: "crm@1/find@1" }];
    expect(propose(before, after, { renames })).toEqual([]);
  });
});
