// What the AI SDK has only since 7, with the adapter: its tool search, and the names that took the place of older ones.

import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { generateText, isStepCount, type ModelMessage, type ToolSet, toolSearch } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, it } from "vitest";

const SOURCES = [
  { server: "salesforce", tools: [{ name: "get.leads", description: "Leads" }] },
  { server: "docs", tools: ["search"] },
];

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

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

/** A model that makes one call and then says that it is done. */
function callingModel(toolName: string, input = "{}"): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: [
      answer([{ type: "tool-call", toolCallId: "c", toolName, input }]),
      answer([{ type: "text", text: "done" }]),
    ],
  });
}

it("deferred tools stay out of sight until the SDK's tool search finds them (LIB-1)", async () => {
  const ai = buildAiSdkAdapter(SOURCES, { defer: "all", reserved: ["find"] });
  const model = callingModel("find", '{"query":"leads"}');
  const tools = { ...ai.tools({ execute: () => "ok" }), find: toolSearch() };
  await generateText({ model, tools, prompt: "hi", stopWhen: isStepCount(2) });
  const shown = model.doGenerateCalls.map((each) => each.tools?.map(({ name }) => name));
  expect(shown).toEqual([["find"], ["sf_get_leads", "find"]]);
});

it("a call by another spelling is repaired, and the conversation comes back as the SDK made it (LIB-1)", async () => {
  const ai = buildAiSdkAdapter(SOURCES);
  const ran: string[] = [];
  const tools: ToolSet = ai.tools({ execute: (call) => ran.push(call.tool.raw) });
  const { responseMessages } = await generateText({
    model: callingModel("salesforce.get.leads"),
    tools,
    prompt: "hi",
    stopWhen: isStepCount(2),
    repairToolCall: ai.repairToolCall,
  });
  expect(ran).toEqual(["get.leads"]);
  expect(responseMessages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  const written: ModelMessage[] = ai.writeHistory(ai.readHistory(responseMessages)).messages;
  expect(written).toEqual(responseMessages);
});
