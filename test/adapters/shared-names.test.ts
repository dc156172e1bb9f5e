// Names that a request shares with others, tools that the model may not see, and tools of one name on two servers.

import { buildSnapshot, type ToolSource } from "@onym/core";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildGeminiAdapter } from "@onym/core/gemini";
import { buildLangChainAdapter } from "@onym/core/langchain";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import { buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import { describe, expect, it } from "vitest";

const docs: ToolSource = { server: "docs", tools: ["search"] };
const run = async (): Promise<string> => "";

describe("reserved names", () => {
  it("move a tool aside for good: another server changes nothing, with a lock (LIB-2) (NAME-4)", () => {
    const lock = buildSnapshot([docs]).nextLock(["openai"]);
    const more: ToolSource = { server: "d2", integration: "docs", version: 2, tools: ["search", "search_2"] };
    const options = { reserved: ["docs_search"] };
    const [before] = buildOpenAIChatAdapter(buildSnapshot([docs], { lock }), options).belt.tools;
    const joined = buildOpenAIChatAdapter(buildSnapshot([docs, more], { lock }), options);
    const after = joined.belt.tools.find(({ tool }) => tool.server === "docs");
    expect(after?.name).toBe(before?.name);
    const call = joined.call({
      id: "1",
      type: "function",
      function: { name: before?.name, arguments: "{}" },
    });
    expect(call.outcome === "call" && call.tool.server).toBe("docs");
  });

  it("are left to whoever declared them (LIB-1)", () => {
    const reserved = ["own"];
    const ai = buildAiSdkAdapter([docs], { reserved });
    expect(ai.calls({ toolCalls: [{ toolCallId: "1", toolName: "own", input: {} }] })).toEqual([]);
    const gemini = buildGeminiAdapter([docs], { reserved });
    const parts = [{ functionCall: { name: "own" } }, { functionCall: null }];
    expect(gemini.calls({ candidates: [{ content: { parts } }] })).toEqual([]);
    const langchain = buildLangChainAdapter([docs], { reserved });
    expect(langchain.calls({ role: "assistant", tool_calls: [{ id: "1", name: "own", args: {} }] })).toEqual(
      [],
    );
  });

  it("lead to no tool of the catalog, however it was loaded (LIB-2)", () => {
    const langchain = buildLangChainAdapter([docs], { reserved: ["docs__search"] });
    expect(langchain.call({ id: "1", name: "docs__search", args: {} })).toMatchObject({
      code: "unknown-tool",
    });
  });

  it("count as the Agents SDK writes them (LIB-2)", () => {
    const agents = buildOpenAIAgentsAdapter([{ server: "my", tools: ["tool"] }], {
      run,
      reserved: ["my-tool"],
    });
    expect(agents.belt.tools.map(({ name }) => name)).not.toContain("my_tool");
  });
});

it("refuses a call of the Agents SDK that has no id (ID-6)", () => {
  const agents = buildOpenAIAgentsAdapter([docs], { run });
  expect(agents.call({ type: "function_call", name: "docs_search", arguments: "{}" })).toMatchObject({
    outcome: "refused",
    code: "no-call-id",
  });
});

it("makes nothing ambiguous by a tool that the model may not see (LIB-1)", () => {
  const secret: ToolSource = { server: "secret", tools: ["search"] };
  const visible = ({ server }: { readonly server: string }): boolean => server !== "secret";
  const call = buildAnthropicAdapter([docs, secret], { visible }).call({
    type: "tool_use",
    id: "1",
    name: "search",
    input: {},
  });
  expect(call.outcome === "call" && call.tool.server).toBe("docs");
});

describe("a namespace in a conversation", () => {
  const item = (namespace: string) => [
    { type: "function_call", call_id: "1", namespace, name: "lookup", arguments: "{}" },
  ];
  const erp: ToolSource = { server: "erp", tools: ["lookup"] };
  const crm: ToolSource = { server: "crm", tools: ["lookup"] };

  it("says whose tool it was (ID-3) (LIB-1)", () => {
    const both = buildSnapshot([erp, crm], { style: "bare" });
    const [read] = buildOpenAIResponsesAdapter(both, { namespaces: "server" }).readHistory(item("erp"));
    expect(read?.kind === "call" && read.tool.key).toContain('"erp"');
  });

  it("of a server that is gone leads to no other server's tool (LIB-1)", () => {
    const [read] = buildOpenAIResponsesAdapter([erp]).readHistory(item("crm"));
    expect(read?.kind === "call" && read.tool.key).toBeUndefined();
  });
});

it("never writes a tool that is gone under a name that another tool has now (LIB-1)", () => {
  const before = buildOpenAIChatAdapter([{ server: "a_b", tools: ["c"] }]);
  const after = buildOpenAIChatAdapter([{ server: "a", tools: ["b_c"] }]);
  const call = { id: "1", type: "function", function: { name: "a-b_c", arguments: "{}" } };
  const items = before.readHistory([{ role: "assistant", content: null, tool_calls: [call] }]);
  const names = new Set(after.belt.tools.map(({ name }) => name));
  const [item] = items;
  expect(item?.kind).toBe("call");
  if (item?.kind === "call")
    expect(names.has(after.belt.nameFor({ ...item.tool, written: "a_b_c" }))).toBe(false);
});

it("servers whose ids differ only in case are both there, and that they are kept apart is listed (NAME-8)", () => {
  const sources = ["github", "GitHub"].map((server): ToolSource => ({ server, tools: ["search"] }));
  const adapter = buildOpenAIChatAdapter(sources);
  expect(adapter.belt.tools).toHaveLength(2);
  expect(adapter.problems).toMatchObject([{ code: "similar-ids", severity: "warning" }]);
  const alone = buildOpenAIChatAdapter(sources.slice(1));
  const joined = buildOpenAIChatAdapter(buildSnapshot(sources, { lock: alone.lock() }));
  const nameOf = (belt: typeof alone.belt) => belt.tools.find(({ tool }) => tool.server === "GitHub")?.name;
  expect(nameOf(joined.belt)).toBe(nameOf(alone.belt));
});
