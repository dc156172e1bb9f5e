// Every adapter against a deliberately awful tool set, and every pair of them with one conversation.

import { buildSnapshot } from "@onym/core";
import { type HistoryCodec, type HistoryItem, translateHistory } from "@onym/core/adapters";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildBedrockAdapter } from "@onym/core/bedrock";
import { buildGeminiAdapter } from "@onym/core/gemini";
import { buildLangChainAdapter } from "@onym/core/langchain";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import { buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import { matchesProfile } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";
import { awfulSources } from "./awful-tools.js";

const snapshot = buildSnapshot(awfulSources);
const run = async (): Promise<string> => "done";

/** Each adapter, and how its provider writes a call. */
const ADAPTERS = [
  {
    id: "openai chat",
    adapter: buildOpenAIChatAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }),
  },
  {
    id: "openai responses",
    adapter: buildOpenAIResponsesAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    }),
  },
  {
    id: "openai agents",
    adapter: buildOpenAIAgentsAdapter(snapshot, { run }),
    write: (name: string, id: string, args: object) => ({
      type: "function_call",
      callId: id,
      name,
      arguments: JSON.stringify(args),
    }),
  },
  {
    id: "anthropic",
    adapter: buildAnthropicAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({ type: "tool_use", id, name, input: args }),
  },
  {
    id: "bedrock",
    adapter: buildBedrockAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({ toolUseId: id, name, input: args }),
  },
  {
    id: "gemini",
    adapter: buildGeminiAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({ id, name, args }),
  },
  {
    id: "ai-sdk",
    adapter: buildAiSdkAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({ toolCallId: id, toolName: name, input: args }),
  },
  {
    id: "langchain",
    adapter: buildLangChainAdapter(snapshot),
    write: (name: string, id: string, args: object) => ({ id, name, args }),
  },
] as const;

describe.each(ADAPTERS)("the awful tool set in $id", ({ adapter, write }) => {
  it("has a legal name of its own for every tool (LIB-2) (NAME-4)", () => {
    const { table, tools } = adapter.belt;
    const names = tools.map(({ name }) => name);
    expect(names).toHaveLength(snapshot.catalog.tools.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !matchesProfile(name, table.profile, table.as))).toEqual([]);
  });

  it("routes every call to the raw name, arguments untouched (LIB-1)", () => {
    for (const { name, tool } of adapter.belt.tools) {
      const outcome = adapter.call(write(name, "c1", { q: tool.raw }));
      expect(outcome, name).toMatchObject({ outcome: "call", callId: "c1", arguments: { q: tool.raw } });
      expect(outcome.outcome === "call" && outcome.tool).toBe(tool);
    }
  });

  it("keeps its names when a server with the same tools joins (NAME-4)", () => {
    const lock = snapshot.nextLock([adapter.belt.table.profile]);
    const joined = buildSnapshot([{ ...awfulSources[0], server: "aaa" } as never, ...awfulSources], { lock });
    const before = new Map(adapter.belt.tools.map(({ name, tool }) => [tool.key, name]));
    for (const { name, tool } of joined.namesFor(adapter.belt.table.profile).tools) {
      expect(before.get(tool.key) ?? name).toBe(name);
    }
  });

  it("refuses a call without an id, a name or arguments that can be read (LIB-1) (ID-6)", () => {
    const [{ name } = { name: "" }] = adapter.belt.tools;
    expect(adapter.call(write(name, 5 as never, {})).outcome).toBe("refused");
    expect(adapter.call(write("no_such_tool", "c1", {}))).toMatchObject({ code: "unknown-tool" });
    for (const odd of [undefined, null, 5, "x", [], {}]) expect(adapter.call(odd).outcome).toBe("refused");
  });
});

describe("one conversation", () => {
  const items: readonly HistoryItem[] = [
    { kind: "text", role: "user", text: "Do everything." },
    ...snapshot.catalog.tools.flatMap((tool, index): HistoryItem[] => [
      {
        kind: "call",
        callId: `call_${index}`,
        tool: { key: tool.key, written: tool.raw },
        arguments: { q: tool.canonical },
      },
      {
        kind: "result",
        callId: `call_${index}`,
        tool: { key: tool.key, written: tool.raw },
        text: `result ${index}`,
        isError: false,
      },
    ]),
    { kind: "text", role: "assistant", text: "Done." },
  ];
  const told = (list: readonly HistoryItem[]): string[] =>
    list.flatMap((item) =>
      item.kind === "call"
        ? [`call ${item.callId} ${item.tool.key} ${JSON.stringify(item.arguments)}`]
        : item.kind === "result"
          ? [`result ${item.callId} ${item.text}`]
          : item.kind === "text"
            ? [`${item.role}: ${item.text}`]
            : [],
    );
  const pairs = ADAPTERS.flatMap((from) =>
    ADAPTERS.map((to) => ({ from, to, name: `${from.id} → ${to.id}` })),
  );

  it.each(pairs)("goes on from $name (LIB-1)", ({ from, to }) => {
    const { messages } = from.adapter.writeHistory(items);
    const moved = translateHistory(messages, { from: from.adapter, to: to.adapter as HistoryCodec<unknown> });
    const names = JSON.stringify(moved.messages);
    expect(moved.dropped).toEqual([]);
    expect(told(to.adapter.readHistory(moved.messages))).toEqual(told(items));
    expect(names).not.toContain('files/read"');
  });
});
