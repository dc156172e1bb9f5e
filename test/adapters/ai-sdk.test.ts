// The AI SDK adapter against the SDK itself, with its own mock model. No network. Written so that it holds for the AI SDK 6
// and 7 alike: test/newer-node runs it with 7.

import { buildSnapshot } from "@onym/core";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import {
  asSchema,
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  type ToolModelMessage,
  type ToolResultPart,
  type ToolSet,
} from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { awfulSources, prototypeNames } from "./awful-tools.js";

const SCHEMA = { type: "object", properties: { limit: { type: "number" } }, required: ["limit"] };
const SOURCES = [
  { server: "salesforce", tools: [{ name: "get.leads", description: "Leads", inputSchema: SCHEMA }] },
  { server: "docs", tools: ["search"] },
];

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;

function answer(content: Generated["content"]): Generated {
  const isCall = content.some(({ type }) => type === "tool-call");
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    content,
    finishReason: { unified: isCall ? "tool-calls" : "stop", raw: undefined },
    usage: { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } },
    warnings: [],
  };
}

/** A model that makes these calls at once and then says that it is done. */
function callingModel(calls: readonly { readonly name: string; readonly input?: string }[]) {
  const content = calls.map(({ name, input = "{}" }, i) => ({
    type: "tool-call" as const,
    toolCallId: `c${i}`,
    toolName: name,
    input,
  }));
  return new MockLanguageModelV3({ doGenerate: [answer(content), answer([{ type: "text", text: "done" }])] });
}

/** What was generated, as messages: `response.messages` in 6, `responseMessages` in 7. */
function messagesOf(result: { readonly response: object }): readonly ModelMessage[] {
  return Reflect.get(result, "responseMessages") ?? Reflect.get(result.response, "messages");
}

