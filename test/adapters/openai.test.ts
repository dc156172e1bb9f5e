// Chat Completions and Responses, against the real SDK with a transport that answers from a script.

import { buildSnapshot, type Tool } from "@onym/core";
import { type HistoryItem, translateHistory } from "@onym/core/adapters";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { awfulSources, prototypeNames } from "./awful-tools.js";

const crm = { server: "crm", tools: [{ name: "accounts.find", description: "Finds." }, "lookup"] };
const docs = { server: "docs", tools: ["lookup"] };
const prototypes = { server: "p", tools: prototypeNames };

/** A client whose requests go nowhere: it keeps the bodies and answers with what it is given. */
function scripted(answer: unknown): { client: OpenAI; bodies: Record<string, unknown>[] } {
  const bodies: Record<string, unknown>[] = [];
  const client = new OpenAI({
    apiKey: "none",
    maxRetries: 0,
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    },
  });
  return { client, bodies };
}

function completion(...calls: readonly (readonly [id: string, name: string, given: string])[]): unknown {
  return {
    id: "x",
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: calls.map(([id, name, given]) => ({
            id,
            type: "function",
            function: { name, arguments: given },
          })),
        },
      },
    ],
  };
}

function allTools(): readonly Tool[] {
  return buildSnapshot(awfulSources).catalog.tools;
}

