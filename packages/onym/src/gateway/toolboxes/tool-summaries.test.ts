import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { runAtOnce } from "../../model/run-slices.js";
import { buildPolicy } from "../../policy/build-policy.js";
import type { Caller } from "../caller.js";
import { OPEN_GUARD } from "../calls/guard.js";
import { handleRequest } from "../create-router.js";
import type { GatewayContext } from "../gateway-context.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildCaller, buildRequestContext, profileNamed, snapshotOf } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { createCallerVisibility } from "../visibility/caller-visibility.js";
import { MAX_SHOWN_LENGTH, summarySteps } from "./tool-summaries.js";

describe("the tools that one answer describes", () => {
  const summarize = (lengths: readonly number[], hasSchemas = true) => {
    const tools = lengths.map((length, at) => ({
      name: `t${at}`,
      description: "d".repeat(length),
      inputSchema: { type: "object" },
    }));
    const snapshot = snapshotOf({ downstreams: [createMemoryDownstream({ tools })] });
    const table = snapshot.tableOf(buildCaller());
    const options = { snapshot, table, visibility: undefined, hasSchemas };
    const { tools: shown, more } = runAtOnce(summarySteps(snapshot.tools.catalog.tools, options));
    return { shown: shown.map(({ raw }) => raw), more, length: JSON.stringify(shown[0]).length };
  };

  it("are limited in length: one below, at and one above (limits: MAX_SHOWN_LENGTH of tool-summaries) (SAFE-4)", () => {
    const rest = MAX_SHOWN_LENGTH - summarize([0]).length - summarize([0]).length;
    for (const length of [rest - 1, rest])
      expect(summarize([0, length])).toMatchObject({ shown: ["t0", "t1"], more: 0 });
    expect(summarize([0, rest + 1, 0])).toMatchObject({ shown: ["t0"], more: 2 });
    expect(summarize([0, rest + 1], false)).toMatchObject({ shown: ["t0", "t1"], more: 0 });
  });

  it("are at least one, however long", () => {
    expect(summarize([MAX_SHOWN_LENGTH + 1, 0])).toMatchObject({ shown: ["t0"], more: 1 });
  });
});

describe("what open_toolbox brings (POL-1)", () => {
  const description = "Like b_tool.";
  const server = createMemoryDownstream(
    { tools: ["a_tool", "b_tool"].map((name) => ({ name, description })) },
    { toolbox: "dev" },
  );
  const whole = buildTestContext([server], { mode: "proxy", toolboxes: [{ id: "dev", description: "" }] });
  const hidden = { text: "*/b_tool", integration: "*", tool: "b_tool" };
  const tool = [{ ...hidden, integrationVersion: undefined, toolVersion: undefined }];
  const policy = buildPolicy({ default: "allow", rules: [{ effect: "deny", tool, caller: ["guest"] }] });
  const view = {
    ...whole.latestView(),
    guard: { ...OPEN_GUARD, visibility: createCallerVisibility({ policy }) },
  };
  const context: GatewayContext = {
    ...whole,
    latestView: () => view,
    names: { ...whole.names, recordNames: () => view },
  };
  const open = async (with_: Partial<Caller>): Promise<string> => {
    const params = { name: "open_toolbox", arguments: { toolbox: "dev" } };
    const request = { jsonrpc: "2.0" as const, id: 1, method: "tools/call", params };
    const to = { caller: buildCaller(with_), requestContext: buildRequestContext() };
    return textOf(await handleRequest(request, to, context));
  };

  it("is shared by callers that see the same, and by no others, in whichever order they ask", async () => {
    const [guest, free] = [{ principal: "guest" }, { principal: "other" }];
    const openai = { profile: profileNamed("openai") };
    const canonical = { profile: profileNamed("canonical") };
    const kinds = [guest, free].flatMap((each) => [
      { ...each, ...openai },
      { ...each, ...canonical },
    ]);
    const first = await Promise.all(kinds.map(open));
    expect(await Promise.all(kinds.toReversed().map(open))).toEqual(first.toReversed());
    const [hidden, hiddenCanonical, seen, seenCanonical] = first;
    for (const text of [hidden, hiddenCanonical]) {
      expect(text).toContain("1 tool.");
      expect(text).toContain("Like b_tool.");
      expect(text).not.toMatch(/fs(__|@1\/)b_tool/);
    }
    expect(seen).toContain("Like dev__fs__b_tool.");
    expect(seenCanonical).toContain("Like dev:fs@1/b_tool@1.");
  });
});

function textOf(reply: Reply): string {
  const result: JsonObject = reply.kind === "json" ? JSON.parse(reply.json) : {};
  return JSON.stringify(result["content"]);
}
