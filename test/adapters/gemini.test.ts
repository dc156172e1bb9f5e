// The Gemini adapter against Google's SDK: its request builder, its response objects, its types. No network.

import { type Content, type FunctionCall, GoogleGenAI, type Part, type ToolListUnion } from "@google/genai";
import { buildSnapshot } from "@onym/core";
import { buildGeminiAdapter } from "@onym/core/gemini";
import { describe, expect, it } from "vitest";
import { awfulSources, prototypeNames } from "./awful-tools.js";

const LEGAL = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,62}$/;
const SOURCES = [
  { server: "salesforce", tools: [{ name: "get.leads", inputSchema: { type: "object", properties: {} } }] },
  { server: "docs", tools: ["search"] },
];

/** The SDK with a transport that keeps what it is sent and answers with these parts. */
function fakeSdk(parts: readonly unknown[]) {
  const sent: { contents: Content[]; tools: { functionDeclarations: { name: string }[] }[] }[] = [];
  const ai = new GoogleGenAI({
    apiKey: "none",
    httpOptions: {
      fetch: async (_url: unknown, init?: { body?: unknown }) => {
        sent.push(JSON.parse(String(init?.body)));
        const body = { candidates: [{ content: { role: "model", parts } }] };
        return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
      },
    },
  });
  return { ai, sent };
}

describe("tools for Gemini", () => {
  it("go through the SDK's request builder, and its calls lead back to the raw names (LIB-1)", async () => {
    const gemini = buildGeminiAdapter(SOURCES);
    const { ai, sent } = fakeSdk([{ functionCall: { name: "sf_get_leads", args: { limit: 3 } } }]);
    const tools: ToolListUnion = gemini.tools();
    const response = await ai.models.generateContent({ model: "gemini", contents: "hi", config: { tools } });
    expect(sent[0]?.tools).toEqual([
      {
        functionDeclarations: [
          { name: "docs_search", description: "", parametersJsonSchema: { type: "object", properties: {} } },
          { name: "sf_get_leads", description: "", parametersJsonSchema: { type: "object", properties: {} } },
        ],
      },
    ]);
    const [outcome] = gemini.calls(response);
    expect(outcome).toMatchObject({
      outcome: "call",
      tool: { server: "salesforce", raw: "get.leads" },
      callId: undefined,
      arguments: { limit: 3 },
    });
    const [functionCall]: FunctionCall[] = response.functionCalls ?? [];
    expect(gemini.call(functionCall)).toEqual(outcome);
  });

  it("are legal, unique and callable for an awful tool set (LIB-2)", async () => {
    const gemini = buildGeminiAdapter(awfulSources);
    const { ai, sent } = fakeSdk([{ text: "ok" }]);
    await ai.models.generateContent({ model: "m", contents: "hi", config: { tools: gemini.tools() } });
    const names = sent[0]?.tools[0]?.functionDeclarations.map(({ name }) => name) ?? [];
    const total = awfulSources.reduce((sum, { tools }) => sum + tools.length, 0);
    expect(names).toHaveLength(total);
    expect(new Set(names).size).toBe(total);
    for (const name of names) expect(name).toMatch(LEGAL);
    const reached = names.map((name) => gemini.call({ name, id: "c", args: {} }));
    expect(new Set(reached.map((each) => each.outcome === "call" && each.tool.key)).size).toBe(total);
  });

  it("may be called like what every object has (SAFE-1)", () => {
    const snapshot = buildSnapshot([{ server: "s", tools: prototypeNames }], { style: "bare" });
    const gemini = buildGeminiAdapter(snapshot);
    for (const raw of prototypeNames) {
      expect(gemini.call({ name: raw })).toMatchObject({ outcome: "call", tool: { raw } });
    }
  });

  it("are no entry at all where there are none (LIB-2)", () => {
    expect(buildGeminiAdapter([]).tools()).toEqual([]);
  });
});

describe("a call from Gemini", () => {
  const gemini = buildGeminiAdapter(SOURCES);

  it("may have no id, but not one that is no text (ID-6)", () => {
    expect(gemini.call({ name: "docs_search" })).toMatchObject({ outcome: "call", callId: undefined });
    expect(gemini.call({ name: "docs_search", id: null })).toMatchObject({ callId: undefined });
    expect(gemini.call({ name: "docs_search", id: "c1" })).toMatchObject({ callId: "c1" });
    expect(gemini.call({ name: "docs_search", id: 5 })).toMatchObject({ code: "no-call-id" });
  });

  it.each([
    ["nothing", undefined, "no-name"],
    ["a text", "docs_search", "no-name"],
    ["no name", { args: {} }, "no-name"],
    ["a name of no tool", { name: "docs_serach" }, "unknown-tool"],
    ["a name every object has", { name: "constructor" }, "unknown-tool"],
    ["arguments that are a list", { name: "docs_search", args: [1] }, "bad-arguments"],
    ["arguments that are no JSON", { name: "docs_search", args: "{" }, "bad-arguments"],
  ])("is refused, not thrown, when it is %s (LIB-1)", (_, functionCall, code) => {
    expect(gemini.call(functionCall)).toMatchObject({ outcome: "refused", code });
  });

  it("is answered under the name and id that the model used (LIB-1)", async () => {
    const routed = gemini.call({ name: "docs_search", id: "c1", args: {} });
    const refused = gemini.call({ name: "docs_serach", id: "c2", args: {} });
    if (routed.outcome !== "call" || refused.outcome !== "refused") throw new Error("not as expected");
    const parts: Part[] = [
      gemini.result(routed, "found"),
      gemini.result(routed, { hits: 2 }),
      gemini.result(routed, "broken", { isError: true }),
      gemini.refusal(refused),
    ];
    const { ai, sent } = fakeSdk([{ text: "ok" }]);
    await ai.models.generateContent({ model: "m", contents: [{ role: "user", parts }] });
    expect(sent[0]?.contents[0]?.parts).toEqual([
      { functionResponse: { id: "c1", name: "docs_search", response: { output: "found" } } },
      { functionResponse: { id: "c1", name: "docs_search", response: { hits: 2 } } },
      { functionResponse: { id: "c1", name: "docs_search", response: { error: "broken" } } },
      { functionResponse: { id: "c2", name: "docs_serach", response: { error: refused.message } } },
    ]);
    expect(refused.message).toContain("docs_search");
  });
});

