// The adapter for Anthropic's Messages API, against the real SDK. No request leaves the machine.

import Anthropic from "@anthropic-ai/sdk";
import { buildSnapshot } from "@onym/core";
import type { CallOutcome, HistoryItem } from "@onym/core/adapters";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { describe, expect, expectTypeOf, it } from "vitest";
import { awfulSources } from "./awful-tools.js";

type Block = Anthropic.Messages.ContentBlock | { type: string; [field: string]: unknown };
type Params = Anthropic.Messages.MessageCreateParamsNonStreaming;

/** The SDK with a transport that answers with these blocks, and what it was asked to send. */
function fakeClient(content: readonly Block[]) {
  const bodies: Params[] = [];
  const paths: string[] = [];
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    fetch: async (url, init) => {
      paths.push(new URL(String(url)).pathname + (new Headers(init?.headers).get("anthropic-beta") ?? ""));
      bodies.push(JSON.parse(String(init?.body)));
      const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", content };
      return Response.json({ ...message, stop_reason: "tool_use", usage: {} });
    },
  });
  return { client, bodies, paths };
}

const use = (name: unknown, rest: object = {}) => ({
  type: "tool_use",
  id: "toolu_1",
  name,
  input: {},
  ...rest,
});

const rawOf = (outcome: CallOutcome | undefined) =>
  outcome?.outcome === "call" ? `${outcome.tool.server}: ${outcome.tool.raw}` : outcome?.code;

const crm = { server: "crm", tools: [{ name: "leads.get", description: "Leads" }, { name: "leads.add" }] };
const web = { server: "web", tools: ["search"] };

describe("tools", () => {
  it.each(["none", "all"] as const)(
    "makes an awful tool set legal, defer %s (LIB-1, LIB-2)",
    async (defer) => {
      const adapter = buildAnthropicAdapter(awfulSources, { defer });
      const tools: Anthropic.Messages.ToolUnion[] = adapter.tools();
      const names = adapter.belt.tools.map(({ name }) => name);
      expect(names).toHaveLength(awfulSources.flatMap((source) => source.tools).length);
      expect(new Set(names).size).toBe(names.length);
      const longest = defer === "none" ? 128 : 64;
      for (const name of names) expect(name).toMatch(new RegExp(`^[a-zA-Z0-9_-]{1,${longest}}$`));

      const { client, bodies } = fakeClient(
        names.map((name, i) => use(name, { id: `toolu_${i}`, input: { i } })),
      );
      const response = await client.messages.create({ model: "claude", max_tokens: 9, messages: [], tools });
      expect(bodies[0]?.tools).toEqual(tools);
      const outcomes = adapter.calls(response);
      expect(outcomes.map((each) => (each.outcome === "call" ? each.tool : each))).toEqual(
        adapter.belt.tools.map(({ tool }) => tool),
      );
      expect(outcomes.map((each) => each.outcome === "call" && each.arguments)).toEqual(
        names.map((_, i) => ({ i })),
      );
    },
  );

  it("shows names of Object as they are (SAFE-1)", () => {
    const snapshot = buildSnapshot([{ server: "o", tools: ["constructor", "__proto__", "toString"] }], {
      pins: { constructor: "o@1/constructor@1", __proto__x: "o@1/__proto__@1", toString: "o@1/toString@1" },
    });
    const adapter = buildAnthropicAdapter(snapshot);
    expect(adapter.tools().map(({ name }) => name)).toEqual(["__proto__x", "constructor", "toString"]);
    expect(rawOf(adapter.call(use("constructor")))).toBe("o: constructor");
    expect(rawOf(adapter.call(use("toString")))).toBe("o: toString");
    expect(adapter.call(use("valueOf"))).toMatchObject({ outcome: "refused", code: "unknown-tool" });
  });

  it("sends what a tool says, and nothing it does not say", () => {
    expect(buildAnthropicAdapter([crm]).tools()).toEqual([
      { name: "crm_leads_add", input_schema: { type: "object", properties: {} } },
      { name: "crm_leads_get", description: "Leads", input_schema: { type: "object", properties: {} } },
    ]);
  });

  it("adds the search tool when anything is deferred, on the API that needs no beta (LIB-1)", async () => {
    const rule = { defer: (tool: { raw: string }) => tool.raw === "leads.add" };
    const adapter = buildAnthropicAdapter([crm], rule);
    expect(adapter.tools()).toMatchObject([
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
      { name: "crm_leads_add", defer_loading: true },
      { name: "crm_leads_get" },
    ]);
    expect(adapter.tools()[2]).not.toHaveProperty("defer_loading");
    expect(buildAnthropicAdapter([crm], { ...rule, search: "bm25" }).tools()[0]?.name).toBe(
      "tool_search_tool_bm25",
    );
    expect(buildAnthropicAdapter([crm], { defer: () => false }).tools()).toHaveLength(2);
    const { client, paths } = fakeClient([]);
    await client.messages.create({ model: "claude", max_tokens: 9, messages: [], tools: adapter.tools() });
    expect(paths).toEqual(["/v1/messages"]);
  });

  it("keeps the names of Anthropic's own tools from others, lock or not (LIB-2)", () => {
    const alone = buildAnthropicAdapter([web]);
    expect(alone.tools().map(({ name }) => name)).toEqual(["web_search"]);
    const lock = buildSnapshot([web]).nextLock(["anthropic"]);
    const search: Anthropic.Messages.WebSearchTool20250305 = {
      type: "web_search_20250305",
      name: "web_search",
    };
    const snapshots = [buildSnapshot([web]), buildSnapshot([web], { lock })];
    for (const snapshot of snapshots) {
      const adapter = buildAnthropicAdapter(snapshot, { serverTools: [search] });
      const tools: Anthropic.Messages.ToolUnion[] = adapter.tools();
      expect(tools.map((tool) => "name" in tool && tool.name)).toEqual(["web_search", "web_search_t6w5ztfg"]);
      expect(rawOf(adapter.call(use("web_search_t6w5ztfg")))).toBe("web: search");
      expect(rawOf(adapter.call(use("web_search")))).toBe("unknown-tool");
      expect(adapter.belt.nameFor(adapter.belt.refer("web_search_t6w5ztfg"))).toBe("web_search_t6w5ztfg");
    }
  });

  it("does not add a second search tool", () => {
    const own = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" } as const;
    const adapter = buildAnthropicAdapter([crm], { defer: "all", serverTools: [own] });
    expect(adapter.tools().map(({ name }) => name)).toEqual([own.name, "crm_leads_add", "crm_leads_get"]);
  });
});

