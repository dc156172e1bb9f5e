import { EMPTY_LOCK } from "@onym/core";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { MAX_MENTIONS, MAX_TEXT_MENTIONS } from "../references/find-references.js";
import {
  createMemoryDownstream,
  failedStatus,
  type MemoryDownstream,
  READY,
  toolsNamed,
} from "../testing/memory-downstream.js";
import { buildSettings, profileNamed, serverOf, snapshotOf } from "../testing/test-callers.js";
import type { GatewaySnapshot } from "./gateway-snapshot.js";
import { createMemoryKeeper } from "./name-lock.js";
import { isPresent } from "./server-state.js";
import { prepareIndex } from "./snapshot-tables.js";

const OPENAI = { profile: profileNamed("openai"), as: undefined };
const namesIn = (snapshot: GatewaySnapshot): readonly string[] =>
  snapshot.tableOf(OPENAI).tools.map(({ name }) => name);

describe("presence", () => {
  const fs = createMemoryDownstream({ tools: toolsNamed("a") });
  it.each([
    ["is up", READY, true],
    ["has just fallen", failedStatus(0), true],
    ["is tried for the first time after", { kind: "starting", attempt: 1 }, true],
    ["failed to come back", failedStatus(1), false],
    ["is tried again", { kind: "starting", attempt: 2 }, false],
    ["failed again", failedStatus(2), false],
    ["is closed", { kind: "closed" }, false],
  ] as const)("of a server that %s", (_, status, present) => {
    fs.status = status;
    expect(isPresent(fs)).toBe(present);
  });

  it("needs an inventory, whatever the state", () => {
    const fresh = createMemoryDownstream(undefined);
    for (const status of [READY, failedStatus(0), { kind: "starting", attempt: 1 } as const]) {
      fresh.status = status;
      expect(isPresent(fresh)).toBe(false);
    }
  });

  it("of a static catalog is certain", () => {
    expect(isPresent(createMemoryDownstream(undefined, { launch: { kind: "static" } }))).toBe(true);
  });
});

describe("what is missing", () => {
  const up = (): MemoryDownstream =>
    createMemoryDownstream({ tools: toolsNamed("search") }, { server: "docs" });
  const rival = (offer: boolean): MemoryDownstream =>
    createMemoryDownstream(offer ? { tools: toolsNamed("s_search") } : undefined, { server: "doc" });

  it("is told, and what nobody asked for is not", () => {
    const down = rival(false);
    const box = createMemoryDownstream(undefined, { server: "fs", toolbox: "dev" });
    const docs = up();
    const settings = buildSettings({ servers: [serverOf(docs), serverOf(down), serverOf(box)] });
    const snapshot = snapshotOf({ downstreams: [docs, down, undefined], settings });
    expect(snapshot.present).toEqual([docs]);
    expect(snapshot.missing).toEqual([down]);
    expect(snapshot.problems).toEqual([]);
  });

  it("is a problem where only another config helps, and so is a list that is not whole (NAME-8)", () => {
    const docs = createMemoryDownstream(
      {
        tools: toolsNamed("search"),
        problems: [
          {
            code: "left-out",
            method: "tools/list",
            message: "tools/list: an entry without a name is left out",
          },
        ],
      },
      { server: "docs" },
    );
    const down = rival(false);
    down.status = { ...failedStatus(1), retryAt: Number.POSITIVE_INFINITY } as typeof down.status;
    const snapshot = snapshotOf({ downstreams: [docs, down] });
    expect(snapshot.problems).toMatchObject([
      { code: "list-incomplete", servers: ["docs"], message: expect.stringContaining("without a name") },
      {
        code: "server-unusable",
        servers: ["doc"],
        message: 'The server "doc" is down: it does not run',
        fix: "Start it.",
      },
    ]);
  });

  it("is a problem where tools are mentioned more often than is followed, with the tools (SAFE-4)", () => {
    const listing = (mentions: number) =>
      snapshotOf({
        downstreams: [
          createMemoryDownstream({
            tools: [
              { name: "a1" },
              { name: "b", description: "a1 ".repeat(mentions) },
              {
                name: "c",
                inputSchema: { type: "object", properties: { x: { description: "a1 ".repeat(mentions) } } },
              },
            ],
          }),
        ],
      });
    expect(listing(MAX_TEXT_MENTIONS).problems).toEqual([]);
    const { problems, textProblems } = listing(MAX_TEXT_MENTIONS + 1);
    expect(problems).toMatchObject([
      {
        code: "mentions-cut",
        severity: "warning",
        message: expect.stringMatching(/^"fs": the texts of "b" \(and 1 more\) mention/),
        tools: ["fs/b", "fs/c"],
        servers: ["fs"],
      },
    ]);
    expect(textProblems).toEqual(problems);
  });

  it("is a problem, too, where all texts of a server together do (SAFE-4)", () => {
    const texts = Array.from({ length: MAX_MENTIONS / 500 }, (_, n) => ({
      name: `t${n}`,
      description: "a1 ".repeat(500),
    }));
    const listing = (...more: readonly JsonObject[]) =>
      snapshotOf({ downstreams: [createMemoryDownstream({ tools: [{ name: "a1" }, ...texts, ...more] })] });
    expect(listing({ name: "last" }).problems).toEqual([]);
    expect(listing({ name: "last", description: "a1" }).problems).toMatchObject([{ tools: ["fs/last"] }]);
  });

  it("keeps its names: nobody else gets them, and they are not retired", () => {
    const tools = createMemoryKeeper(EMPTY_LOCK);
    const docs = createMemoryDownstream({ tools: toolsNamed("a") }, { server: "x" });
    const other = createMemoryDownstream({ tools: toolsNamed("a") }, { server: "y" });
    const second = { server: "y", integration: "x", version: 2, tools: [] };
    const settings = buildSettings({ servers: [serverOf(docs), serverOf(other, { source: second })] });
    const both = namesIn(snapshotOf({ downstreams: [docs, other], settings, tools }));
    expect(new Set(both)).toEqual(new Set(["x_a", "x_a_2"]));
    const taken = [...(tools.current().profiles.get("openai")?.names ?? [])];

    for (const [first, second] of [
      [docs, undefined],
      [undefined, other],
    ] as const) {
      const snapshot = snapshotOf({ downstreams: [first, second], settings, tools });
      expect(both).toEqual(expect.arrayContaining([...namesIn(snapshot)]));
      expect([...(tools.current().profiles.get("openai")?.names ?? [])]).toEqual(taken);
    }
    expect(namesIn(snapshotOf({ downstreams: [docs, other], settings, tools }))).toEqual(both);
  });
});