describe("tools for the AI SDK", () => {
  it("reach the model as they are, and what it calls runs under the raw name (LIB-1)", async () => {
    const ai = buildAiSdkAdapter(SOURCES);
    const ran: unknown[] = [];
    const tools: ToolSet = ai.tools({
      execute: (
        call,
        options: { readonly toolCallId: string; readonly messages: readonly ModelMessage[] },
      ) => {
        ran.push([call.tool.server, call.tool.raw, call.arguments, options.messages.length]);
        return { leads: 3 };
      },
    });
    const model = callingModel([{ name: "sf_get_leads", input: '{"limit":3}' }]);
    const result = await generateText({ model, tools, prompt: "hi", stopWhen: stepCountIs(2) });
    expect(result.text).toBe("done");
    expect(ran).toEqual([["salesforce", "get.leads", { limit: 3 }, 1]]);
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { type: "function", name: "docs_search", inputSchema: { type: "object", properties: {} } },
      { type: "function", name: "sf_get_leads", description: "Leads", inputSchema: SCHEMA },
    ]);
    expect(model.doGenerateCalls[0]?.tools?.[1]).toHaveProperty("inputSchema", SCHEMA);
    const sentBack = model.doGenerateCalls[1]?.prompt.at(-1);
    expect(sentBack?.content).toMatchObject([{ output: { type: "json", value: { leads: 3 } } }]);
  });

  it("hand the calls out where nothing runs them (LIB-1)", async () => {
    const ai = buildAiSdkAdapter(SOURCES);
    const model = callingModel([{ name: "docs_search" }, { name: "sf_get_leads", input: '{"limit":1}' }]);
    const result = await generateText({ model, tools: ai.tools(), prompt: "hi" });
    expect(ai.calls(result)).toMatchObject([
      { outcome: "call", tool: { raw: "search" }, callId: "c0" },
      { outcome: "call", tool: { raw: "get.leads" }, callId: "c1", arguments: { limit: 1 } },
    ]);
  });

  it("are legal, unique and callable for an awful tool set (LIB-2)", async () => {
    const ai = buildAiSdkAdapter(awfulSources);
    const tools = ai.tools();
    const names = Object.keys(tools);
    const total = awfulSources.reduce((sum, source) => sum + source.tools.length, 0);
    expect(names).toHaveLength(total);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const model = callingModel(names.map((name) => ({ name })));
    const result = await generateText({ model, tools, prompt: "hi" });
    expect(model.doGenerateCalls[0]?.tools).toHaveLength(total);
    const reached = ai.calls(result).map((each) => each.outcome === "call" && each.tool.key);
    expect(new Set(reached).size).toBe(total);
  });

  it("may be called like what every object has (SAFE-1)", async () => {
    const snapshot = buildSnapshot([{ server: "s", tools: prototypeNames }], { style: "bare" });
    const ai = buildAiSdkAdapter(snapshot);
    const ran: string[] = [];
    const tools = ai.tools({ execute: (call) => ran.push(call.tool.raw) });
    // The SDK's own MCP client loses some of them, so none is given out.
    const names = Object.keys(tools);
    expect(names.filter((name) => name in {})).toEqual([]);
    const model = callingModel(names.map((name) => ({ name })));
    await generateText({ model, tools, prompt: "hi", stopWhen: stepCountIs(2) });
    expect(new Set(ran)).toEqual(new Set(prototypeNames));
  });

  it("carry the same schema as the SDK's own jsonSchema, and a copy by the Standard Schema way (LIB-1)", async () => {
    const schema = buildAiSdkAdapter(SOURCES).tools()["sf_get_leads"]?.inputSchema;
    if (schema === undefined) throw new Error("no such tool");
    expect(await asSchema(schema).jsonSchema).toEqual(
      await asSchema(jsonSchema(SCHEMA as object)).jsonSchema,
    );
    const copy = asSchema({ "~standard": schema["~standard"] });
    expect(await copy.jsonSchema).toEqual({ ...SCHEMA, additionalProperties: false });
    expect(SCHEMA).not.toHaveProperty("additionalProperties");
  });

  it("are found under other spellings with the SDK's repair (LIB-1)", async () => {
    const ai = buildAiSdkAdapter(SOURCES);
    const ran: string[] = [];
    const model = callingModel([{ name: "salesforce.get.leads" }, { name: "nobody" }]);
    const result = await generateText({
      model,
      tools: ai.tools({ execute: (call) => ran.push(call.tool.raw) }),
      prompt: "hi",
      stopWhen: stepCountIs(2),
      experimental_repairToolCall: ai.repairToolCall,
    });
    expect(ran).toEqual(["get.leads"]);
    expect(result.steps[0]?.toolCalls.map(({ toolName }) => toolName)).toEqual(["sf_get_leads", "nobody"]);
  });
});

describe("a call from the AI SDK", () => {
  const ai = buildAiSdkAdapter(SOURCES);

  it.each([
    ["nothing", undefined, "no-call-id"],
    ["without an id", { toolName: "docs_search", input: {} }, "no-call-id"],
    ["one with a number for an id", { toolCallId: 5, toolName: "docs_search", input: {} }, "no-call-id"],
    ["without a name", { toolCallId: "c", input: {} }, "no-name"],
    ["to no tool", { toolCallId: "c", toolName: "toString", input: {} }, "unknown-tool"],
    ["with text for arguments", { toolCallId: "c", toolName: "docs_search", input: "x" }, "bad-arguments"],
  ])("is refused, not thrown, when it is %s (LIB-1)", (_, toolCall, code) => {
    expect(ai.call(toolCall)).toMatchObject({ outcome: "refused", code });
  });

  it("gets an answer that the SDK sends on (LIB-1)", async () => {
    const routed = ai.call({ toolCallId: "c1", toolName: "docs_search", input: "{}" });
    const refused = ai.call({ toolCallId: "c2", toolName: "docs_serach", input: {} });
    if (routed.outcome !== "call" || refused.outcome !== "refused") throw new Error("not as expected");
    const content: ToolResultPart[] = [
      ai.result(routed, "found"),
      ai.result(routed, { hits: 2 }),
      ai.result(routed, "broken", { isError: true }),
      ai.refusal(refused),
    ];
    const tool: ToolModelMessage = { role: "tool", content };
    const calls = ["c1", "c2"].map((toolCallId) => ({
      type: "tool-call" as const,
      toolCallId,
      toolName: "docs_search",
      input: {},
    }));
    const model = new MockLanguageModelV3({ doGenerate: answer([{ type: "text", text: "done" }]) });
    const messages: ModelMessage[] = [
      { role: "user", content: "hi" },
      { role: "assistant", content: calls },
      tool,
    ];
    await generateText({ model, messages });
    expect(model.doGenerateCalls[0]?.prompt.at(-1)?.content).toMatchObject([
      { toolCallId: "c1", output: { type: "text", value: "found" } },
      { toolCallId: "c1", output: { type: "json", value: { hits: 2 } } },
      { toolCallId: "c1", output: { type: "error-text", value: "broken" } },
      { toolCallId: "c2", output: { type: "error-text", value: refused.message } },
    ]);
  });
});