describe("a conversation with Gemini", () => {
  const gemini = buildGeminiAdapter(SOURCES);
  const conversation: Content[] = [
    {
      role: "user",
      parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }, { text: "Who is new?" }],
    },
    {
      role: "model",
      parts: [
        { text: "thinking", thought: true },
        { text: "Let me look." },
        { functionCall: { name: "sf_get_leads", args: { page: 1 } }, thoughtSignature: "c2ln" },
        { functionCall: { name: "sf_get_leads", args: { page: 2 } } },
        { functionCall: { id: "c3", name: "docs_search", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "sf_get_leads", response: { leads: [1] } } },
        { functionResponse: { name: "sf_get_leads", response: { error: { code: 5 } } } },
        { functionResponse: { id: "c3", name: "docs_search", response: { output: "nothing" } } },
      ],
    },
    { role: "user", parts: [{ text: "Go on." }] },
    { role: "model", parts: [{ text: "Ada.", thoughtSignature: "c2ln" }] },
  ];

  it("comes back as it was, signatures and images included (LIB-1)", () => {
    const { messages, dropped, systemInstruction } = gemini.writeHistory(gemini.readHistory(conversation));
    const contents: Content[] = messages;
    expect(contents).toEqual(conversation);
    expect(dropped).toEqual([]);
    expect(systemInstruction).toBeUndefined();
  });

  it("pairs answers with calls by name and order where ids are missing (ID-6)", () => {
    const items = gemini.readHistory(conversation);
    const calls = items.flatMap((item) => (item.kind === "call" ? [item.callId] : []));
    const results = items.flatMap((item) => (item.kind === "result" ? [item.callId] : []));
    expect(new Set(calls).size).toBe(3);
    expect(results).toEqual(calls);
  });

  it("makes no id that an earlier part of the conversation has (ID-6)", () => {
    const call = { role: "model", parts: [{ functionCall: { name: "docs_search", args: {} } }] };
    const [first] = gemini.readHistory([call]);
    if (first?.kind !== "call") throw new Error("not as expected");
    const { form: _form, ...elsewhere } = first;
    const back = gemini.writeHistory([elsewhere]).messages;
    const ids = gemini.readHistory([...back, call]).map((item) => item.kind === "call" && item.callId);
    expect(ids[0]).toBe(first.callId);
    expect(new Set(ids).size).toBe(2);
  });

  it("goes on under new names (LIB-1)", () => {
    const renamed = buildGeminiAdapter(buildSnapshot(SOURCES, { style: "prefixed" }));
    const { messages } = renamed.writeHistory(gemini.readHistory(conversation));
    const names = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => part.functionCall?.name ?? part.functionResponse?.name ?? []),
    );
    expect(new Set(names)).toEqual(new Set(["mcp_salesforce__get.leads", "mcp_docs__search"]));
  });

  it("takes in another provider's calls, signs them when asked, and sets the system's words apart (LIB-1)", () => {
    const signing = buildGeminiAdapter(SOURCES, { missingSignature: "skip_thought_signature_validator" });
    const tool = signing.belt.refer("salesforce/get.leads");
    const written = signing.writeHistory([
      { kind: "text", role: "system", text: "Be kind." },
      { kind: "text", role: "user", text: "Hi" },
      { kind: "call", callId: "a", tool, arguments: {} },
      { kind: "call", callId: "b", tool: signing.belt.refer("gone tool!"), arguments: {} },
      { kind: "result", callId: "a", tool: undefined, text: "12345678901234567890", isError: false },
      { kind: "result", callId: "b", tool: undefined, text: '{"error":"text"}', isError: false },
      { kind: "opaque", provider: "anthropic", value: {} },
    ]);
    expect(written.systemInstruction).toBe("Be kind.");
    expect(written.dropped).toEqual([{ kind: "opaque", provider: "anthropic", value: {} }]);
    expect(written.messages).toEqual([
      { role: "user", parts: [{ text: "Hi" }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "a", name: "sf_get_leads", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
          { functionCall: { id: "b", name: "gone_tool_", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: { id: "a", name: "sf_get_leads", response: { output: "12345678901234567890" } },
          },
          { functionResponse: { id: "b", name: "gone_tool_", response: { output: '{"error":"text"}' } } },
        ],
      },
    ]);
  });

  it("does not mind what is no message (LIB-1)", () => {
    expect(gemini.readHistory([null, 5, {}, { parts: [null, 5, { functionCall: {} }] }])).toHaveLength(1);
  });
});