describe("Chat Completions", () => {
  it("gives the SDK every awful tool under a legal, unique name, and routes each call back (LIB-1, LIB-2)", async () => {
    const adapter = buildOpenAIChatAdapter(awfulSources);
    const tools: OpenAI.Chat.ChatCompletionTool[] = adapter.tools();
    const names = adapter.tools().map((tool) => tool.function.name);
    const { client, bodies } = scripted(
      completion(...names.map((name, at) => [`c${at}`, name, '{"q":"x"}'] as const)),
    );
    const answer = await client.chat.completions.create({
      model: "gpt",
      messages: [{ role: "user", content: "go" }],
      tools,
    });

    expect(bodies[0]?.["tools"]).toEqual(tools);
    expect(new Set(names).size).toBe(allTools().length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const outcomes = adapter.calls(answer);
    expect(outcomes.map((each) => each.outcome === "call" && each.tool.key)).toEqual(
      adapter.belt.tools.map(({ tool }) => tool.key),
    );
    expect(outcomes.map((each) => each.outcome === "call" && each.arguments)).toEqual(
      names.map(() => ({ q: "x" })),
    );
  });

  it("declares properties even where a tool takes nothing, and no empty description", () => {
    const [find, lookup] = buildOpenAIChatAdapter([crm]).tools();
    expect(find).toEqual({
      type: "function",
      function: {
        name: "crm_accounts_find",
        description: "Finds.",
        parameters: { type: "object", properties: {} },
      },
    });
    expect(lookup?.function).not.toHaveProperty("description");
  });

  it("answers every malformed call with a message for the model (LIB-1, SAFE-1)", () => {
    const adapter = buildOpenAIChatAdapter([crm]);
    const good = { name: "crm_lookup", arguments: "{}" };
    const codeOf = (call: unknown) => {
      const outcome = adapter.call(call);
      return outcome.outcome === "refused" ? outcome.code : "call";
    };
    expect(codeOf({ function: good })).toBe("no-call-id");
    expect(codeOf({ id: 5, function: good })).toBe("no-call-id");
    expect(codeOf({ id: "c", type: "custom", custom: { name: "x", input: "" } })).toBe("no-name");
    expect(codeOf({ id: "c", function: { ...good, name: "crm_look" } })).toBe("unknown-tool");
    expect(codeOf({ id: "c", function: { ...good, arguments: "{" } })).toBe("bad-arguments");
    expect(codeOf({ id: "c", function: { ...good, arguments: "[]" } })).toBe("bad-arguments");
    expect(codeOf({ id: "c", function: { ...good, arguments: "" } })).toBe("call");
    for (const junk of [undefined, null, 1, "x", [], { id: "c" }, new Map()])
      expect(codeOf(junk)).not.toBe("call");

    const refused = adapter.call({ id: "c", function: { ...good, name: "crm_lookpu" } });
    if (refused.outcome !== "refused") throw new Error("routed");
    const message: OpenAI.Chat.ChatCompletionMessageParam = adapter.refusal(refused);
    expect(message).toEqual({ role: "tool", tool_call_id: "c", content: refused.message });
    expect(refused.message).toContain("crm_lookup");
    const nameless = adapter.call({ function: good });
    expect(nameless.outcome === "refused" && adapter.refusal(nameless).role).toBe("user");
  });

  it("answers a call under its id, and leaves custom tools to whoever declared them (LIB-1)", () => {
    const adapter = buildOpenAIChatAdapter([crm]);
    const custom = { id: "k", type: "custom", custom: { name: "grep", input: "x" } };
    const [outcome, ...others] = adapter.calls({
      tool_calls: [{ id: "c1", type: "function", function: { name: "crm_lookup", arguments: "{}" } }, custom],
    });
    expect(others).toEqual([]);
    const own = buildOpenAIChatAdapter([crm], { reserved: ["crm_lookup"] });
    expect(own.tools().map((tool) => tool.function.name)).toEqual([
      "crm_accounts_find",
      "crm_lookup_iil2q2m2",
    ]);
    expect(
      own.calls({ tool_calls: [{ id: "c1", type: "function", function: { name: "crm_lookup" } }] }),
    ).toEqual([]);
    if (outcome?.outcome !== "call") throw new Error("refused");
    const message: OpenAI.Chat.ChatCompletionToolMessageParam = adapter.result(outcome, "found");
    expect(message).toEqual({ role: "tool", tool_call_id: "c1", content: "found" });
  });

  it("works with tools named after parts of objects (SAFE-1)", () => {
    const adapter = buildOpenAIChatAdapter(buildSnapshot([prototypes], { style: "bare" }));
    for (const { function: declared } of adapter.tools()) {
      const outcome = adapter.call({ id: "c", function: { name: declared.name, arguments: "{}" } });
      expect(outcome.outcome === "call" && prototypeNames.includes(outcome.tool.raw)).toBe(true);
    }
  });

  const conversation: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: "developer", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Who?" },
        { type: "text", text: "Where?" },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: "data:," } },
      ],
    },
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:,2" } }] },
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "crm_lookup", arguments: '{ "q": 1 }' } },
        { id: "c2", type: "function", function: { name: "gone_tool", arguments: "not JSON" } },
        { id: "c3", type: "custom", custom: { name: "grep", input: "x" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "one" },
    { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "two" }] },
    { role: "tool", tool_call_id: "c3", content: "three" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c4", type: "function", function: { name: "crm_lookup", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c4", content: "" },
    { role: "assistant", content: null, refusal: "No." },
  ];

  it("writes a conversation as it was read, under the same names (LIB-1)", () => {
    const adapter = buildOpenAIChatAdapter([crm]);
    const written = adapter.writeHistory(adapter.readHistory(conversation));
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = written.messages;
    expect(messages).toEqual(conversation);
    expect(written.dropped).toEqual([]);
  });

  it("reads calls, results and text that any provider understands (LIB-1)", () => {
    const items = buildOpenAIChatAdapter([crm]).readHistory(conversation);
    const kinds = items.map((item) => (item.kind === "text" ? `${item.role}: ${item.text}` : item.kind));
    expect(kinds).toEqual([
      "system: Be brief.",
      "user: Who?\nWhere?",
      "user: See",
      "opaque",
      "opaque",
      "assistant: Looking.",
      ...["call", "call", "opaque", "result", "result", "result", "call", "result"],
      "assistant: No.",
    ]);
  });

  it("goes on under new names, and with what others wrote (LIB-1)", () => {
    const before = buildOpenAIChatAdapter([docs]);
    const after = buildOpenAIChatAdapter(buildSnapshot([docs], { style: "prefixed" }));
    const name = after.tools()[0]?.function.name;
    expect(name).not.toBe(before.tools()[0]?.function.name);
    const { messages } = translateHistory(
      [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "docs_lookup", arguments: "{}" } }],
        },
      ],
      { from: before, to: after },
    );
    expect(messages[0]).toMatchObject({ tool_calls: [{ id: "c1", function: { name } }] });

    const tool = before.belt.refer("docs_lookup");
    const id = `toolu_${"x".repeat(60)}`;
    const foreign: readonly HistoryItem[] = [
      { kind: "call", callId: id, tool, arguments: { a: 1 } },
      { kind: "text", role: "assistant", text: "One moment." },
      { kind: "opaque", provider: "other", value: 1 },
      { kind: "call", callId: "c2", tool: { key: undefined, written: "gone.tool" }, arguments: {} },
      { kind: "result", callId: id, tool, text: "done", isError: false },
      { kind: "result", callId: "c2", tool: undefined, text: "gone", isError: true },
      { kind: "result", callId: "never-called", tool, text: "orphan", isError: false },
      { kind: "references", callId: undefined, tools: [tool] },
    ];
    const { messages: written, dropped } = before.writeHistory(foreign);
    expect(written.map(({ role }) => role)).toEqual(["assistant", "tool", "tool"]);
    expect(written[0]).toMatchObject({
      content: "One moment.",
      tool_calls: [
        { function: { name: "docs_lookup", arguments: '{"a":1}' } },
        { function: { name: "gone_tool" } },
      ],
    });
    const [first] = written;
    const [answer] = written.slice(1);
    const longId = first?.role === "assistant" ? first.tool_calls?.[0]?.id : undefined;
    expect(longId?.length).toBeLessThanOrEqual(40);
    expect(answer).toMatchObject({ tool_call_id: longId });
    expect(dropped.map(({ kind }) => kind)).toEqual(["opaque", "result", "references"]);
  });
});