describe("calls", () => {
  const adapter = buildAnthropicAdapter([crm], { serverTools: [{ type: "bash_20250124", name: "bash" }] });

  it("leaves calls to Anthropic's own tools to others", () => {
    const content = [
      { type: "text", text: "Let me see." },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      use("bash"),
      use("navigate", { toolset_name: "browser" }),
      use("crm_leads_get", { toolset_name: null }),
    ];
    expect(adapter.calls({ content }).map(rawOf)).toEqual(["crm: leads.get"]);
    expect(adapter.calls(content)).toHaveLength(1);
    for (const odd of [undefined, null, 5, "x", {}, { content: "x" }]) expect(adapter.calls(odd)).toEqual([]);
  });

  it.each([
    ["no id", { id: undefined }, "no-call-id"],
    ["a numeric id", { id: 5 }, "no-call-id"],
    ["no name", { name: undefined }, "no-name"],
    ["a name that is no text", { name: { a: 1 } }, "no-name"],
    ["an unknown name", { name: "crm_leads_gte" }, "unknown-tool"],
    ["another's toolset", { toolset_name: "browser" }, "wrong-namespace"],
    ["arguments that are no JSON", { input: "{" }, "bad-arguments"],
    ["arguments that are no object", { input: [1] }, "bad-arguments"],
  ])("refuses a call with %s (ID-6)", (_, change, code) => {
    expect(adapter.call(use("crm_leads_get", change))).toMatchObject({ outcome: "refused", code });
  });

  it.each([undefined, null, 5, "x", []])("refuses %j", (odd) => {
    expect(adapter.call(odd).outcome).toBe("refused");
  });

  it("sends results and refusals back in one message the SDK takes (LIB-1)", async () => {
    const replies = adapter
      .calls([use("crm_leads_get"), use("crm_leads_gte", { id: "toolu_2" }), use("x", { id: 7 })])
      .map((each) => (each.outcome === "call" ? adapter.result(each, "3 leads") : adapter.refusal(each)));
    const message: Anthropic.Messages.MessageParam = adapter.reply([...replies].reverse());
    const { client, bodies } = fakeClient([]);
    await client.messages.create({ model: "claude", max_tokens: 9, messages: [message] });
    expect(bodies[0]?.messages).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_2",
            content: expect.stringContaining("You may use: crm_leads_get"),
            is_error: true,
          },
          { type: "tool_result", tool_use_id: "toolu_1", content: "3 leads" },
          { type: "text", text: "The tool call has no id. Call the tool again." },
        ],
      },
    ]);
  });

  it("takes blocks as a result, and says when it is an error", () => {
    const [outcome] = adapter.calls([use("crm_leads_get")]);
    if (outcome?.outcome !== "call") throw new Error("refused");
    const result: Anthropic.Messages.ToolResultBlockParam = adapter.result(
      outcome,
      [{ type: "text", text: "no" }],
      { isError: true },
    );
    expect(result).toEqual({
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: [{ type: "text", text: "no" }],
      is_error: true,
    });
  });
});

