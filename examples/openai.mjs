// One turn of an agent on OpenAI's Responses API: namespaces, deferred tools, a call, a wrong call, the answers; then the
// same conversation on Chat Completions. The transport is faked: nothing leaves this machine. Run after `npm run build`.

import assert from "node:assert/strict";
import { buildSnapshot } from "@onym/core";
import { translateHistory } from "@onym/core/adapters";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import OpenAI from "openai";

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }] },
  { server: "our docs", tools: [{ name: "search", description: "Searches the manuals." }] },
];
const snapshot = buildSnapshot(sources);
const responses = buildOpenAIResponsesAdapter(snapshot, {
  namespaces: "server",
  defer: (tool) => tool.server === "crm",
});
const chat = buildOpenAIChatAdapter(snapshot);

const sent = [];
const answers = [
  {
    output: [
      {
        ...{ type: "function_call", call_id: "call_1", arguments: '{"limit":3}' },
        ...{ namespace: "crm", name: "crm_leads_get_all" },
      },
      { type: "function_call", call_id: "call_2", namespace: "crm", name: "crm_leads_get", arguments: "{}" },
    ],
  },
  { choices: [{ index: 0, message: { role: "assistant", content: "There are three." } }] },
];
const client = new OpenAI({
  apiKey: "none",
  fetch: async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return Response.json({ id: "x", object: "response", ...answers[sent.length - 1] });
  },
});

const tools = responses.tools();
console.log("tools:  ", tools.map((tool) => tool.name ?? tool.type).join(", "));
const input = [{ role: "user", content: "Which leads do we have?" }];
const response = await client.responses.create({ model: "gpt-5.4", input, tools });
input.push(...response.output);
for (const outcome of responses.calls(response)) {
  if (outcome.outcome === "refused") {
    console.log(`refused: ${outcome.message}`);
    input.push(responses.refusal(outcome));
  } else {
    console.log(`call:    ${outcome.tool.server} gets "${outcome.tool.raw}"`, outcome.arguments);
    input.push(responses.result(outcome, "Ada, Grace, Edsger"));
  }
}

const { messages, dropped } = translateHistory(input, { from: responses, to: chat });
const completion = await client.chat.completions.create({ model: "gpt-5.4", messages, tools: chat.tools() });
console.log("answer: ", completion.choices[0].message.content);

assert.deepEqual(
  sent[0].tools.map((tool) => tool.type),
  ["namespace", "namespace", "tool_search"],
);
assert.match(sent[0].tools[1].name, /^our_docs_[a-z2-7]{8}$/);
assert.deepEqual(dropped, []);
assert.deepEqual(sent[1].messages.slice(2), [
  { role: "tool", tool_call_id: "call_1", content: "Ada, Grace, Edsger" },
  {
    role: "tool",
    tool_call_id: "call_2",
    content: "There is no tool crm_leads_get. You may use: crm_leads_get_all.",
  },
]);
assert.deepEqual(responses.writeHistory(responses.readHistory(input)).messages, input);

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = responses.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildOpenAIResponsesAdapter(buildSnapshot([rival, ...sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What is told of the raw names.
assert.deepEqual(
  responses.problems.map(({ code }) => code),
  ["spaces", "bad-characters"],
);
