// One turn of an agent with Google's Gen AI SDK: tools with awful names, a call, a wrong call, the answers, and a
// conversation that began elsewhere. The transport is faked: nothing leaves this machine. Run after `npm run build`.

import assert from "node:assert/strict";
import { GoogleGenAI } from "@google/genai";
import { buildSnapshot } from "@onym/core";
import { buildGeminiAdapter } from "@onym/core/gemini";

const sources = [
  { server: "crm", tools: [{ name: "leads/get all", description: "Lists leads." }, "constructor"] },
];
const snapshot = buildSnapshot(sources);
const adapter = buildGeminiAdapter(snapshot, { missingSignature: "skip_thought_signature_validator" });

const sent = [];
const parts = [
  { functionCall: { name: "crm_leads_get_all", args: { limit: 3 } }, thoughtSignature: "c2ln" },
  { functionCall: { name: "crm_leads_get", args: {} } },
];
const ai = new GoogleGenAI({
  apiKey: "none",
  httpOptions: {
    fetch: async (_url, init) => {
      sent.push(JSON.parse(init.body));
      return Response.json({ candidates: [{ content: { role: "model", parts } }] });
    },
  },
});

// What was said so far, in no provider's words: any other adapter's `readHistory` makes it.
const { messages, systemInstruction } = adapter.writeHistory([
  { kind: "text", role: "system", text: "You help with sales." },
  { kind: "text", role: "user", text: "Which leads do we have?" },
  { kind: "call", callId: "toolu_1", tool: adapter.belt.refer("mcp__crm__leads/get all"), arguments: {} },
  { kind: "result", callId: "toolu_1", tool: undefined, text: '{"leads":["Ada"]}', isError: false },
  { kind: "text", role: "user", text: "Only her? Look again." },
]);

const response = await ai.models.generateContent({
  model: "gemini-3-pro-preview",
  contents: messages,
  config: { tools: adapter.tools(), systemInstruction },
});
console.log("tools:", adapter.belt.tools.map(({ name }) => name).join(", "));

const replies = adapter.calls(response).map((outcome) => {
  if (outcome.outcome === "refused") {
    console.log(`refused: ${outcome.message}`);
    return adapter.refusal(outcome);
  }
  console.log(`call:    ${outcome.tool.server} gets "${outcome.tool.raw}"`, outcome.arguments);
  return adapter.result(outcome, { leads: ["Ada", "Grace", "Edsger"] });
});
console.log("reply:  ", JSON.stringify({ role: "user", parts: replies }));

assert.deepEqual(
  sent[0].tools[0].functionDeclarations.map(({ name }) => name),
  ["crm_constructor", "crm_leads_get_all"],
);
assert.deepEqual(sent[0].contents[1].parts, [
  {
    functionCall: { id: "toolu_1", name: "crm_leads_get_all", args: {} },
    thoughtSignature: "skip_thought_signature_validator",
  },
]);
assert.deepEqual(sent[0].contents[2].parts, [
  { functionResponse: { id: "toolu_1", name: "crm_leads_get_all", response: { leads: ["Ada"] } } },
]);
assert.equal(replies[0].functionResponse.name, "crm_leads_get_all");
assert.match(replies[1].functionResponse.response.error, /You may use: crm_leads_get_all/);

// The names are held: with the lock of this run, a server that joins takes none of them.
const lock = adapter.lock();
const rival = { server: "crm-next", integration: "crm", version: 2, tools: ["leads/get all"] };
const joined = buildGeminiAdapter(buildSnapshot([rival, ...sources], { lock }));
const given = joined.belt.tools.map(({ name, tool }) => `${name} → ${tool.server}`);
console.log("joined: ", given.join(", "));
assert.ok(given.includes("crm_leads_get_all → crm") && given.includes("crm_leads_get_all_2 → crm-next"));
// What is told of the raw names.
assert.deepEqual(
  adapter.problems.map(({ code }) => code),
  ["spaces", "bad-characters"],
);