describe("a conversation with the AI SDK", () => {
  const ai = buildAiSdkAdapter(SOURCES);
  const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const conversation: ModelMessage[] = [
    { role: "system", content: "Be kind.", providerOptions: cached },
    { role: "user", content: "Please." },
    {
      role: "user",
      content: [
        { type: "text", text: "Who?" },
        { type: "file", data: "AA==", mediaType: "image/png" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        { type: "text", text: "Let me look." },
        {
          type: "tool-call",
          toolCallId: "a",
          toolName: "sf_get_leads",
          input: { limit: 1 },
          providerOptions: { google: { thoughtSignature: "s" } },
        },
        { type: "tool-call", toolCallId: "b", toolName: "docs_search", input: {} },
        { type: "tool-call", toolCallId: "w", toolName: "web_search", input: {}, providerExecuted: true },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "sf_get_leads",
          output: { type: "json", value: [1] },
        },
        {
          type: "tool-result",
          toolCallId: "b",
          toolName: "docs_search",
          output: { type: "execution-denied", reason: "no" },
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Ada." }] },
  ];

  it("comes back as it was (LIB-1)", () => {
    const written = ai.writeHistory(ai.readHistory(conversation));
    const messages: ModelMessage[] = written.messages;
    expect(messages).toEqual(conversation);
    expect(written.dropped).toEqual([]);
  });

  it("comes back as the SDK itself made it (LIB-1)", async () => {
    const model = callingModel([{ name: "docs_search" }, { name: "sf_get_leads" }]);
    const tools = ai.tools({ execute: (call) => (call.tool.raw === "search" ? "text" : { leads: 1 }) });
    const result = await generateText({ model, tools, prompt: "hi", stopWhen: stepCountIs(2) });
    const messages = messagesOf(result);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(ai.writeHistory(ai.readHistory(messages)).messages).toEqual(messages);
  });

  it("goes on under new names, and says what it leaves behind (LIB-1)", () => {
    const renamed = buildAiSdkAdapter(buildSnapshot(SOURCES, { style: "prefixed" }));
    const foreign = { kind: "opaque", provider: "gemini", value: {} } as const;
    const { messages, dropped } = renamed.writeHistory([...ai.readHistory(conversation), foreign]);
    const text = JSON.stringify(messages);
    expect(text).not.toContain("sf_get_leads");
    expect(text.match(/mcp_salesforce__get_leads/g)).toHaveLength(2);
    expect(dropped).toEqual([foreign]);
  });

  it("drops the SDK's form of a result once the text is another (LIB-1)", () => {
    const items = ai
      .readHistory(conversation)
      .map((item) => (item.kind === "result" ? { ...item, text: "redacted", isError: false } : item));
    const outputs = JSON.stringify(ai.writeHistory(items).messages.filter(({ role }) => role === "tool"));
    expect(outputs.match(/"output":\{"type":"text","value":"redacted"\}/g)).toHaveLength(2);
  });

  it("does not mind what is no message (LIB-1)", () => {
    expect(ai.readHistory([null, 5, "x", {}, { role: "user" }, { role: "tool", content: [null] }])).toEqual(
      [],
    );
  });
});
