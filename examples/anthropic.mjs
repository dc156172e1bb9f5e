// One turn of an agent on Anthropic's Messages API: deferred tools with awful names, a call, a wrong call, the answers.
// The transport is faked: nothing leaves this machine. Run after `npm run build`.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { buildSnapshot } from "@onym/core";
import { buildAnthropicAdapter } from "@onym/core/anthropic";

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }] },
  { server: "web", tools: [{ name: "search", description: "Searches our site." }] },
];
const adapter = buildAnthropicAdapter(sources, {
  // The model finds the leads by searching; Anthropic's own web search has the name `web_search`.
  defer: (tool) => tool.server === "crm",
  serverTools: [{ type: "web_search_20250305", name: "web_search" }],
});

const sent = [];
const client = new Anthropic({
  apiKey: "none",
  fetch: async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return Response.json(sent.length === 1 ? firstAnswer : lastAnswer);
  },
});

const answer = (stop_reason, content) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-5", usage: {} },
  ...{ stop_reason, content },
});
const firstAnswer = answer("tool_use", [
  { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_regex", input: { query: "lead" } },
  {
    type: "tool_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: {
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: "crm_leads_get_all" }],
    },
  },
  { type: "tool_use", id: "toolu_1", name: "crm_leads_get_all", input: { limit: 3 } },
  { type: "tool_use", id: "toolu_2", name: "crm_leads_get", input: {} },
]);
const lastAnswer = answer("end_turn", [{ type: "text", text: "There are three." }]);

const request = { model: "claude-sonnet-5", max_tokens: 1024, tools: adapter.tools() };
const messages = [{ role: "user", content: "Which leads do we have?" }];
console.log("tools:", request.tools.map(({ name }) => name).join(", "));

const response = await client.messages.create({ ...request, messages });
messages.push({ role: "assistant", content: response.content });

const replies = adapter.calls(response).map((outcome) => {
  if (outcome.outcome === "refused") {
    console.log(`refused: ${outcome.message}`);
    return adapter.refusal(outcome);
  }
  console.log(`call:    ${outcome.tool.server} gets "${outcome.tool.raw}"`, outcome.arguments);
  return adapter.result(outcome, "Ada, Grace, Edsger");
});
messages.push(adapter.reply(replies));
const last = await client.messages.create({ ...request, messages });
console.log("answer: ", last.content[0].text);

assert.deepEqual(
  request.tools.map(({ name }) => name),
  ["web_search", "tool_search_tool_regex", "crm_leads_get_all", "web_search_t6w5ztfg"],
);
assert.deepEqual(sent[1].messages[2].content, [
  { type: "tool_result", tool_use_id: "toolu_1", content: "Ada, Grace, Edsger" },
  {
    type: "tool_result",
    tool_use_id: "toolu_2",
    content: "There is no tool crm_leads_get. You may use: crm_leads_get_all.",
    is_error: true,
  },
]);
const { messages: again } = adapter.writeHistory(adapter.readHistory(messages));
assert.deepEqual(again, messages);

// The names are held: with the lock of this run, a server that joins takes none of them, though nothing is deferred now.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildAnthropicAdapter(buildSnapshot([rival, ...sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What was told of the raw names, and of those that gave way.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters", "name-reserved"],
);
