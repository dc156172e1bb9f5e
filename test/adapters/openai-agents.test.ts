// Function tools and the MCP server facade, run by the real Agents SDK on a model that answers from a script.

import { buildSnapshot } from "@onym/core";
import { translateHistory } from "@onym/core/adapters";
import { handoffNameOf } from "@onym/core/identity";
import { buildOpenAIResponsesAdapter } from "@onym/core/openai";
import { buildMcpServerFacade, buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import {
  Agent,
  type AgentInputItem,
  getAllMcpTools,
  handoff,
  type MCPServer,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  type Tool,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { awfulSources, prototypeNames } from "./awful-tools.js";

setTracingDisabled(true);

const crm = { server: "crm", tools: [{ name: "accounts.find", description: "Finds." }, "lookup"] };
const call = (callId: string, name: string, given = "{}", namespace?: string) => ({
  type: "function_call",
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: given,
  status: "completed",
  ...(namespace === undefined ? {} : { namespace }),
});
const said = {
  type: "message",
  id: "m",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Done.", annotations: [] }],
};

interface Body {
  readonly tools: { name?: string; type: string; defer_loading?: boolean }[];
  readonly input: { type: string; call_id?: string; output?: unknown }[];
}

/** The SDK's own Responses model, whose requests go nowhere: each is kept, and answered with the next output. */
function scripted(...outputs: readonly (readonly unknown[])[]): {
  model: OpenAIResponsesModel;
  bodies: Body[];
} {
  const bodies: Body[] = [];
  const client = new OpenAI({
    apiKey: "none",
    maxRetries: 0,
    fetch: async (_url, init) => {
      const output = outputs[bodies.length] ?? [said];
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(JSON.stringify({ id: "r", object: "response", output, usage: {} }), {
        headers: { "content-type": "application/json" },
      });
    },
  });
  return { model: new OpenAIResponsesModel(client, "gpt-5.4"), bodies };
}

function outputsOf(body: Body | undefined): readonly unknown[] {
  return (body?.input ?? []).flatMap((item) => (item.type === "function_call_output" ? [item.output] : []));
}

describe("function tools", () => {
  it.each([
    ["made by the SDK's tool()", true],
    ["as plain objects", false],
  ])("run every awful tool under a legal, unique name, %s (LIB-1, LIB-2)", async (_, withTool) => {
    const ran: string[] = [];
    const run = async ({ tool: { key }, callId }: { tool: { key: string }; callId: unknown }) => {
      ran.push(key);
      return `${String(callId)} ran`;
    };
    const made = buildOpenAIAgentsAdapter(awfulSources, { run, tool });
    const plain = buildOpenAIAgentsAdapter(awfulSources, { run });
    const tools: Tool[] = withTool ? made.tools() : plain.tools();
    const names = made.belt.tools.map(({ name }) => name);
    const { model, bodies } = scripted(names.map((name, at) => call(`c${at}`, name, '{"q":"x"}')));
    const agent = new Agent({ name: "Asker", model, tools });
    const result = await new Runner().run(agent, "go");

    expect(result.finalOutput).toBe("Done.");
    expect(bodies[0]?.tools.map(({ name }) => name)).toEqual(names);
    expect(new Set(names).size).toBe(buildSnapshot(awfulSources).catalog.tools.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_]{1,64}$/);
    expect(ran.toSorted()).toEqual(made.belt.tools.map(({ tool: { key } }) => key).toSorted());
    expect(outputsOf(bodies[1])).toEqual(names.map((_name, at) => `c${at} ran`));
  });

  it("tell the model what was wrong with its arguments, and nothing runs (LIB-1)", async () => {
    const { model, bodies } = scripted([
      call("c1", "crm_lookup", "[]"),
      call("c2", "crm_lookup", "{"),
      call("c3", "crm_lookup", '{"a":1}'),
    ]);
    const given: unknown[] = [];
    const adapter = buildOpenAIAgentsAdapter([crm], {
      tool,
      run: async (routed) => {
        given.push([routed.tool.raw, routed.arguments]);
        return undefined;
      },
    });
    const agent = new Agent({ name: "Asker", model, tools: adapter.tools() });
    await new Runner().run(agent, "go");
    expect(given).toEqual([["lookup", { a: 1 }]]);
    expect(outputsOf(bodies[1])).toEqual([
      expect.stringContaining("are not a JSON object"),
      expect.stringContaining("JSON"),
      "",
    ]);
  });

  it("as plain objects stop for an approval, or end the run, where tool() tells the model", async () => {
    const run = async () => Promise.reject(new Error("down"));
    const plain = buildOpenAIAgentsAdapter([crm], { run }).tools();
    const asked = scripted([call("c1", "crm_lookup", "{")]);
    const stopped = await new Runner().run(new Agent({ name: "A", model: asked.model, tools: plain }), "go");
    expect(stopped.interruptions).toHaveLength(1);
    const failed = new Agent({ name: "A", model: scripted([call("c1", "crm_lookup")]).model, tools: plain });
    await expect(new Runner().run(failed, "go")).rejects.toThrow("down");

    const told = scripted([call("c1", "crm_lookup")]);
    const tools = buildOpenAIAgentsAdapter([crm], { run, tool }).tools();
    await new Runner().run(new Agent({ name: "A", model: told.model, tools }), "go");
    expect(outputsOf(told.bodies[1])).toEqual([expect.stringContaining("error occurred")]);
  });

  it("can be deferred: the search is added, and the synthetic namespace finds its tool (ID-7)", async () => {
    const ran: string[] = [];
    const adapter = buildOpenAIAgentsAdapter([crm], {
      tool,
      defer: "all",
      run: async (routed) => {
        ran.push(routed.tool.raw);
        return "ok";
      },
    });
    const search = { call_id: null, execution: "server", status: "completed" };
    const found = {
      type: "function",
      name: "crm_lookup",
      parameters: {},
      strict: false,
      defer_loading: true,
    };
    const { model, bodies } = scripted([
      { type: "tool_search_call", id: "s1", ...search, arguments: { paths: ["crm_lookup"] } },
      { type: "tool_search_output", id: "s2", ...search, tools: [found] },
      call("c1", "crm_lookup", "{}", "crm_lookup"),
    ]);
    const agent = new Agent({ name: "Asker", model, tools: adapter.tools() });
    const result = await new Runner().run(agent, "go");
    expect(bodies[0]?.tools.map(({ type, defer_loading }) => [type, defer_loading])).toEqual([
      ["function", true],
      ["function", true],
      ["tool_search", undefined],
    ]);
    expect(ran).toEqual(["lookup"]);

    // What the run leaves behind is read, and written as it was.
    const history: AgentInputItem[] = result.history;
    const items = adapter.readHistory(history);
    expect(items.map(({ kind }) => kind)).toEqual(["text", "references", "call", "result", "text"]);
    expect(adapter.writeHistory(items)).toEqual({ messages: history, dropped: [] });
  });

  it("keep off the names of handoffs, however the SDK spells them (ID-9)", async () => {
    const source = { server: "s", tools: ["transfer_to_billing_agent", "transfer_to_Billing_Agent"] };
    const snapshot = buildSnapshot([source], { style: "bare" });
    const billing = new Agent({ name: "Billing Agent" });
    const adapter = buildOpenAIAgentsAdapter(snapshot, {
      tool,
      run: async () => "",
      handoffs: [billing.name],
    });
    const { model, bodies } = scripted();
    const agent = new Agent({ name: "Asker", model, tools: adapter.tools(), handoffs: [handoff(billing)] });
    await new Runner().run(agent, "go");
    const names = bodies[0]?.tools.map(({ name }) => name) ?? [];
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
    expect(names).not.toContain(handoffNameOf(billing.name));
    expect(adapter.call({ callId: "c", name: "transfer_to_billing_agent" })).toMatchObject({
      code: "unknown-tool",
    });
    const reserved = buildSnapshot([source], { style: "bare", reserved: ["transfer_to_billing_agent"] });
    expect(reserved.namesFor("openai").tools.map(({ name }) => name)).not.toContain(
      "transfer_to_billing_agent",
    );
  });

  it("are named after parts of objects without harm (SAFE-1)", async () => {
    const snapshot = buildSnapshot([{ server: "p", tools: prototypeNames }], { style: "bare" });
    const ran: string[] = [];
    const adapter = buildOpenAIAgentsAdapter(snapshot, {
      tool,
      run: async (routed) => {
        ran.push(routed.tool.raw);
        return "";
      },
    });
    const { model } = scripted(adapter.belt.tools.map(({ name }, at) => call(`c${at}`, name)));
    await new Runner().run(new Agent({ name: "Asker", model, tools: adapter.tools() }), "go");
    expect(ran.toSorted()).toEqual(prototypeNames.toSorted());
  });
});

describe("calls and history", () => {
  const adapter = buildOpenAIAgentsAdapter([crm], { run: async () => "" });
  const item = { type: "function_call", callId: "c", name: "crm_lookup", arguments: "{}" };

  it("answers calls and refusals as function_call_result (LIB-1)", () => {
    const [routed] = adapter.calls({ output: [item, { type: "reasoning" }] });
    const refused = adapter.call({ ...item, name: "nothing_like_it" });
    if (routed?.outcome !== "call" || refused.outcome !== "refused") throw new Error("wrong outcome");
    const items: AgentInputItem[] = [adapter.result(routed, "ok"), adapter.refusal(refused)];
    const common = { type: "function_call_result", callId: "c", status: "completed" };
    expect(items).toEqual([
      { ...common, name: "crm_lookup", output: "ok" },
      { ...common, name: "nothing_like_it", output: refused.message },
    ]);
    for (const junk of [null, 1, [], {}, { ...item, callId: 5 }, { ...item, namespace: "docs" }])
      expect(adapter.call(junk).outcome).toBe("refused");
  });

  it("carries a conversation over to the Responses API and back (LIB-1)", () => {
    const responses = buildOpenAIResponsesAdapter([crm]);
    const begun: AgentInputItem[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Who?" },
      { ...item, type: "function_call", status: "completed" },
      {
        type: "function_call_result",
        callId: "c",
        name: "crm_lookup",
        status: "completed",
        output: { type: "text", text: "one" },
      },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "Them." }] },
    ];
    expect(adapter.writeHistory(adapter.readHistory(begun)).messages).toEqual(begun);
    const over = translateHistory(begun, { from: adapter, to: responses });
    expect(over.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Who?" },
      { type: "function_call", call_id: "c", name: "crm_lookup", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "one" },
      { role: "assistant", content: "Them." },
    ]);
    const back = translateHistory(over.messages, { from: responses, to: adapter });
    const items: AgentInputItem[] = back.messages;
    expect(items).toEqual([...begun.slice(0, 3), { ...begun[3], output: "one" }, begun[4]]);
  });
});

