// The LangChain adapter against LangChain's core and its MCP adapters. No network.

import {
  AIMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { DynamicStructuredTool, type StructuredToolParams, tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { buildSnapshot } from "@onym/core";
import { buildLangChainAdapter, type LoadPrefixes, readLoadedTools } from "@onym/core/langchain";
import { describe, expect, it } from "vitest";
import { awfulSources, prototypeNames } from "./awful-tools.js";

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const SCHEMA = { type: "object", properties: { limit: { type: "number" } } };
const SOURCES = [
  { server: "salesforce", tools: [{ name: "get.leads", description: "Leads", inputSchema: SCHEMA }] },
  { server: "docs", tools: ["search"] },
];
const total = awfulSources.reduce((sum, { tools }) => sum + tools.length, 0);

/** The tools of a server as the MCP adapters load them; calls are written down. */
async function loadTools(
  { server, tools }: { readonly server: string; readonly tools: readonly unknown[] },
  { ran = [], ...options }: LoadPrefixes & { readonly ran?: string[] },
) {
  const listed = tools.map((tool) => {
    const given = typeof tool === "string" ? { name: tool } : (tool as { name: string });
    return { inputSchema: { type: "object" }, ...structuredClone(given) };
  });
  const client = {
    listTools: async () => ({ tools: listed }),
    callTool: async ({ name }: { name: string }) => {
      ran.push(`${server}/${name}`);
      return { content: [{ type: "text", text: "ok" }] };
    },
  };
  return await loadMcpTools(server, client as never, options);
}

describe("tools for LangChain", () => {
  it("are what bindTools takes, and calls lead back to the raw names (LIB-1)", () => {
    const langchain = buildLangChainAdapter(SOURCES);
    const tools: StructuredToolParams[] = langchain.tools();
    const bound = new FakeListChatModel({ responses: ["ok"] }).bindTools(tools as never);
    expect(JSON.stringify(bound)).toBeDefined();
    expect(tools.map((tool) => convertToOpenAITool(tool))).toEqual([
      {
        type: "function",
        function: { name: "docs_search", description: "", parameters: { type: "object", properties: {} } },
      },
      { type: "function", function: { name: "sf_get_leads", description: "Leads", parameters: SCHEMA } },
    ]);
    const message = new AIMessage({
      content: "",
      tool_calls: [{ type: "tool_call", id: "c1", name: "sf_get_leads", args: { limit: 3 } }],
      invalid_tool_calls: [{ type: "invalid_tool_call", id: "c2", name: "docs_search", args: "{" }],
    });
    expect(langchain.calls(message)).toMatchObject([
      {
        outcome: "call",
        callId: "c1",
        tool: { server: "salesforce", raw: "get.leads" },
        arguments: { limit: 3 },
      },
      { outcome: "refused", code: "bad-arguments", callId: "c2" },
    ]);
  });

  it("run as LangChain's own structured tools (LIB-1)", async () => {
    const langchain = buildLangChainAdapter(SOURCES);
    const ran: unknown[] = [];
    const tools: DynamicStructuredTool[] = langchain.structuredTools({
      make: (fields) => new DynamicStructuredTool(fields),
      execute: (call) => {
        ran.push([call.tool.raw, call.callId, call.arguments]);
        return "3 leads";
      },
    });
    const [, leads] = tools;
    const call = { type: "tool_call" as const, id: "c1", name: "sf_get_leads", args: { limit: 3 } };
    const answer = await leads?.invoke(call);
    expect(answer).toBeInstanceOf(ToolMessage);
    expect(answer).toMatchObject({ content: "3 leads", tool_call_id: "c1", name: "sf_get_leads" });
    expect(await leads?.invoke({ limit: 4 })).toBe("3 leads");
    const [, again] = langchain.structuredTools({
      make: (fields) => tool(fields.func, fields),
      execute: (routed) => `${routed.callId} again`,
    });
    expect(await again?.invoke(call)).toMatchObject({ content: "c1 again" });
    expect(ran).toEqual([
      ["get.leads", "c1", { limit: 3 }],
      ["get.leads", undefined, { limit: 4 }],
    ]);
  });

  it("are legal, unique and callable for an awful tool set (LIB-2)", () => {
    const langchain = buildLangChainAdapter(awfulSources);
    const names = langchain.tools().map((tool) => convertToOpenAITool(tool).function.name);
    expect(new Set(names).size).toBe(total);
    for (const name of names) expect(name).toMatch(LEGAL);
    const reached = names.map((name) => langchain.call({ id: "c", name, args: {} }));
    expect(new Set(reached.map((each) => each.outcome === "call" && each.tool.key)).size).toBe(total);
  });

  it("may be called like what every object has (SAFE-1)", () => {
    const snapshot = buildSnapshot([{ server: "s", tools: prototypeNames }], { style: "bare" });
    const langchain = buildLangChainAdapter(snapshot);
    for (const raw of prototypeNames) {
      expect(langchain.call({ id: "c", name: raw, args: {} })).toMatchObject({
        outcome: "call",
        tool: { raw },
      });
    }
  });
});

describe("tools that the MCP adapters loaded", () => {
  it.each<[string, LoadPrefixes]>([
    ["without a prefix", {}],
    ["with the server's name", { prefixToolNameWithServerName: true }],
    ["with a prefix of their own", { additionalToolNamePrefix: "mcp" }],
    ["with both", { prefixToolNameWithServerName: true, additionalToolNamePrefix: "mcp" }],
  ])("%s get legal, unique names and still run the right tool (LIB-1, LIB-2)", async (_, prefixes) => {
    const ran: string[] = [];
    const servers = await Promise.all(
      awfulSources.map(
        async (source) => [source.server, await loadTools(source, { ran, ...prefixes })] as const,
      ),
    );
    const loaded = readLoadedTools(servers, prefixes);
    const langchain = buildLangChainAdapter(loaded.sources);
    const tools = langchain.renameTools(loaded);
    const names = tools.map((tool) => tool.name);
    expect(new Set(names).size).toBe(total);
    for (const name of names) expect(name).toMatch(LEGAL);
    for (const tool of tools) {
      expect(tool).toBeInstanceOf(DynamicStructuredTool);
      const outcome = langchain.call({ id: "c", name: tool.name, args: {} });
      await tool.invoke({ type: "tool_call", id: "c", name: tool.name, args: {} });
      expect(outcome.outcome === "call" && `${outcome.tool.server}/${outcome.tool.raw}`).toBe(ran.at(-1));
    }
    expect(new Set(ran).size).toBe(total);
    const before = servers.flatMap(([, each]) => each.map(({ name }) => name));
    expect(before.some((name) => !LEGAL.test(name))).toBe(true);
  });

  it("are found under the names that they were loaded with (ID-8)", () => {
    const langchain = buildLangChainAdapter(SOURCES, { additionalToolNamePrefix: "lc" });
    for (const name of ["salesforce__get.leads", "lc__salesforce__get.leads", "lc__get.leads", "get.leads"]) {
      expect(langchain.call({ id: "c", name, args: {} }), name).toMatchObject({
        outcome: "call",
        tool: { raw: "get.leads" },
        name,
      });
      expect(langchain.belt.nameFor(langchain.belt.refer(name))).toBe("sf_get_leads");
    }
  });

  it("are never guessed where two could be meant (RES-1)", () => {
    const sources = [
      { server: "a", tools: ["b__c"] },
      { server: "a__b", tools: ["c"] },
    ];
    const langchain = buildLangChainAdapter(sources);
    const refused = langchain.call({ id: "c", name: "a__b__c", args: {} });
    expect(refused).toMatchObject({ outcome: "refused", code: "ambiguous-tool" });
    expect(refused.outcome === "refused" && refused.suggestions).toHaveLength(2);
    expect(langchain.belt.refer("a__b__c").key).toBeUndefined();
    const one = buildLangChainAdapter(sources, { visible: ({ server }) => server === "a" });
    expect(one.call({ id: "c", name: "a__b__c", args: {} })).toMatchObject({ tool: { raw: "b__c" } });
  });
});

describe("a call from LangChain", () => {
  const langchain = buildLangChainAdapter(SOURCES);

  it.each([
    ["nothing", undefined, "no-call-id"],
    ["without an id", { name: "docs_search", args: {} }, "no-call-id"],
    ["one with a number for an id", { id: 5, name: "docs_search", args: {} }, "no-call-id"],
    ["without a name", { id: "c", args: {} }, "no-name"],
    ["to no tool", { id: "c", name: "docs__serach", args: {} }, "unknown-tool"],
    ["with text for arguments", { id: "c", name: "docs_search", args: "x" }, "bad-arguments"],
  ])("is refused, not thrown, when it is %s (LIB-1)", (_, toolCall, code) => {
    expect(langchain.call(toolCall)).toMatchObject({ outcome: "refused", code });
  });

  it("gets an answer that LangChain coerces (LIB-1)", () => {
    const routed = langchain.call({ id: "c1", function: { name: "docs_search", arguments: "{}" } });
    const refused = langchain.call({ id: "c2", name: "docs_serach", args: {} });
    if (routed.outcome !== "call" || refused.outcome !== "refused") throw new Error("not as expected");
    const answers: BaseMessageLike[] = [langchain.result(routed, "found"), langchain.refusal(refused)];
    const [found, unknown] = answers.map(coerceMessageLikeToMessage);
    expect(found).toBeInstanceOf(ToolMessage);
    expect(found).toMatchObject({
      content: "found",
      tool_call_id: "c1",
      status: "success",
      name: "docs_search",
    });
    expect(unknown).toMatchObject({ tool_call_id: "c2", status: "error", content: refused.message });
  });
});

describe("a conversation with LangChain", () => {
  const langchain = buildLangChainAdapter(SOURCES);
  const conversation: BaseMessageLike[] = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Please." },
    {
      role: "user",
      content: [
        { type: "text", text: "Who?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      ],
    },
    {
      id: "m1",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "a", name: "sf_get_leads", input: { limit: 1 } },
      ],
      tool_calls: [
        { type: "tool_call", id: "a", name: "sf_get_leads", args: { limit: 1 } },
        { type: "tool_call", id: "b", name: "docs_search", args: {} },
      ],
    },
    { role: "tool", content: [{ type: "text", text: "[1]" }], tool_call_id: "a", name: "sf_get_leads" },
    { role: "tool", content: "broken", tool_call_id: "b", name: "docs_search", status: "error" },
    { role: "assistant", content: "Ada." },
  ];

  it("comes back as it was (LIB-1)", () => {
    const written = langchain.writeHistory(langchain.readHistory(conversation));
    const messages: BaseMessageLike[] = written.messages;
    expect(messages).toEqual(conversation);
    expect(written.dropped).toEqual([]);
  });

  it("reads the same from every form that LangChain keeps messages in (LIB-1)", () => {
    const messages = [
      new SystemMessage("Be kind."),
      new HumanMessage("Who?"),
      new AIMessage({
        content: "",
        tool_calls: [{ type: "tool_call", id: "a", name: "docs_search", args: {} }],
      }),
      new ToolMessage({ content: "[1]", tool_call_id: "a", name: "docs_search" }),
    ];
    const plain = langchain.readHistory([
      ["system", "Be kind."],
      "Who?",
      {
        role: "assistant",
        content: "",
        tool_calls: [{ type: "function", id: "a", function: { name: "docs_search", arguments: "{}" } }],
      },
      { type: "tool", content: "[1]", tool_call_id: "a", name: "docs_search" },
    ]);
    expect(plain.map(({ kind }) => kind)).toEqual(["text", "text", "call", "result"]);
    expect(langchain.readHistory(messages)).toEqual(plain);
    expect(langchain.readHistory(messages.map((each) => each.toDict()))).toEqual(plain);
    expect(langchain.readHistory(JSON.parse(JSON.stringify(messages)))).toEqual(plain);
  });

  it("goes on under new names, copies of calls included, and LangChain takes it (LIB-1)", () => {
    const renamed = buildLangChainAdapter(buildSnapshot(SOURCES, { style: "prefixed" }));
    const foreign = { kind: "opaque", provider: "gemini", value: {} } as const;
    const { messages, dropped } = renamed.writeHistory([...langchain.readHistory(conversation), foreign]);
    const text = JSON.stringify(messages);
    expect(text).not.toContain("sf_get_leads");
    expect(text.match(/mcp_salesforce__get_leads/g)).toHaveLength(3);
    expect(dropped).toEqual([foreign]);
    const [call] = messages
      .map(coerceMessageLikeToMessage)
      .filter((message) => AIMessage.isInstance(message));
    expect(call?.tool_calls?.map(({ name }) => name)).toEqual([
      "mcp_salesforce__get_leads",
      "mcp_docs__search",
    ]);
  });

  it("keeps a message of a kind of its own, and does not mind what is none (LIB-1)", () => {
    const remove = { type: "remove", id: "m1" };
    expect(langchain.writeHistory(langchain.readHistory([remove])).messages).toEqual([remove]);
    expect(langchain.readHistory([null, 5, { role: "tool" }, { role: "user" }, ["human"]])).toEqual([]);
  });
});