describe("a static catalog (CFG-3)", () => {
  const catalog = createMemoryDownstream(undefined, { server: "fixture", launch: { kind: "static" } });
  const viewWith = (
    tools: readonly (string | { name: string; version?: number; description?: string })[],
  ): GatewaySnapshot =>
    snapshotOf({
      downstreams: [catalog],
      settings: buildSettings({ servers: [serverOf(catalog, { source: { server: "fixture", tools } })] }),
    });

  it("has tools, and versions that the operator gave", () => {
    const snapshot = viewWith(["get", { name: "put", version: 3 }]);
    expect(snapshot.tools.catalog.tools.map(({ canonical }) => canonical)).toEqual([
      "fixture@1/get@1",
      "fixture@1/put@3",
    ]);
    for (const tool of snapshot.tools.catalog.tools) {
      expect(snapshot.ownerOf(tool)).toBe(catalog);
      const body = snapshot.offerOf(catalog)?.bodies.get(tool.definition);
      expect(body?.members.text).toBe('"inputSchema":{"type":"object"}');
    }
  });

  it("lists of two tools with one name the one that the catalog took", () => {
    const twice = [
      { name: "get", description: "b" },
      { name: "get", description: "a" },
    ];
    for (const tools of [twice, twice.toReversed()]) {
      const snapshot = viewWith(tools);
      const [tool] = snapshot.tools.catalog.tools;
      expect(tool?.definition.description).toBe("a");
      expect(tool && snapshot.offerOf(catalog)?.bodies.get(tool.definition)?.description).toEqual(["a"]);
    }
  });
});