describe("the MCP server facade", () => {
  const options = {
    name: "onym",
    callTool: async ({
      tool: { raw, server },
      arguments: given,
    }: {
      tool: { raw: string; server: string };
      arguments: unknown;
    }) => ({
      content: [{ type: "text", text: JSON.stringify([server, raw, given]) }],
      structuredContent: { raw },
    }),
  };

  it("is an MCPServer that shows legal, unique names and calls raw ones (LIB-1, LIB-2)", async () => {
    const facade = buildMcpServerFacade(awfulSources, options);
    const server: MCPServer = facade;
    const entries = facade.belt.tools;
    const listed = await getAllMcpTools([server]);
    expect(listed.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));

    const { model, bodies } = scripted(entries.map(({ name }, at) => call(`c${at}`, name, '{"q":"x"}')));
    const agent = new Agent({ name: "Asker", model, mcpServers: [server] });
    await new Runner().run(agent, "go");
    expect(bodies[0]?.tools.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    const texts = outputsOf(bodies[1]).map((output) => textIn(output));
    expect(texts).toEqual(
      entries.map(({ tool: { server: id, raw } }) => JSON.stringify([id, raw, { q: "x" }])),
    );
  });

  it("keeps what else a result says, and answers a wrong name so that the model can read it (LIB-1)", async () => {
    const facade = buildMcpServerFacade([crm], options);
    const content = await facade.callTool("crm_lookup", null);
    expect([...content]).toEqual([{ type: "text", text: '["crm","lookup",{}]' }]);
    expect(content.structuredContent).toEqual({ raw: "lookup" });
    const refused = await facade.callToolResult("crm_lookpu", {});
    expect(refused).toEqual({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("crm_lookup") }],
    });
    const loose = buildMcpServerFacade([crm], { name: "loose", callTool: async () => ({ a: 1 }) });
    expect([...(await loose.callTool("crm_lookup", {}))]).toEqual([{ type: "text", text: '{"a":1}' }]);
    await facade.connect();
    await facade.invalidateToolsCache();
    await facade.close();
  });

  it("gives one name to what the SDK would write the same way (LIB-2)", async () => {
    const source = { server: "s", tools: ["a-b", "a_b"] };
    const facade = buildMcpServerFacade(buildSnapshot([source], { style: "bare" }), options);
    const names = (await getAllMcpTools([facade])).map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    expect(names).toEqual(facade.belt.tools.map(({ name }) => name));
  });
});

function textIn(output: unknown): unknown {
  if (typeof output === "string") return output;
  return Array.isArray(output) ? output[0]?.text : undefined;
}
