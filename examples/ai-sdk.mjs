// An agent with the AI SDK (6 or 7): tools with awful names that the SDK runs itself, a call by another spelling, and the same
// conversation going on under other names. The model is the SDK's mock. Run after `npm run build`.

import assert from "node:assert/strict";
import { buildSnapshot } from "@onym/core";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }, "constructor"] },
];
const adapter = buildAiSdkAdapter(sources);

const none = { total: 0 };
const answer = (content, unified) => ({
  content,
  finishReason: { unified, raw: undefined },
  usage: { inputTokens: none, outputTokens: none },
  warnings: [],
});
const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input });
const model = new MockLanguageModelV3({
  doGenerate: [
    answer(
      [call("c1", "crm_leads_get_all", '{"limit":3}'), call("c2", "crm/leads/get all", "{}")],
      "tool-calls",
    ),
    answer([{ type: "text", text: "Three leads." }], "stop"),
  ],
});

const ran = [];
const {
  text,
  response,
  responseMessages = response.messages,
} = await generateText({
  model,
  prompt: "Which leads do we have?",
  tools: adapter.tools({
    execute: (routed) => {
      console.log(`call:    ${routed.tool.server} gets "${routed.tool.raw}"`, routed.arguments);
      ran.push([routed.callId, routed.tool.raw]);
      return { leads: ["Ada", "Grace", "Edsger"] };
    },
  }),
  // `repairToolCall` in the AI SDK 7.
  experimental_repairToolCall: adapter.repairToolCall,
  stopWhen: stepCountIs(3),
});
console.log("tools:  ", model.doGenerateCalls[0].tools.map(({ name }) => name).join(", "));
console.log("text:   ", text);

// The same tools under another style: the conversation goes on with the names of today.
const renamed = buildAiSdkAdapter(buildSnapshot(sources, { style: "prefixed" }));
const { messages } = renamed.writeHistory(adapter.readHistory(responseMessages));
console.log("renamed:", messages[0].content.map(({ toolName }) => toolName).join(", "));

assert.deepEqual(
  model.doGenerateCalls[0].tools.map(({ name }) => name),
  ["crm_constructor", "crm_leads_get_all"],
);
assert.deepEqual(ran, [
  ["c1", "leads/get all"],
  ["c2", "leads/get all"],
]);
assert.equal(messages[0].content[0].toolName, "mcp_crm__leads_get_all");

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildAiSdkAdapter(buildSnapshot([rival, ...sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What is told of the raw names.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters"],
);