describe("a downstream's word", () => {
  it("about versions does not count, and is passed on", () => {
    const fs = createMemoryDownstream({ tools: [{ name: "a", version: 9 }] });
    const snapshot = snapshotOf({ downstreams: [fs] });
    const [tool] = snapshot.tools.catalog.tools;
    expect(tool?.canonical).toBe("fs@1/a@1");
    expect(tool && snapshot.offerOf(fs)?.bodies.get(tool.definition)?.members.text).toContain('"version":9');
  });

  it("of two tools with one name is taken once, the same whatever the order, headers included", () => {
    const withHeader = {
      name: "a",
      description: "a",
      inputSchema: { type: "object", properties: { r: { type: "string", "x-mcp-header": "R" } } },
    };
    const without = { name: "a", description: "b" };
    for (const tools of [
      [withHeader, without],
      [without, withHeader],
    ]) {
      const fs = createMemoryDownstream({ tools });
      const snapshot = snapshotOf({ downstreams: [fs] });
      const [tool, second] = snapshot.tools.catalog.tools;
      expect(second).toBeUndefined();
      expect(tool && snapshot.offerOf(fs)?.bodies.get(tool.definition)?.description).toEqual(["a"]);
      expect(tool && snapshot.offerOf(fs)?.headerParams.get(tool.definition)).toHaveLength(1);
    }
  });

  it("is not shown where the filters say no (GW-13)", () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a", "b") });
    const settings = buildSettings({ servers: [serverOf(fs, { admits: (raw) => raw === "b" })] });
    expect(namesIn(snapshotOf({ downstreams: [fs], settings }))).toEqual(["fs_b"]);
  });

  it("is read once for each inventory", () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") });
    const settings = buildSettings({ servers: [serverOf(fs)] });
    const first = snapshotOf({ downstreams: [fs], settings }).offerOf(fs);
    expect(snapshotOf({ downstreams: [fs], settings }).offerOf(fs)).toBe(first);
    const other = buildSettings({ servers: [serverOf(fs)] });
    expect(snapshotOf({ downstreams: [fs], settings: other }).offerOf(fs)).not.toBe(first);
    fs.inventory = createMemoryDownstream({ tools: toolsNamed("b") }).inventory;
    expect(snapshotOf({ downstreams: [fs], settings }).offerOf(fs)).not.toBe(first);
  });
});

describe("the gateway's own names (NAME-6)", () => {
  it("are nobody else's, in any form", () => {
    const raws = [
      "find_tools",
      "findTools",
      "onym_find_tools",
      "onymFindTools",
      "acme_use_tool",
      "acmeUseTool",
    ];
    const fs = createMemoryDownstream({ tools: toolsNamed(...raws) });
    const { naming } = buildSettings();
    const settings = buildSettings({
      servers: [serverOf(fs)],
      naming: { ...naming, style: "bare", as: "acme" },
    });
    const names = namesIn(snapshotOf({ downstreams: [fs], settings }));
    expect(names).toHaveLength(raws.length);
    for (const raw of raws) expect(names).not.toContain(raw);
  });
});

describe("the names of many prompts", () => {
  const promptsNamed = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `prompt_${n}` }));

  it("are made and recorded in slices, once for those who ask for prompts (SAFE-4)", async () => {
    const keeper = createMemoryKeeper(EMPTY_LOCK);
    const downstreams = [createMemoryDownstream({ prompts: promptsNamed(1_000) })];
    const many = snapshotOf({ downstreams, prompts: keeper });
    expect(many.recording.recordTools(OPENAI)).toBeUndefined();
    const made = many.recording.recordPrompts(OPENAI);
    expect(keeper.current()).toBe(EMPTY_LOCK);
    await made;
    expect(keeper.current().profiles.get("openai")?.names.size).toBe(1_000);
    expect(many.recording.recordPrompts(OPENAI)).toBeUndefined();
    const few = snapshotOf({ downstreams: [createMemoryDownstream({ prompts: promptsNamed(999) })] });
    expect(few.recording.recordPrompts(OPENAI)).toBeUndefined();
  });
});

describe("the index of other spellings than public names", () => {
  const namesOf = (count: number) => toolsNamed(...Array.from({ length: count }, (_, n) => `tool_${n}`));

  it("is made in slices where there are many tools, once for all who wait for it (SAFE-4)", async () => {
    const { tools } = snapshotOf({ downstreams: [createMemoryDownstream({ tools: namesOf(1_000) })] });
    const made = prepareIndex(tools, OPENAI);
    expect(made).toBeInstanceOf(Promise);
    expect(prepareIndex(tools, OPENAI)).toBe(made);
    await made;
    expect(prepareIndex(tools, OPENAI)).toBeUndefined();
    expect(tools.resolve("fs/tool_7")).toMatchObject({ outcome: "resolved", step: "spelling" });
    const few = snapshotOf({ downstreams: [createMemoryDownstream({ tools: namesOf(999) })] });
    expect(prepareIndex(few.tools, OPENAI)).toBeUndefined();
  });
});

it("lists what servers listed when it was built, as its names are of that", () => {
  const fs = createMemoryDownstream({
    prompts: [{ name: "before" }],
    resources: [{ uri: "file:///before" }],
  });
  const snapshot = snapshotOf({ downstreams: [fs] });
  fs.inventory = createMemoryDownstream({ prompts: [{ name: "after" }] }).inventory;
  expect(snapshot.promptsOf(fs)).toEqual([{ name: "before" }]);
  expect(snapshot.resourcesOf(fs)).toEqual([{ uri: "file:///before" }]);
});
