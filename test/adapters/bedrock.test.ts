// The adapter for Amazon Bedrock's Converse API, against the real SDK. No request leaves the machine.

import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  type Message,
  type SystemContentBlock,
  type Tool,
  type ToolConfiguration,
} from "@aws-sdk/client-bedrock-runtime";
import { buildSnapshot } from "@onym/core";
import { type CallOutcome, type HistoryItem, translateHistory } from "@onym/core/adapters";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildBedrockAdapter } from "@onym/core/bedrock";
import { describe, expect, expectTypeOf, it } from "vitest";
import { awfulSources } from "./awful-tools.js";

/** The SDK with a request handler that answers with these blocks, and what it was asked to send. */
function fakeClient(content: readonly unknown[]) {
  const bodies: ConverseCommandInput[] = [];
  const answer = { output: { message: { role: "assistant", content } }, stopReason: "tool_use" };
  const client = new BedrockRuntimeClient({
    region: "eu-central-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: { readonly body?: Uint8Array }) => {
        bodies.push(JSON.parse(new TextDecoder().decode(request.body)));
        const headers = { "content-type": "application/json" };
        const body = new TextEncoder().encode(JSON.stringify(answer));
        return { response: { statusCode: 200, headers, body } };
      },
    },
  });
  const converse = (input: Omit<ConverseCommandInput, "modelId">) =>
    client.send(new ConverseCommand({ modelId: "model", ...input }));
  return { converse, bodies };
}

const use = (name: unknown, rest: object = {}) => ({
  toolUse: { toolUseId: "t1", name, input: {}, ...rest },
});

const rawOf = (outcome: CallOutcome | undefined) =>
  outcome?.outcome === "call" ? `${outcome.tool.server}: ${outcome.tool.raw}` : outcome?.code;

const crm = { server: "crm", tools: [{ name: "leads.get", description: "Leads" }, { name: "leads.add" }] };

describe("tools", () => {
  it("makes an awful tool set legal (LIB-1, LIB-2)", async () => {
    const adapter = buildBedrockAdapter(awfulSources);
    const tools: Tool[] = adapter.tools();
    const names = adapter.belt.tools.map(({ name }) => name);
    expect(names).toHaveLength(awfulSources.flatMap((source) => source.tools).length);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);

    const blocks = names.map((name, i) => use(name, { toolUseId: `t${i}`, input: { i } }));
    const { converse, bodies } = fakeClient(blocks);
    const response = await converse({ messages: [], toolConfig: { tools } });
    expect(bodies[0]?.toolConfig).toEqual({ tools });
    const outcomes = adapter.calls(response);
    expect(outcomes.map((each) => (each.outcome === "call" ? each.tool : each))).toEqual(
      adapter.belt.tools.map(({ tool }) => tool),
    );
    expect(outcomes.map((each) => each.outcome === "call" && each.arguments)).toEqual(
      names.map((_, i) => ({ i })),
    );
  });

  it("carries names of Object through the SDK, in names, schemas and arguments (SAFE-1)", async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}',
    );
    const names = ["constructor", "toString", "__proto__"];
    const snapshot = buildSnapshot(
      [{ server: "o", tools: names.map((name) => ({ name, inputSchema: schema })) }],
      { pins: { constructor: "o@1/constructor@1", toString: "o@1/toString@1" } },
    );
    const adapter = buildBedrockAdapter(snapshot);
    const input = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
    const { converse, bodies } = fakeClient([use("constructor", { input }), use("toString")]);
    const response = await converse({ messages: [], toolConfig: adapter.toolConfig() });
    const sent = bodies[0]?.toolConfig?.tools?.map((tool) => tool.toolSpec?.inputSchema?.json);
    for (const json of sent ?? [])
      expect(Object.keys(Object(json).properties)).toEqual(["__proto__", "constructor"]);
    expect(adapter.calls(response).map(rawOf)).toEqual(["o: constructor", "o: toString"]);
    const [outcome] = adapter.calls(response);
    expect(outcome?.outcome === "call" && Object.keys(outcome.arguments)).toEqual([
      "__proto__",
      "constructor",
    ]);
    expect(rawOf(adapter.call(use("valueOf")))).toBe("unknown-tool");
  });

  it("never leaves a description empty, nor a configuration without tools (LIB-2)", () => {
    const json = { type: "object", properties: {} };
    const sources = [{ server: "crm", tools: [...crm.tools, { name: "x", description: " " }] }];
    expect(buildBedrockAdapter(sources).toolConfig()).toEqual({
      tools: [
        { toolSpec: { name: "crm_leads_add", description: "crm_leads_add", inputSchema: { json } } },
        { toolSpec: { name: "crm_leads_get", description: "Leads", inputSchema: { json } } },
        { toolSpec: { name: "crm_x", description: "crm_x", inputSchema: { json } } },
      ],
    });
    expect(buildBedrockAdapter([]).toolConfig()).toBeUndefined();
  });

  it("keeps the names of system tools from others (LIB-2)", () => {
    const adapter = buildBedrockAdapter([{ server: "nova", tools: ["grounding"] }], {
      systemTools: ["nova_grounding"],
    });
    expect(adapter.tools()).toMatchObject([
      { systemTool: { name: "nova_grounding" } },
      { toolSpec: { name: "nova_grounding_q5j6x5wi" } },
    ]);
    expect(adapter.calls([use("nova_grounding"), use("x", { type: "server_tool_use" })])).toEqual([]);
    expect(adapter.calls([use("nova_grounding_q5j6x5wi")]).map(rawOf)).toEqual(["nova: grounding"]);
  });
});

