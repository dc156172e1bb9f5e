// Two runs of the OpenAI Agents SDK over tools with awful names: as function tools, and as one MCP server.
// The transport is faked: nothing leaves this machine. Run after `npm run build`.

import assert from "node:assert/strict";
import { buildSnapshot } from "@onym/core";
import { buildMcpServerFacade, buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import { Agent, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true);

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }] },
  // The SDK would give this one the name of the handoff below.
  { server: "transfer", tools: [{ name: "to_billing", description: "Transfers money." }] },
];
const billing = new Agent({ name: "billing" });
const handoffs = [billing.name];

const sent = [];
const model = new OpenAIResponsesModel(
  new OpenAI({
    apiKey: "none",
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return Response.json({ id: "r", object: "response", usage: {}, output: [nextOutput()] });
    },
  }),
  "gpt-5.4",
);
const nextOutput = () =>
  sent.length % 2 === 1
    ? { type: "function_call", call_id: "call_1", name: "crm_leads_get_all", arguments: '{"limit":3}' }
    : {
        ...{ type: "message", id: "m", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text: "There are three.", annotations: [] }],
      };

const log = [];
const run = async ({ tool: { server, raw }, arguments: given }) => {
  console.log(`call:   ${server} gets "${raw}"`, given);
  log.push([server, raw, given]);
  return "Ada, Grace, Edsger";
};

const adapter = buildOpenAIAgentsAdapter(sources, { tool, run, handoffs });
const asTools = new Agent({ name: "Asker", model, tools: adapter.tools(), handoffs: [billing] });
const first = await new Runner().run(asTools, "Which leads do we have?");
console.log("answer:", first.finalOutput);

const server = buildMcpServerFacade(sources, { name: "onym", callTool: run, handoffs });
const asServer = new Agent({ name: "Asker", model, mcpServers: [server], handoffs: [billing] });
const second = await new Runner().run(asServer, "Which leads do we have?");
console.log("answer:", second.finalOutput);

for (const request of [sent[0], sent[2]]) {
  const names = request.tools.map(({ name }) => name);
  console.log("tools: ", names.join(", "));
  assert.deepEqual(names, ["crm_leads_get_all", "transfer_to_billing_cr7uu4fe", "transfer_to_billing"]);
}
const expected = ["crm", "leads/get all", { limit: 3 }];
assert.deepEqual(log, [expected, expected]);
assert.equal(second.finalOutput, "There are three.");
const { messages } = adapter.writeHistory(adapter.readHistory(first.history));
assert.deepEqual(messages, first.history);

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildOpenAIAgentsAdapter(buildSnapshot([rival, ...sources], { lock }), {
  tool,
  run,
  handoffs,
});
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What was told of the raw names, and of those that gave way.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters", "name-reserved"],
);
