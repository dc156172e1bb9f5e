// LangChain's MCP adapters with two servers whose tools share a name that no provider takes: the loaded tools get names
// that fit and still run the right tool. The MCP clients are faked. Run after `npm run build`.

import assert from "node:assert/strict";
import { AIMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { loadMcpTools } from "@langchain/mcp-adapters";
import { buildSnapshot } from "@onym/core";
import { buildLangChainAdapter, readLoadedTools } from "@onym/core/langchain";

const ran = [];
const fakeClient = (server, names) => ({
  listTools: async () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
  callTool: async ({ name }) => {
    ran.push(`${server}: ${name}`);
    return { content: [{ type: "text", text: `${server} ran ${name}` }] };
  },
});
const clients = [
  ["crm", fakeClient("crm", ["leads/get all", "search"])],
  ["docs", fakeClient("docs", ["search", "constructor"])],
];

const prefixes = { prefixToolNameWithServerName: true };
const loaded = readLoadedTools(
  await Promise.all(
    clients.map(async ([server, client]) => [server, await loadMcpTools(server, client, prefixes)]),
  ),
  prefixes,
);
const adapter = buildLangChainAdapter(loaded.sources);
const tools = adapter.renameTools(loaded);
console.log("tools:  ", tools.map(({ name }) => name).join(", "));

// A model answers: one call under a name of today, one as the MCP adapters had it before, one to nobody.
const message = new AIMessage({
  content: "",
  tool_calls: [
    { type: "tool_call", id: "c1", name: "crm_leads_get_all", args: {} },
    { type: "tool_call", id: "c2", name: "docs__search", args: {} },
    { type: "tool_call", id: "c3", name: "mail_send", args: {} },
  ],
});
const replies = [];
for (const outcome of adapter.calls(message)) {
  if (outcome.outcome === "refused") {
    console.log(`refused: ${outcome.message}`);
    replies.push(coerceMessageLikeToMessage(adapter.refusal(outcome)));
    continue;
  }
  const own = loaded.loadedOf(outcome.tool);
  const reply = await own.invoke({
    type: "tool_call",
    id: outcome.callId,
    name: own.name,
    args: outcome.arguments,
  });
  console.log("reply:  ", reply.content);
  replies.push(reply);
}

const { messages } = adapter.writeHistory(adapter.readHistory([message, ...replies]));
console.log("history:", messages.map(({ role, name = "" }) => `${role} ${name}`.trim()).join(", "));

assert.deepEqual(
  tools.map((tool) => convertToOpenAITool(tool).function.name),
  ["crm_leads_get_all", "crm_search", "docs_constructor", "docs_search"],
);
assert.deepEqual(ran, ["crm: leads/get all", "docs: search"]);
assert.equal(replies[2].status, "error");
assert.deepEqual(
  messages[0].tool_calls.map(({ name }) => name),
  ["crm_leads_get_all", "docs_search", "mail_send"],
);

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildLangChainAdapter(buildSnapshot([rival, ...loaded.sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What is told of the raw names.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters"],
);