describe("Responses", () => {
  const response = (output: readonly unknown[]): unknown => ({ id: "r", object: "response", output });

  it("gives the SDK every awful tool under a legal, unique name, and routes each call back (LIB-1, LIB-2)", async () => {
    const adapter = buildOpenAIResponsesAdapter(awfulSources);
    const tools: OpenAI.Responses.Tool[] = adapter.tools();
    const names = adapter.belt.tools.map(({ name }) => name);
    const { client, bodies } = scripted(
      response(
        names.map((name, at) => ({ type: "function_call", call_id: `c${at}`, name, arguments: '{"q":"x"}' })),
      ),
    );
    const answer = await client.responses.create({ model: "gpt", input: "go", tools });

    expect(bodies[0]?.["tools"]).toEqual(tools);
    expect(tools[0]).toMatchObject({ type: "function", strict: false });
    expect(new Set(names).size).toBe(allTools().length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    expect(adapter.calls(answer).map((each) => each.outcome === "call" && each.tool.key)).toEqual(
      adapter.belt.tools.map(({ tool }) => tool.key),
    );
  });

  it("groups the tools of each server in a namespace that is legal, unique and no tool's name (ID-2, LIB-2)", async () => {
    const adapter = buildOpenAIResponsesAdapter(awfulSources, { namespaces: "server" });
    const tools: OpenAI.Responses.Tool[] = adapter.tools();
    const groups = adapter.tools().flatMap((tool) => (tool.type === "namespace" ? [tool] : []));
    expect(groups).toHaveLength(tools.length);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(awfulSources.length);
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(["docs", "crm", "files"]));
    for (const group of groups) {
      expect(group.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(group.tools.map(({ name }) => name)).not.toContain(group.name);
    }
    const { client, bodies } = scripted(
      response(
        groups.flatMap((group) =>
          group.tools.map(({ name }) => ({
            type: "function_call",
            call_id: `c_${name}`,
            namespace: group.name,
            name,
            arguments: "{}",
          })),
        ),
      ),
    );
    const answer = await client.responses.create({ model: "gpt", input: "go", tools });
    expect(bodies[0]?.["tools"]).toEqual(tools);
    const keys = adapter.calls(answer).map((each) => each.outcome === "call" && each.tool.key);
    expect(new Set(keys)).toEqual(new Set(allTools().map(({ key }) => key)));
  });

  it("keeps a namespace when other servers join, and keeps off the names of its tools (ID-2)", () => {
    const namespacesOf = (...servers: readonly string[]): readonly string[] =>
      buildOpenAIResponsesAdapter(
        buildSnapshot(
          servers.map((server, at) => ({ server, integration: `i${at}`, tools: ["search"] })),
          { style: "bare" },
        ),
        { namespaces: "server" },
      )
        .tools()
        .map((tool) => ("name" in tool ? tool.name : ""));
    const [alone] = namespacesOf("a b");
    expect(alone).toMatch(/^a_b_[a-z2-7]{8}$/);
    expect(namespacesOf("a_b", "a b")).toEqual(expect.arrayContaining(["a_b", alone]));
    expect(namespacesOf("search")[0]).toMatch(/^search_[a-z2-7]{8}$/);
  });

  it("refuses a call in another tool's namespace, and accepts one without (LIB-1)", () => {
    const adapter = buildOpenAIResponsesAdapter([crm, docs], { namespaces: "server" });
    const call = (namespace: unknown) =>
      adapter.call({ type: "function_call", call_id: "c", name: "crm_lookup", namespace, arguments: "{}" });
    expect(call("crm").outcome).toBe("call");
    expect(call(undefined).outcome).toBe("call");
    for (const wrong of ["docs", "crm_lookup", 5])
      expect(call(wrong)).toMatchObject({
        outcome: "refused",
        code: "wrong-namespace",
        suggestions: ["crm_lookup"],
      });
  });

  it("defers tools, adds the search, and strips the synthetic namespace of a deferred tool (ID-7, LIB-1)", async () => {
    const adapter = buildOpenAIResponsesAdapter([crm, docs], { defer: (tool) => tool.server === "crm" });
    const tools: OpenAI.Responses.Tool[] = adapter.tools();
    expect(tools.map((tool) => ("defer_loading" in tool ? tool.defer_loading : undefined))).toEqual([
      true,
      true,
      undefined,
      undefined,
    ]);
    expect(tools.at(-1)).toEqual({ type: "tool_search" });
    const { client, bodies } = scripted(
      response([
        {
          type: "tool_search_call",
          call_id: null,
          execution: "server",
          arguments: { paths: ["crm_lookup"] },
        },
        {
          type: "function_call",
          call_id: "c",
          name: "crm_lookup",
          namespace: "crm_lookup",
          arguments: '{"namespace":"kept"}',
        },
      ]),
    );
    const answer = await client.responses.create({ model: "gpt", input: "go", tools });
    expect(bodies[0]?.["tools"]).toEqual(tools);
    const [outcome] = adapter.calls(answer);
    expect(outcome).toMatchObject({
      outcome: "call",
      arguments: { namespace: "kept" },
      tool: { raw: "lookup", server: "crm" },
    });
    expect(outcome).not.toHaveProperty("namespace");
    // The same shape for a tool that is not deferred means nothing.
    const eager = { call_id: "c", name: "docs_lookup", namespace: "docs_lookup", arguments: "{}" };
    expect(adapter.call(eager)).toMatchObject({ code: "wrong-namespace" });
    expect(buildOpenAIResponsesAdapter([crm]).tools()).toHaveLength(2);
  });

  it("answers calls and refusals as function_call_output (LIB-1)", () => {
    const adapter = buildOpenAIResponsesAdapter([crm]);
    const item = { type: "function_call", call_id: "c", name: "crm_lookup", arguments: "{}" };
    const routed = adapter.call(item);
    const refused = adapter.call({ ...item, arguments: "{" });
    const lost = adapter.call({ ...item, call_id: 7, id: "fc_1" });
    if (routed.outcome !== "call" || refused.outcome !== "refused" || lost.outcome !== "refused")
      throw routed;
    const items: OpenAI.Responses.ResponseInputItem[] = [
      adapter.result(routed, "ok"),
      adapter.refusal(refused),
      adapter.refusal(lost),
    ];
    expect(items).toEqual([
      { type: "function_call_output", call_id: "c", output: "ok" },
      { type: "function_call_output", call_id: "c", output: refused.message },
      { role: "user", content: lost.message },
    ]);
    for (const junk of [undefined, null, 1, "x", [], {}]) expect(adapter.call(junk).outcome).toBe("refused");
  });

  const found = {
    type: "function",
    name: "crm_lookup",
    parameters: { type: "object", properties: {} },
    strict: false,
    defer_loading: true,
  } as const;
  const conversation: OpenAI.Responses.ResponseInputItem[] = [
    { role: "developer", content: "Be brief." },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Who?" }] },
    {
      role: "user",
      content: [
        { type: "input_text", text: "See" },
        { type: "input_image", image_url: "data:,", detail: "auto" },
      ],
    },
    { type: "reasoning", id: "rs_1", summary: [] },
    {
      type: "tool_search_call",
      id: "tsc_1",
      call_id: null,
      execution: "server",
      arguments: { paths: ["crm_lookup"] },
      status: "completed",
    },
    { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", tools: [found] },
    {
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "crm_lookup",
      namespace: "crm_lookup",
      arguments: '{ "q": 1 }',
      status: "completed",
    },
    { type: "function_call", call_id: "c2", name: "crm_lookup", arguments: "{" },
    { type: "function_call_output", call_id: "c1", output: "one" },
    {
      type: "function_call_output",
      call_id: "c2",
      output: [
        { type: "input_text", text: "two" },
        { type: "input_image", image_url: "data:,2" },
      ],
    },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "final_answer",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    },
    { type: "item_reference", id: "x" },
  ];

  it("writes a conversation as it was read, under the same names (LIB-1, ID-7)", () => {
    const adapter = buildOpenAIResponsesAdapter([crm], { defer: (tool) => tool.raw === "lookup" });
    const written = adapter.writeHistory(adapter.readHistory(conversation));
    const items: OpenAI.Responses.ResponseInputItem[] = written.messages;
    expect(items).toEqual(conversation);
    expect(written.dropped).toEqual([]);
  });

  it("writes names, namespaces and what a search found as they are now (LIB-1)", () => {
    const from = buildOpenAIResponsesAdapter([crm], { defer: "all" });
    const to = buildOpenAIResponsesAdapter([docs, crm], { defer: "all", namespaces: "server" });
    const { messages, dropped } = translateHistory(conversation, { from, to });
    expect(dropped).toEqual([]);
    expect(messages[4]).toMatchObject({ type: "tool_search_call", arguments: { paths: ["crm"] } });
    expect(messages[5]).toMatchObject({
      type: "tool_search_output",
      tools: [{ type: "namespace", name: "crm", tools: [{ name: "crm_lookup", defer_loading: true }] }],
    });
    expect(messages[6]).toMatchObject({ id: "fc_1", call_id: "c1", name: "crm_lookup", namespace: "crm" });

    const eager = buildOpenAIResponsesAdapter([crm]);
    const now = translateHistory(conversation, { from, to: eager });
    expect(now.dropped.map(({ kind }) => kind)).toEqual(["references"]);
    expect(JSON.parse(JSON.stringify(now.messages[4]))).not.toHaveProperty("namespace");
  });

  it("keeps what a model called that there never was, namespace and all (LIB-1)", () => {
    const adapter = buildOpenAIResponsesAdapter([crm], { namespaces: "server", defer: "all" });
    const items = [
      { type: "function_call", call_id: "c", namespace: "crm", name: "crm_nothing", arguments: "{}" },
      { type: "function_call", call_id: "d", name: "crm_lookup", arguments: "{}" },
    ];
    const { messages } = adapter.writeHistory(adapter.readHistory(items));
    expect(messages).toEqual([items[0], { ...items[1], namespace: "crm" }]);
    const foreign: HistoryItem = {
      ...{ kind: "call", callId: "e", arguments: {} },
      tool: adapter.belt.refer("crm_lookup"),
    };
    expect(adapter.writeHistory([foreign]).messages[0]).toMatchObject({
      name: "crm_lookup",
      namespace: "crm",
    });
  });

  it("knows a tool of another naming by its server's namespace (LIB-1)", () => {
    const adapter = buildOpenAIResponsesAdapter([crm, docs]);
    const [item] = adapter.readHistory([
      { type: "function_call", call_id: "c", name: "lookup", namespace: "docs", arguments: "{}" },
    ]);
    expect(item?.kind === "call" && adapter.belt.nameFor(item.tool)).toBe("docs_lookup");
  });

  it("carries calls and results over from Chat Completions and back (LIB-1)", () => {
    const chat = buildOpenAIChatAdapter([crm]);
    const responses = buildOpenAIResponsesAdapter([crm]);
    const begun: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: "user", content: "Who?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "crm_lookup", arguments: '{"q":1}' } },
          { id: "c2", type: "function", function: { name: "crm_accounts_find", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "two" },
      { role: "assistant", content: "Them." },
    ];
    const over = translateHistory(begun, { from: chat, to: responses });
    expect(over.messages).toEqual([
      { role: "user", content: "Who?" },
      { type: "function_call", call_id: "c1", name: "crm_lookup", arguments: '{"q":1}' },
      { type: "function_call", call_id: "c2", name: "crm_accounts_find", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "one" },
      { type: "function_call_output", call_id: "c2", output: "two" },
      { role: "assistant", content: "Them." },
    ]);
    expect(translateHistory(over.messages, { from: responses, to: chat }).messages).toEqual(begun);
  });
});

it("keeps what makes no sense as it is, and never throws over it (SAFE-1)", () => {
  const junk = [
    null,
    1,
    "x",
    [],
    { role: "tool" },
    { role: "__proto__", content: "x" },
    { type: "function_call", name: 5 },
    { type: "function_call_output" },
    { type: "tool_search_call" },
    { role: "user", content: [null, { type: "text", text: 5 }] },
  ];
  for (const adapter of [buildOpenAIChatAdapter([crm]), buildOpenAIResponsesAdapter([crm])]) {
    const { messages, dropped } = adapter.writeHistory(adapter.readHistory(junk));
    expect(messages).toEqual(junk);
    expect(dropped).toEqual([]);
  }
});
