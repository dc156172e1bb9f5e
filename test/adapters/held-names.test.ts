// Names that an adapter gave stay with their tools, whatever options it runs with, and what went wrong is told.

import { buildSnapshot, formatLock, parseLock, type ToolSource } from "@onym/core";
import { buildAiSdkAdapter } from "@onym/core/ai-sdk";
import { buildAnthropicAdapter } from "@onym/core/anthropic";
import { buildBedrockAdapter } from "@onym/core/bedrock";
import { buildGeminiAdapter } from "@onym/core/gemini";
import { buildLangChainAdapter } from "@onym/core/langchain";
import { buildOpenAIChatAdapter, buildOpenAIResponsesAdapter } from "@onym/core/openai";
import { buildMcpServerFacade, buildOpenAIAgentsAdapter } from "@onym/core/openai-agents";
import { describe, expect, it } from "vitest";

const run = async (): Promise<string> => "";

const BUILDERS = [
  ["openai chat", buildOpenAIChatAdapter],
  ["openai responses", buildOpenAIResponsesAdapter],
  ["openai agents", (input, options) => buildOpenAIAgentsAdapter(input, { run, ...options })],
  [
    "mcp facade",
    (input, options) => buildMcpServerFacade(input, { name: "onym", callTool: run, ...options }),
  ],
  ["anthropic", buildAnthropicAdapter],
  ["bedrock", buildBedrockAdapter],
  ["gemini", buildGeminiAdapter],
  ["ai-sdk", buildAiSdkAdapter],
  ["langchain", buildLangChainAdapter],
] as const satisfies readonly (readonly [
  string,
  (
    input: Parameters<typeof buildOpenAIChatAdapter>[0],
    options: { reserved?: readonly string[] },
  ) => Pick<ReturnType<typeof buildOpenAIChatAdapter>, "belt" | "lock" | "problems">,
])[];

const A: readonly ToolSource[] = [
  { server: "a_b", tools: ["c"] },
  { server: "a", tools: ["b_c"] },
];
const B: readonly ToolSource[] = [
  { server: "a", tools: ["b_c", "b c"] },
  { server: "a_b", tools: ["c"] },
];

describe.each(BUILDERS)("%s", (_id, build) => {
  it("gives every name again to the tool that had it (LIB-4)", () => {
    const before = build(A, {});
    const text = formatLock(before.lock());
    const read = parseLock(text);
    if (!read.ok) throw new Error(read.problem.message);
    const after = build(buildSnapshot(B, { lock: read.value }), {});
    const names = new Map(after.belt.tools.map(({ name, tool }) => [tool.key, name]));
    for (const { name, tool } of before.belt.tools) expect(names.get(tool.key)).toBe(name);
    // What was given stays in the lock, and what is new joins it.
    const recorded = after.lock().profiles.get(after.belt.table.lockKey);
    for (const { name, tool } of after.belt.tools) expect(recorded?.names.get(name)?.key).toBe(tool.key);
  });

  it("keeps the name that a tool moved to for its tool (LIB-4)", () => {
    const docs: ToolSource = { server: "docs", tools: ["search"] };
    const moved = build([docs], { reserved: ["docs_search"] });
    const name = moved.belt.tools[0]?.name ?? "";
    expect(name).toMatch(/^docs_search_[a-z2-7]{8}$/);
    const rival: ToolSource = { server: "d2", integration: "docs", version: 2, tools: [name.slice(5)] };
    const after = build(buildSnapshot([rival, docs], { lock: moved.lock() }), {});
    expect(after.belt.tools.map((entry) => entry.name)).not.toContain(name);
    expect(after.belt.refer(name).key).toBe(moved.belt.tools[0]?.tool.key);
  });

  it("lets names go on with a tool that was renamed, and records the rename (LIB-4) (LOCK-5)", () => {
    const before = build([{ server: "crm", tools: ["leads.get"] }], {});
    const name = before.belt.tools[0]?.name ?? "";
    const renames = [{ from: "crm@1/leads.get@1", to: "crm@1/leads_get@1" }];
    const sources: readonly ToolSource[] = [{ server: "crm", tools: ["leads_get"] }];
    const snapshot = buildSnapshot(sources, { lock: before.lock(), renames });
    const after = build(snapshot, {});
    expect(after.belt.tools.map((entry) => entry.name)).toEqual([name]);
    expect(after.belt.refer(name).key).toBe(after.belt.tools[0]?.tool.key);
    expect(after.lock().tools).toEqual(snapshot.nextLock([after.belt.table.profile]).tools);
    expect([...after.lock().tools.values()].some(({ successor }) => successor !== undefined)).toBe(true);
  });

  it("tells what was left out or renamed (NAME-8)", () => {
    const twice: readonly ToolSource[] = [
      { server: "web", tools: ["search", "fetch", "fetch"] },
      { server: "web", tools: ["other"] },
    ];
    const snapshot = buildSnapshot(twice);
    expect(snapshot.problems).not.toEqual([]);
    expect(build(twice, {}).problems).toEqual(expect.arrayContaining([...snapshot.problems]));
    const { problems, belt } = build([{ server: "web", tools: ["search"] }], { reserved: ["web_search"] });
    expect(problems).toEqual([
      expect.objectContaining({
        code: "name-reserved",
        severity: "warning",
        tools: ["web@1/search@1"],
        message: expect.stringContaining(belt.tools[0]?.name ?? "-"),
      }),
    ]);
  });

  it("loses no tool of servers that differ in case without a word (NAME-8)", () => {
    const { belt, problems } = build(
      ["github", "GitHub"].map((server) => ({ server, tools: ["search"] })),
      {},
    );
    const told = new Set(problems.flatMap(({ servers }) => servers));
    for (const server of ["github", "GitHub"])
      expect(told.has(server) || belt.tools.some(({ tool }) => tool.server === server)).toBe(true);
  });
});