describe("calls", () => {
  const adapter = buildBedrockAdapter([crm]);

  it("finds calls in a response, a message or its blocks", () => {
    const content = [{ text: "Let me see." }, use("crm_leads_get")];
    for (const given of [{ output: { message: { content } } }, { role: "assistant", content }, content]) {
      expect(adapter.calls(given).map(rawOf)).toEqual(["crm: leads.get"]);
    }
    expect(rawOf(adapter.call(use("crm_leads_get").toolUse))).toBe("crm: leads.get");
    for (const odd of [undefined, null, 5, "x", {}, { content: "x" }]) expect(adapter.calls(odd)).toEqual([]);
  });

  it.each([
    ["no id", { toolUseId: undefined }, "no-call-id"],
    ["a numeric id", { toolUseId: 5 }, "no-call-id"],
    ["no name", { name: undefined }, "no-name"],
    ["a name that is no text", { name: { a: 1 } }, "no-name"],
    ["an unknown name", { name: "crm_leads_gte" }, "unknown-tool"],
    ["arguments that are no JSON", { input: "{" }, "bad-arguments"],
    ["arguments that are no object", { input: [1] }, "bad-arguments"],
  ])("refuses a call with %s (ID-6)", (_, change, code) => {
    expect(adapter.call(use("crm_leads_get", change))).toMatchObject({ outcome: "refused", code });
  });

  it.each([undefined, null, 5, "x", []])("refuses %j", (odd) => {
    expect(adapter.call(odd).outcome).toBe("refused");
  });

  it("sends results and refusals back in one message the SDK takes (LIB-1)", async () => {
    const blocks = [
      use("crm_leads_get"),
      use("crm_leads_gte", { toolUseId: "t2" }),
      use("crm_leads_add", { toolUseId: "t3" }),
      use("x", { toolUseId: 7 }),
    ];
    const contents = new Map<string, string | { json: { n: number } }[]>([
      ["leads.get", [{ json: { n: 3 } }]],
      ["leads.add", ""],
    ]);
    const replies = adapter
      .calls(blocks)
      .map((each) =>
        each.outcome === "call"
          ? adapter.result(each, contents.get(each.tool.raw) ?? "")
          : adapter.refusal(each),
      );
    const message: Message = adapter.reply([...replies].reverse());
    const { converse, bodies } = fakeClient([]);
    await converse({ messages: [message], toolConfig: adapter.toolConfig() });
    expect(bodies[0]?.messages).toEqual([
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "t3", content: [{ text: "(no output)" }] } },
          {
            toolResult: {
              toolUseId: "t2",
              content: [{ text: expect.stringContaining("You may use: crm_leads_get") }],
              status: "error",
            },
          },
          { toolResult: { toolUseId: "t1", content: [{ json: { n: 3 } }] } },
          { text: "The tool call has no id. Call the tool again." },
        ],
      },
    ]);
  });
});