describe("history", () => {
  const before = buildAnthropicAdapter([crm], { defer: "all" });
  const pins = { get_leads: "crm@1/leads.get@1" };
  const after = buildAnthropicAdapter(buildSnapshot([crm], { pins }), { defer: "all" });

  const conversation = (name: string): Anthropic.Messages.MessageParam[] => [
    { role: "user", content: "Which leads?" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm", signature: "s1" },
        {
          type: "server_tool_use",
          id: "srvtoolu_1",
          name: "tool_search_tool_regex",
          input: { query: "lead" },
        },
        {
          type: "tool_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: {
            type: "tool_search_tool_search_result",
            tool_references: [{ type: "tool_reference", tool_name: name }],
          },
        },
        { type: "text", text: "Found it.", citations: null },
        { type: "tool_use", id: "toolu_1", name, input: { q: 1 }, caller: { type: "direct" } },
        { type: "tool_use", id: "toolu_2", name, input: {} },
        { type: "tool_use", id: "toolu_3", name: "gone_tool", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "3 leads" },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: [
            { type: "text", text: "See" },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            { type: "tool_reference", tool_name: name },
          ],
        },
        { type: "tool_result", tool_use_id: "toolu_3", content: "No such tool", is_error: true },
        { type: "text", text: "Go on" },
      ],
    },
    { role: "system", content: "Be brief." },
    { role: "assistant", content: "Three." },
  ];

  it("comes back as it was under the same names (LIB-1)", () => {
    const messages = conversation("crm_leads_get");
    const written = before.writeHistory(before.readHistory(messages));
    expect(written).toEqual({ messages, system: [], dropped: [] });
  });

  it("goes on under other names, references included (LIB-1)", async () => {
    const { messages, dropped } = after.writeHistory(before.readHistory(conversation("crm_leads_get")));
    expect(dropped).toEqual([]);
    expect(messages).toEqual(conversation("get_leads"));
    const typed: Anthropic.Messages.MessageParam[] = messages;
    const { client, bodies } = fakeClient([]);
    await client.messages.create({ model: "claude", max_tokens: 9, messages: typed, tools: after.tools() });
    expect(bodies[0]?.messages).toEqual(conversation("get_leads"));
  });

  it("survives being stored as JSON", () => {
    const messages = conversation("crm_leads_get");
    const stored: HistoryItem[] = JSON.parse(JSON.stringify(before.readHistory(messages)));
    expect(before.writeHistory(stored).messages).toEqual(messages);
  });

  it("reads what other providers understand, and keeps the rest apart", () => {
    const items = before.readHistory(conversation("crm_leads_get"));
    expect(items.map(({ kind }) => kind)).toEqual([
      ...["text", "opaque", "opaque", "references", "text", "call", "call", "call"],
      ...["result", "result", "references", "result", "text", "text", "text"],
    ]);
    expect(items.filter(({ kind }) => kind === "result")).toMatchObject([
      { callId: "toolu_1", tool: { written: "crm_leads_get" }, text: "3 leads", isError: false },
      { callId: "toolu_2", text: "See" },
      { callId: "toolu_3", tool: { key: undefined, written: "gone_tool" }, isError: true },
    ]);
  });

  it("leaves out references and searches that the request has no place for", () => {
    const plain = buildAnthropicAdapter([crm]);
    const { messages, dropped } = plain.writeHistory(before.readHistory(conversation("crm_leads_get")));
    expect(JSON.stringify(messages)).not.toMatch(/tool_reference|tool_search/);
    expect(dropped.map(({ kind }) => kind)).toEqual(["opaque", "references"]);
  });

  it("takes a conversation from another provider, with ids and names made legal (LIB-1)", () => {
    const tool = before.belt.refer("crm_leads_get");
    const items: HistoryItem[] = [
      { kind: "text", role: "system", text: "You help." },
      { kind: "text", role: "user", text: "Hi" },
      { kind: "references", callId: undefined, tools: [tool, { key: undefined, written: "old" }] },
      { kind: "text", role: "assistant", text: " " },
      { kind: "call", callId: "functions.get:0", tool, arguments: { a: 1 } },
      { kind: "call", callId: "call_1", tool: { key: undefined, written: "Old tool!" }, arguments: {} },
      { kind: "text", role: "user", text: "And?" },
      { kind: "result", callId: "functions.get:0", tool, text: "", isError: false },
      { kind: "result", callId: "call_1", tool: undefined, text: "no", isError: true },
      { kind: "opaque", provider: "gemini", value: {} },
    ];
    const { messages, system, dropped } = before.writeHistory(items);
    const typed: Anthropic.Messages.MessageCreateParams["system"] = system;
    expect(typed).toEqual([{ type: "text", text: "You help." }]);
    expect(dropped).toEqual([items[3], items[9]]);
    expect(messages).toEqual([
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          {
            type: "server_tool_use",
            id: expect.stringMatching(/^srvtoolu_[a-z0-9]+$/),
            name: "tool_search_tool_regex",
            input: { query: "crm_leads_get" },
          },
          {
            type: "tool_search_tool_result",
            tool_use_id: expect.stringMatching(/^srvtoolu_[a-z0-9]+$/),
            content: {
              type: "tool_search_tool_search_result",
              tool_references: [{ type: "tool_reference", tool_name: "crm_leads_get" }],
            },
          },
          {
            type: "tool_use",
            id: expect.stringMatching(/^functions_get_0_[a-z2-7]{8}$/),
            name: "crm_leads_get",
            input: { a: 1 },
          },
          { type: "tool_use", id: "call_1", name: "Old_tool_", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: expect.stringMatching(/^functions_get_0_/), content: "" },
          { type: "tool_result", tool_use_id: "call_1", content: "no", is_error: true },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  it("does not bring back text that was taken out of an item", () => {
    const [item] = before.readHistory([
      { role: "user", content: [{ type: "text", text: "secret", citations: null }] },
    ]);
    if (item?.kind !== "text") throw new Error("no text");
    expect(before.writeHistory([{ ...item, text: "…" }]).messages).toEqual([{ role: "user", content: "…" }]);
  });

  it("keeps calls to Anthropic's own tools as they are, for Anthropic only", () => {
    const adapter = buildAnthropicAdapter([crm], { serverTools: [{ type: "bash_20250124", name: "bash" }] });
    const messages = [
      { role: "assistant", content: [use("bash"), use("zoom", { id: "toolu_2", toolset_name: "browser" })] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] },
    ];
    const items = adapter.readHistory(messages);
    expect(items.map(({ kind }) => kind)).toEqual(["opaque", "opaque", "opaque"]);
    expect(adapter.writeHistory(items)).toEqual({ messages, system: [], dropped: [] });
  });

  it("never throws over a stranger's messages (SAFE-1)", () => {
    const odd = [
      ...[
        null,
        5,
        "x",
        [],
        {},
        { role: "tool", content: "x" },
        { role: "user" },
        { role: "user", content: 5 },
      ],
      { role: "user", content: [null, 5, { type: "tool_result" }, { type: "text", text: 5 }] },
      { role: "assistant", content: [use(5), use("x", { id: 5 }), use("__proto__", { input: "{" })] },
    ];
    const items = before.readHistory(odd);
    expect(items.filter(({ kind }) => kind === "opaque")).toHaveLength(14);
    const { messages, dropped } = before.writeHistory(items);
    expect(dropped).toHaveLength(10);
    expect(messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{}, {}, { name: "__proto__", input: {} }],
    });
  });
});

describe("types", () => {
  it("fit the SDK's", () => {
    const adapter = buildAnthropicAdapter([crm]);
    expectTypeOf(adapter.tools()).toExtend<Anthropic.Messages.ToolUnion[]>();
    expectTypeOf(adapter.tools()).toExtend<Anthropic.Beta.Messages.BetaToolUnion[]>();
    const serverTools = [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] as const;
    const inline = buildAnthropicAdapter([crm], {
      defer: "all",
      serverTools: [{ type: "bash_20250124", name: "bash" }],
    });
    expectTypeOf(inline.tools()).toExtend<Anthropic.Messages.ToolUnion[]>();
    expectTypeOf(buildAnthropicAdapter([crm], { serverTools }).tools()).toExtend<
      Anthropic.Messages.ToolUnion[]
    >();
    expectTypeOf(adapter.reply([])).toExtend<Anthropic.Messages.MessageParam>();
    expectTypeOf(adapter.writeHistory([]).messages).toExtend<Anthropic.Messages.MessageParam[]>();
    expectTypeOf(adapter.writeHistory([]).messages).toExtend<Anthropic.Beta.Messages.BetaMessageParam[]>();
  });
});