it("keeps the names of the Agents SDK under the lock of its profile (LIB-4)", () => {
  const before = buildOpenAIAgentsAdapter(A, { run });
  const lock = buildSnapshot(A).nextLock(["openai-agents-js"]);
  const after = buildOpenAIAgentsAdapter(buildSnapshot(B, { lock }), { run });
  for (const { name, tool } of before.belt.tools) {
    const outcome = after.call({ callId: "1", name, arguments: "{}" });
    expect(outcome.outcome === "call" && outcome.tool.key, name).toBe(tool.key);
  }
});

it("gives no name to another tool because tools are deferred now (LIB-4)", () => {
  const before = buildAnthropicAdapter([
    { server: "a", tools: ["x"] },
    { server: "b", integration: "a", version: 2, tools: ["x"] },
  ]);
  expect(before.belt.tools.map(({ name }) => name)).toEqual(["a_x", "a_x_2"]);
  const next = buildSnapshot(
    [
      { server: "b", integration: "a", version: 2, tools: ["x"] },
      { server: "c", integration: "a", version: 3, tools: ["x"] },
    ],
    { lock: before.lock() },
  );
  const after = buildAnthropicAdapter(next, { defer: "all" });
  expect(after.belt.tools.map(({ name, tool }) => `${tool.server} ${name}`)).toEqual(["b a_x_2", "c a_x_3"]);
  const gone = after.call({ type: "tool_use", id: "1", name: "a_x", input: {} });
  expect(gone.outcome).toBe("refused");
});

it("gives no name to another tool because of another profile (LIB-4)", () => {
  const sources = (...ids: readonly number[]): ToolSource[] =>
    ids.map((version) => ({ server: `s${version}`, integration: "a", version, tools: ["x"] }));
  for (const build of [buildAiSdkAdapter, buildLangChainAdapter]) {
    const before = build(sources(1, 2), { profile: "openai" });
    const after = build(buildSnapshot(sources(2, 3), { lock: before.lock() }), { profile: "bedrock" });
    expect(after.belt.tools.map(({ name, tool }) => `${tool.server} ${name}`)).toEqual([
      "s2 a_x_2",
      "s3 a_x_3",
    ]);
  }
});

it("leads a name that a hidden tool had to no other tool (LIB-4)", () => {
  const own: ToolSource = { server: "a", tools: ["_b", "b"] };
  const before = buildLangChainAdapter([own]);
  const hidden = before.belt.tools.find(({ tool }) => tool.raw === "_b");
  expect(hidden?.name).toBe("a__b");
  const after = buildLangChainAdapter(buildSnapshot([own], { lock: before.lock() }), {
    visible: ({ raw }) => raw !== "_b",
  });
  expect(after.call({ id: "1", name: "a__b", args: {} })).toMatchObject({ code: "unknown-tool" });
  expect(after.belt.refer("a__b").key).toBe(hidden?.tool.key);
});
