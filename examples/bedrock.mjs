// One turn of an agent on Amazon Bedrock's Converse API, begun with Anthropic's own API: tools with awful names, a call,
// a wrong call, the answers. The transport is faked: nothing leaves this machine. Run after `npm run build`.

import assert from "node:assert/strict";
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { buildSnapshot } from "@onym/core";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildBedrockAdapter } from "@onym/core/bedrock";

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }, "constructor"] },
];
const snapshot = buildSnapshot(sources);
const adapter = buildBedrockAdapter(snapshot);

const sent = [];
const answer = {
  output: {
    message: {
      role: "assistant",
      content: [
        { text: "Let me see." },
        { toolUse: { toolUseId: "t1", name: "crm_leads_get_all", input: { limit: 3 } } },
        { toolUse: { toolUseId: "t2", name: "crm_leads_get", input: {} } },
      ],
    },
  },
  stopReason: "tool_use",
};
const client = new BedrockRuntimeClient({
  region: "eu-central-1",
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
  requestHandler: {
    handle: async ({ body }) => {
      sent.push(JSON.parse(new TextDecoder().decode(body)));
      const headers = { "content-type": "application/json" };
      return {
        response: { statusCode: 200, headers, body: new TextEncoder().encode(JSON.stringify(answer)) },
      };
    },
  },
});

// What was said so far, as Anthropic's API has it.
const anthropic = buildAnthropicAdapter(snapshot);
const earlier = [
  { role: "user", content: "Which leads do we have?" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "crm_leads_get_all", input: {} }] },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Ada", is_error: false }],
  },
  { role: "user", content: "Only her? Look again." },
];
const { messages, system } = adapter.writeHistory(anthropic.readHistory(earlier));

const response = await client.send(
  new ConverseCommand({
    modelId: "amazon.nova-pro-v1:0",
    messages,
    system,
    toolConfig: adapter.toolConfig(),
  }),
);
console.log("tools:", adapter.belt.tools.map(({ name }) => name).join(", "));

const replies = adapter.calls(response).map((outcome) => {
  if (outcome.outcome === "refused") {
    console.log(`refused: ${outcome.message}`);
    return adapter.refusal(outcome);
  }
  console.log(`call:    ${outcome.tool.server} gets "${outcome.tool.raw}"`, outcome.arguments);
  return adapter.result(outcome, [{ json: { leads: ["Ada", "Grace", "Edsger"] } }]);
});
const reply = adapter.reply(replies);
console.log("reply:  ", JSON.stringify(reply));

assert.deepEqual(
  sent[0].toolConfig.tools.map(({ toolSpec }) => [toolSpec.name, toolSpec.description]),
  [
    ["crm_constructor", "crm_constructor"],
    ["crm_leads_get_all", "Lists leads."],
  ],
);
assert.deepEqual(sent[0].messages, [
  { role: "user", content: [{ text: "Which leads do we have?" }] },
  {
    role: "assistant",
    content: [{ toolUse: { toolUseId: "toolu_1", name: "crm_leads_get_all", input: {} } }],
  },
  {
    role: "user",
    content: [
      { toolResult: { toolUseId: "toolu_1", content: [{ text: "Ada" }] } },
      { text: "Only her? Look again." },
    ],
  },
]);
assert.deepEqual(
  reply.content.map(({ toolResult }) => [toolResult.toolUseId, toolResult.status]),
  [
    ["t1", undefined],
    ["t2", "error"],
  ],
);

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildBedrockAdapter(buildSnapshot([rival, ...sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What is told of the raw names.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters"],
);
