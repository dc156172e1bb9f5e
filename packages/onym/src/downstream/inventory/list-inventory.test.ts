import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, parseServerMessage, type Reply, readMessage, resultReply } from "../../mcp/message.js";
import { systemClock } from "../../model/clock.js";
import type { Handshake } from "../connection.js";
import type { DownstreamRequest, Inventory } from "../downstream.js";
import { toReply } from "../protocol/request.js";
import { hasAllTools, type ListOptions, listInventory } from "./list-inventory.js";
import { MAX_ENTRY_VALUES } from "./read-page.js";

const handshake: Handshake = {
  era: "legacy",
  revision: "2025-11-25",
  capabilities: { tools: {}, resources: {}, prompts: {} },
  serverInfo: { name: "test" },
  instructions: undefined,
};
const LIMITS = { listEntries: 1_000, entryBytes: 10_000, listBytes: 100_000, serverBytes: 200_000 };

interface Server {
  readonly tools?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  readonly templates?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
}

const list = (
  server: Server | ((request: DownstreamRequest) => Reply),
  limits: Partial<ListOptions["limits"]> = {},
  more: Partial<ListOptions> = {},
) =>
  listInventory({
    handshake,
    send: async (request) => (typeof server === "function" ? server(request) : answer(server, request)),
    limits: { ...LIMITS, ...limits },
    timeoutMs: 10_000,
    clock: systemClock,
    before: undefined,
    ...more,
  });

function answer(
  { tools = [], resources = [], templates = [], prompts = [] }: Server,
  { method }: DownstreamRequest,
): Reply {
  if (method === "tools/list") return resultReply({ tools });
  if (method === "resources/list") return resultReply({ resources });
  if (method === "resources/templates/list") return resultReply({ resourceTemplates: templates });
  return resultReply({ prompts });
}

