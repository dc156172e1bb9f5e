import { buildSnapshot, type ToolSource } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { type PresentServer, proposeServers } from "./propose-servers.js";

const TOOLS = [{ name: "find", description: "Finds leads" }, "drop"];
const lockOf = (...sources: ToolSource[]) => buildSnapshot(sources).nextLock(["openai"]);
const present = (source: ToolSource, more: Partial<PresentServer> = {}): PresentServer => ({
  server: source.server,
  toolbox: source.toolbox,
  tools: buildSnapshot([source]).catalog.tools,
  ...more,
});
const crm: ToolSource = { server: "crm", tools: TOOLS };
const hub: ToolSource = { server: "hub", tools: TOOLS };

describe("server ids that look changed (LOCK-5) (LOCK-3)", () => {
  it("are those with the same tools under a new id", () => {
    const proposal = {
      from: "crm",
      to: "hub",
      toolbox: undefined,
      why: "tools",
      entry: { formerly: ["crm"] },
    };
    expect(proposeServers({ lock: lockOf(crm), servers: [present(hub)], launches: [] })).toEqual([proposal]);
    // Also after the new names were recorded.
    expect(proposeServers({ lock: lockOf(crm, hub), servers: [present(hub)], launches: [] })).toEqual([
      proposal,
    ]);
  });

  it("are those that are reached in the same way, whatever they offer", () => {
    const launches = [{ tool: toolKeyOf({ server: "crm", raw: "find" }), launch: "f1" }];
    const servers = [{ server: "hub", launch: "f1" }];
    expect(proposeServers({ lock: lockOf(crm), servers, launches })).toMatchObject([{ why: "launch" }]);
  });

  it("add to the ids that are declared", () => {
    const servers = [present(hub, { formerly: ["old"] })];
    expect(proposeServers({ lock: lockOf(crm), servers, launches: [] })).toMatchObject([
      { entry: { formerly: ["old", "crm"] } },
    ]);
  });

  it("hand the names on when they are declared", () => {
    const [proposal] = proposeServers({ lock: lockOf(crm), servers: [present(hub)], launches: [] });
    const snapshot = buildSnapshot([{ ...hub, ...proposal?.entry }], { lock: lockOf(crm) });
    expect(snapshot.namesFor("openai").tools.map(({ name }) => name)).toEqual(["crm_drop", "crm_find"]);
  });

  it.each([
    ["the old one is still there", lockOf(crm), [present(crm), present(hub)]],
    ["it is declared", lockOf(crm), [present(hub, { formerly: ["crm"] })]],
    ["two could be meant", lockOf(crm), [present(hub), present({ ...hub, server: "lab" })]],
    ["two are gone that were alike", lockOf(crm, { ...crm, server: "erp" }), [present(hub)]],
    ["a tool is another", lockOf(crm), [present({ ...hub, tools: ["find", "drop"] })]],
    ["it was not asked", lockOf(crm), [{ server: "hub" }]],
    ["it is in another toolbox", lockOf(crm), [present({ ...hub, toolbox: "dev" })]],
    [
      "tools are few and say nothing",
      lockOf({ server: "crm", tools: ["x"] }),
      [present({ server: "hub", tools: ["x"] })],
    ],
  ])("are none where %s", (_, lock, servers) => {
    expect(proposeServers({ lock, servers, launches: [] })).toEqual([]);
  });
});