describe("history", () => {
  const before = buildBedrockAdapter([crm]);
  const after = buildBedrockAdapter(buildSnapshot([crm], { pins: { get_leads: "crm@1/leads.get@1" } }));

  const conversation = (name: string): Message[] => [
    { role: "user", content: [{ text: "Which leads?" }] },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "s1" } } },
        { text: "Let me see." },
        { toolUse: { toolUseId: "t1", name, input: { q: 1 } } },
        { toolUse: { toolUseId: "t2", name, input: {} } },
        { toolUse: { toolUseId: "t3", name: "gone_tool", input: {} } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "t1", content: [{ text: "3 leads" }], status: "success" } },
        { toolResult: { toolUseId: "t2", content: [{ json: { n: 3 } }, { text: "leads" }] } },
        { toolResult: { toolUseId: "t3", content: [{ text: "No such tool" }], status: "error" } },
        { text: "Go on" },
      ],
    },
    { role: "system", content: [{ toolRemoval: { tool: { name } } }] },
    { role: "assistant", content: [{ text: "Three." }] },
  ];

  it("comes back as it was under the same names (LIB-1)", () => {
    const messages = conversation("crm_leads_get");
    const written = before.writeHistory(before.readHistory(messages));
    expect(written).toEqual({ messages, system: [], dropped: [] });
    const stored: HistoryItem[] = JSON.parse(JSON.stringify(before.readHistory(messages)));
    expect(before.writeHistory(stored).messages).toEqual(messages);
  });

  it("goes on under other names (LIB-1)", async () => {
    const { messages, dropped } = after.writeHistory(before.readHistory(conversation("crm_leads_get")));
    expect(dropped).toEqual([]);
    const typed: Message[] = messages;
    const { converse, bodies } = fakeClient([]);
    await converse({ messages: typed, toolConfig: after.toolConfig() });
    expect(bodies[0]?.messages).toEqual(conversation("get_leads"));
  });

  it("goes to Anthropic's own API and back, with calls and results (LIB-1)", () => {
    const anthropic = buildAnthropicAdapter([crm]);
    const there = translateHistory(conversation("crm_leads_get"), { from: before, to: anthropic });
    expect(there.dropped.map(({ kind }) => kind)).toEqual(["opaque", "opaque"]);
    expect(there.messages[1]).toMatchObject({
      content: [
        { type: "text" },
        { type: "tool_use", id: "t1", name: "crm_leads_get", input: { q: 1 } },
        { type: "tool_use", id: "t2" },
        { type: "tool_use", id: "t3", name: "gone_tool" },
      ],
    });
    const back = translateHistory(there.messages, { from: anthropic, to: before });
    expect(back.messages[2]).toEqual({
      role: "user",
      content: [
        { toolResult: { toolUseId: "t1", content: [{ text: "3 leads" }] } },
        { toolResult: { toolUseId: "t2", content: [{ text: '{"n":3}\nleads' }] } },
        { toolResult: { toolUseId: "t3", content: [{ text: "No such tool" }], status: "error" } },
        { text: "Go on" },
      ],
    });
  });

  it("takes a conversation from another provider, with ids and names made legal (LIB-1)", () => {
    const tool = before.belt.refer("crm_leads_get");
    const long = "call_".repeat(20);
    const items: HistoryItem[] = [
      { kind: "text", role: "system", text: "You help." },
      { kind: "references", callId: undefined, tools: [tool] },
      { kind: "text", role: "assistant", text: "" },
      { kind: "call", callId: long, tool, arguments: { a: 1 } },
      { kind: "call", callId: "call_1", tool: { key: undefined, written: "Old tool!" }, arguments: {} },
      { kind: "text", role: "user", text: "And?" },
      { kind: "result", callId: long, tool, text: "", isError: false },
      { kind: "result", callId: "call_1", tool: undefined, text: "no", isError: true },
      { kind: "opaque", provider: "gemini", value: {} },
    ];
    const { messages, system, dropped } = before.writeHistory(items);
    const typed: SystemContentBlock[] = system;
    expect(typed).toEqual([{ text: "You help." }]);
    expect(dropped).toEqual([items[1], items[2], items[8]]);
    const id = expect.stringMatching(/^[a-z0-9_]{64}$/);
    expect(messages).toEqual([
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: id, name: "crm_leads_get", input: { a: 1 } } },
          { toolUse: { toolUseId: "call_1", name: "Old_tool_", input: {} } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: id, content: [{ text: "(no output)" }] } },
          { toolResult: { toolUseId: "call_1", content: [{ text: "no" }], status: "error" } },
          { text: "And?" },
        ],
      },
    ]);
    const [calls, results] = messages;
    const [call, result] = [calls?.content[0], results?.content[0]];
    expect(call && "toolUse" in call && call.toolUse.toolUseId).toBe(
      result && "toolResult" in result && result.toolResult.toolUseId,
    );
    const items2 = before.readHistory(messages);
    expect(items2.find(({ kind }) => kind === "result")).toMatchObject({ text: "" });
  });

  it("does not bring back text that was taken out of an item", () => {
    const items = before.readHistory(conversation("crm_leads_get"));
    const shorter = items.map((item) => (item.kind === "result" ? { ...item, text: "…" } : item));
    expect(JSON.stringify(before.writeHistory(shorter))).not.toMatch(/3 leads|"n":3/);
  });

  it("keeps calls to system tools as they are, for Bedrock only", () => {
    const messages = [
      { role: "assistant", content: [use("nova_grounding", { type: "server_tool_use" })] },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [] } }] },
    ];
    const items = before.readHistory(messages);
    expect(items.map(({ kind }) => kind)).toEqual(["opaque", "opaque"]);
    expect(before.writeHistory(items)).toEqual({ messages, system: [], dropped: [] });
  });

  it("never throws over a stranger's messages (SAFE-1)", () => {
    const odd = [
      ...[
        null,
        5,
        "x",
        [],
        {},
        { role: "tool", content: [] },
        { role: "user" },
        { role: "user", content: 5 },
      ],
      { role: "user", content: [null, 5, { toolResult: {} }, { text: 5 }, { toolResult: null }] },
      { role: "system", content: [{ toolAddition: { tool: { name: "x" } }, toolRemoval: null }] },
      { role: "assistant", content: [use(5), use("x", { toolUseId: 5 }), use("__proto__", { input: "{" })] },
    ];
    const items = before.readHistory(odd);
    expect(items.filter(({ kind }) => kind === "opaque")).toHaveLength(16);
    const { messages } = before.writeHistory(items);
    expect(messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{}, {}, { toolUse: { name: "__proto__", input: {} } }],
    });
  });
});

describe("types", () => {
  it("fit the SDK's", () => {
    const adapter = buildBedrockAdapter([crm]);
    expectTypeOf(adapter.tools()).toExtend<Tool[]>();
    expectTypeOf(adapter.toolConfig()).toExtend<ToolConfiguration | undefined>();
    expectTypeOf(adapter.reply([])).toExtend<Message>();
    expectTypeOf(adapter.reply([]).content).toExtend<ContentBlock[]>();
    expectTypeOf(adapter.writeHistory([]).messages).toExtend<Message[]>();
    expectTypeOf(adapter.writeHistory([]).system).toExtend<SystemContentBlock[]>();
  });
});