/** A tool whose JSON has so many bytes. */
const sized = (name: string, bytes: number): JsonObject => {
  const empty = { name, description: "" };
  return { name, description: "x".repeat(bytes - JSON.stringify(empty).length) };
};
it("does not parse an entry whose text has twice the bytes that it may have (SAFE-4)", async () => {
  const spaced = (bytes: number) => `{"name":"a${bytes}",${" ".repeat(bytes - 15)}"b":0}`;
  const texts = [spaced(10_000), spaced(20_001)].join(",");
  const page = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${texts}]}}`;
  const { inventory } = await list((request) =>
    request.method === "tools/list" ? readReply(page) : answer({}, request),
  );
  expect(inventory.tools).toEqual([{ name: "a10000", b: 0 }]);
  expect(inventory.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining("1 entry over 10000 bytes (limits.entryBytes)"),
  ]);
});

it.each(
  [
    ["one below", MAX_ENTRY_VALUES - 1, false],
    ["at", MAX_ENTRY_VALUES, false],
    ["one above", MAX_ENTRY_VALUES + 1, true],
  ].flatMap((row) =>
    [
      ["tools", "tools/list", "name"],
      ["resources", "resources/list", "uri"],
      ["resourceTemplates", "resources/templates/list", "uriTemplate"],
      ["prompts", "prompts/list", "name"],
    ].map((list) => [...row, ...list] as [string, number, boolean, string, string, string]),
  ),
)(
  "loses only the entry with more values than one may have: %s (%i, %s, %s) (limits: MAX_ENTRY_VALUES of read-page) (SAFE-4, NAME-8)",
  async (_, values, isLost, field, method, key) => {
    // The entry, its key and the list are values, too.
    const crowded = `{"${key}":"a:crowded","x":[${Array(values - 3)
      .fill(1)
      .join()}]}`;
    const page = `{"jsonrpc":"2.0","id":1,"result":{"${field}":[{"${key}":"a:1"},${crowded},{"${key}":"a:2"}]}}`;
    const { inventory } = await list(
      (request) => (request.method === method ? readReply(page) : answer({}, request)),
      { entryBytes: 100_000 },
    );
    const listed = field === "resourceTemplates" ? "templates" : (field as keyof Inventory);
    expect((inventory[listed] as JsonObject[]).map((entry) => entry[key])).toEqual(
      isLost ? ["a:1", "a:2"] : ["a:1", "a:crowded", "a:2"],
    );
    expect(inventory.problems.map(({ message }) => message)).toEqual(
      isLost
        ? [
            `${method}: 1 entry with more than ${MAX_ENTRY_VALUES} JSON values left out; the first is "a:crowded"`,
          ]
        : [],
    );
  },
);

/** As a server's message comes to. */
const readReply = (text: string): Reply => {
  const parsed = parseServerMessage(text);
  const read = readMessage(parsed.ok ? parsed.value : undefined, parsed.text);
  if (read.kind !== "response") throw new Error(read.kind);
  return toReply(read.message, {} as DownstreamRequest, "test");
};
const names = ({ tools }: Inventory) => tools.map(({ name }) => name);

describe("the lists of a server (SAFE-4)", () => {
  it.each([
    ["one below", 2, 2],
    ["at", 3, 3],
    ["one above", 4, 3],
  ])("hold so many entries and no more: %s (limits.listEntries)", async (_, count, kept) => {
    const tools = Array.from({ length: count }, (_, n) => ({ name: `t${n}` }));
    const { inventory } = await list({ tools }, { listEntries: 3 });
    expect(inventory.tools).toHaveLength(kept);
    expect(inventory.problems).toHaveLength(count - kept);
  });

  it.each([
    ["one below", 99, ["a", "b"]],
    ["at", 100, ["a", "b"]],
    ["one above", 101, ["b"]],
  ])("keep an entry %s the limit of an entry (limits.entryBytes)", async (_, bytes, kept) => {
    const { inventory } = await list({ tools: [sized("a", bytes), sized("b", 50)] }, { entryBytes: 100 });
    expect(names(inventory)).toEqual(kept);
    expect(inventory.problems.map(({ message }) => message)).toEqual(
      kept.length === 2
        ? []
        : [
            'tools/list: 1 entry over 100 bytes (limits.entryBytes) left out; the largest is "a" with 101 bytes',
          ],
    );
  });

  it("count bytes, not characters", async () => {
    const { inventory } = await list({ tools: [{ name: "é".repeat(40) }] }, { entryBytes: 60 });
    expect(inventory.tools).toEqual([]);
  });

  it.each([
    ["one below", 99, 3],
    ["at", 100, 3],
    ["one above", 101, 2],
  ])("end %s the limit of a list (limits.listBytes)", async (_, bytes, kept) => {
    const tools = [sized("a", 30), sized("b", 30), sized("c", bytes - 60)];
    const { inventory } = await list({ tools }, { listBytes: 100 });
    expect(inventory.tools).toHaveLength(kept);
    expect(inventory.problems.map(({ message }) => message)).toEqual(
      kept === 3 ? [] : ["tools/list: more than 100 bytes (limits.listBytes); the rest is left out"],
    );
  });

  it.each([
    ["one below", 99, 1],
    ["at", 100, 1],
    ["one above", 101, 0],
  ])("end %s the limit of a server, tools first (limits.serverBytes)", async (_, bytes, kept) => {
    const { inventory } = await list(
      { tools: [sized("a", 60)], prompts: [sized("p", bytes - 60)] },
      { serverBytes: 100 },
    );
    expect(inventory.tools).toHaveLength(1);
    expect(inventory.prompts).toHaveLength(kept);
    expect(inventory.problems.map(({ message }) => message)).toEqual(
      kept === 1 ? [] : ["prompts/list: more than 100 bytes (limits.serverBytes); the rest is left out"],
    );
  });

  it.each([
    ["resources", "uri", 8_192],
    ["templates", "uriTemplate", 2_048],
  ] as const)(
    "hold no address of %s that is too long: one below, at and one above (limits: MAX_TEMPLATE_LENGTH of match-template)",
    async (name, key, limit) => {
      const entries = [limit - 1, limit, limit + 1].map((length) => ({ [key]: "u".repeat(length) }));
      const { inventory } = await list({ [name]: entries });
      expect(inventory[name]).toEqual(entries.slice(0, 2));
      expect(inventory.problems).toHaveLength(1);
      expect(inventory.problems[0]?.message).toContain(`or ${limit} of its ${key} left out`);
    },
  );

  it("are not read where one page is over the limit of a list", async () => {
    const huge: Reply = {
      kind: "result",
      text: "x".repeat(101),
      get result(): JsonObject {
        throw new Error("read");
      },
    };
    const { inventory } = await list(
      (request) => (request.method === "tools/list" ? huge : answer({}, request)),
      {
        listBytes: 100,
      },
    );
    expect(inventory.problems.map(({ message }) => message)).toEqual([
      "tools/list: more than 100 bytes (limits.listBytes); the rest is left out",
    ]);
  });

  it("let others have their turn between slices", async () => {
    const tools = Array.from({ length: 400 }, (_, i) => sized(`t${i}`, 50_000));
    let turns = 0;
    const spin = setInterval(() => {}, 1_000);
    const tick = (): void => {
      turns += 1;
      if (isListing) setImmediate(tick);
    };
    let isListing = true;
    setImmediate(tick);
    await list({ tools }, { entryBytes: 100_000, listBytes: 100_000_000, serverBytes: 100_000_000 });
    isListing = false;
    clearInterval(spin);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it.each([0, 1])("are the same from a large page, which stays bytes, as from a small one", async (space) => {
    const tools = [sized("a", 9_000), 1, { title: "no name" }, sized("é", 50), { name: "c" }] as JsonObject[];
    const pages = [
      { tools, nextCursor: "2\n" },
      { nextCursor: 3, tools },
    ];
    const serve = (asReply: (page: JsonObject) => Reply) => {
      const cursors: unknown[] = [];
      const listed = list((request) => {
        if (request.method !== "tools/list") return answer({}, request);
        cursors.push(request.params["cursor"]);
        return asReply(pages[cursors.length - 1] ?? {});
      });
      return listed.then((each) => ({ ...each, cursors }));
    };
    const large = await serve((result) =>
      readReply(JSON.stringify({ jsonrpc: "2.0", id: 1, result }, undefined, space)),
    );
    expect(large).toEqual(await serve(resultReply));
    expect(large.cursors).toEqual([undefined, "2\n"]);
    expect(names(large.inventory)).toEqual(["a", "é", "c", "a", "é", "c"]);
  });

  it.each([
    ["one below", 999, []],
    ["at", 1_000, []],
    ["one above", 1_001, ["tools/list: more than 1000 pages; the rest is left out"]],
  ])(
    "are read for a thousand pages, %s (limits: MAX_PAGES of list-inventory)",
    async (_, count, problems) => {
      const { inventory } = await list(({ method, params }) => {
        if (method !== "tools/list") return answer({}, { method } as DownstreamRequest);
        const page = Number(params["cursor"] ?? 1);
        const more = page < count ? { nextCursor: String(page + 1) } : {};
        return resultReply({ tools: [{ name: `t${page}` }], ...more });
      });
      expect(inventory.tools).toHaveLength(Math.min(count, 1_000));
      expect(inventory.problems.map(({ message }) => message)).toEqual(problems);
    },
  );

  it.each([
    ["one below", `${"é".repeat(2_047)}x`, undefined],
    ["at", "é".repeat(2_048), undefined],
    ["one above", `${"é".repeat(2_048)}x`, "a cursor of 4097 bytes, more than 4096; the rest is left out"],
  ])(
    "follow a cursor of 4 KiB, %s (limits: MAX_CURSOR_BYTES of list-inventory)",
    async (_, nextCursor, why) => {
      const asked: unknown[] = [];
      const { inventory } = await list(({ method, params }) => {
        if (method !== "tools/list") return answer({}, { method } as DownstreamRequest);
        asked.push(params["cursor"]);
        return resultReply(
          asked.length === 1 ? { tools: [{ name: "a" }], nextCursor } : { tools: [{ name: "b" }] },
        );
      });
      expect(asked).toEqual(why === undefined ? [undefined, nextCursor] : [undefined]);
      expect(names(inventory)).toEqual(why === undefined ? ["a", "b"] : ["a"]);
      expect(inventory.problems.map(({ message }) => message)).toEqual(
        why === undefined ? [] : [`tools/list: ${why}`],
      );
    },
  );

  it("end where all their pages have more bytes than a list may have, whatever is in them", async () => {
    let pages = 0;
    const { inventory } = await list(({ method }) => {
      if (method !== "tools/list") return answer({}, { method } as DownstreamRequest);
      pages += 1;
      const result = { tools: [{ name: `t${pages}` }], nextCursor: `${pages}`, filler: "x".repeat(40_000) };
      return readReply(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
    });
    expect(pages).toBe(3);
    expect(names(inventory)).toEqual(["t1", "t2", "t3"]);
    expect(inventory.problems.map(({ message }) => message)).toEqual([
      "tools/list: more than 100000 bytes (limits.listBytes); the rest is left out",
    ]);
  });

  it("share one deadline over all pages", async () => {
    let now = 0;
    let pages = 0;
    const { inventory } = await list(
      ({ method, timeoutMs }) => {
        if (method !== "tools/list") return answer({}, { method } as DownstreamRequest);
        expect(timeoutMs).toBe(1_000 - now);
        now += 400;
        pages += 1;
        return resultReply({ tools: [{ name: `t${pages}` }], nextCursor: `p${pages}` });
      },
      {},
      { timeoutMs: 1_000, clock: { ...systemClock, now: () => now } },
    );
    expect(pages).toBe(3);
    expect(inventory.problems.map(({ message }) => message)).toEqual([
      "tools/list failed: the whole list did not come in time",
    ]);
    expect(hasAllTools(inventory)).toBe(false);
  });

  it.each([1, 2])("stay as they were when page %i fails", async (failing) => {
    const { inventory: before } = await list({
      tools: [{ name: "a" }, { name: "b" }],
      prompts: [{ name: "p" }],
    });
    let page = 0;
    const { inventory } = await list(
      (request) => {
        if (request.method !== "tools/list") return answer({ prompts: [{ name: "q" }] }, request);
        page += 1;
        return page === failing
          ? errorReply(-32603, "down")
          : resultReply({ tools: [{ name: "a" }], nextCursor: "next" });
      },
      {},
      { before },
    );
    expect(names(inventory)).toEqual(["a", "b"]);
    expect(inventory.prompts).toEqual([{ name: "q" }]);
  });

  it("have a digest that is the same only for the same entries in the same lists (GW-7)", async () => {
    const digests = await Promise.all(
      [
        { tools: [{ name: "a" }, { name: "b" }] },
        { tools: [{ name: "a" }], prompts: [{ name: "b" }] },
        { tools: [{ name: "b" }, { name: "a" }] },
        { tools: [{ name: "a" }, { name: "b", title: "B" }] },
        { tools: [{ name: "a" }, { name: "b" }] },
      ].map(async (offer) => (await list(offer)).digest),
    );
    expect(new Set(digests).size).toBe(4);
    expect(digests[4]).toBe(digests[0]);
  });
});
