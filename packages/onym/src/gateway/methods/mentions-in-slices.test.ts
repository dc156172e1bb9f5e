// Mentions of tools in long texts are searched between other requests (SAFE-4).

import { afterEach, expect, it, vi } from "vitest";
import type { JsonObject } from "../../mcp/json.js";
import { formatResult, resultReply } from "../../mcp/message.js";
import { handleRequest } from "../create-router.js";
import { MAX_MENTIONS } from "../references/find-references.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildRequestContext, buildSession } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { instructionsFor } from "./instructions-for.js";

afterEach(() => vi.restoreAllMocks());

/** The turns of the event loop until the work is done, on a clock on which every step fills a slice. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  let turns = 0;
  let isCounting = true;
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isCounting = false;
  return turns;
}

const LONG = "Call read_file. ".repeat(3_000);

it.each([
  ["long", LONG, 99, 200],
  ["short", "Call read_file. ", 0, 0],
])("searches a prompt with 100 %s texts", async (_, text, least, most) => {
  const messages = Array.from({ length: 100 }, () => ({ role: "user", content: { type: "text", text } }));
  const server = createMemoryDownstream(
    { tools: toolsNamed("read_file"), prompts: [{ name: "sum" }] },
    { answer: () => resultReply({ description: "Sums up", messages }) },
  );
  const request = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "fs_sum" } } as const;
  const to = { caller: buildSession(), requestContext: buildRequestContext() };
  let result: JsonObject = {};
  const turns = await countTurns(async () => {
    const reply = await handleRequest(request, to, buildTestContext([server]));
    if (reply.kind === "result") result = reply.result;
  });
  const renamed = {
    role: "user",
    content: { type: "text", text: text.replaceAll("read_file", "fs_read_file") },
  };
  expect(result).toEqual({ description: "Sums up", messages: messages.map(() => renamed) });
  expect(turns).toBeGreaterThanOrEqual(least);
  expect(turns).toBeLessThanOrEqual(most);
});

it.each([
  ["one below", MAX_MENTIONS - 1],
  ["at", MAX_MENTIONS],
  ["one above", MAX_MENTIONS + 1],
])("follows the mentions in the prompts that a server lists, %s the limit (SAFE-4)", async (_, count) => {
  const prompts = Array.from({ length: Math.ceil(count / 1_000) }, (_each, n) => ({
    name: `p${n}`,
    description: "b1 ".repeat(Math.min(1_000, count - n * 1_000)),
  }));
  const [server, other] = ["fs", "docs"].map((name) =>
    createMemoryDownstream({ tools: toolsNamed("b1"), prompts }, { server: name }),
  );
  if (server === undefined || other === undefined) throw new Error("there are two");
  const request = { jsonrpc: "2.0", id: 1, method: "prompts/list" } as const;
  const to = { caller: buildSession(), requestContext: buildRequestContext() };
  const reply = await handleRequest(request, to, buildTestContext([server, other]));
  if (reply.kind === "error") throw new Error(reply.error.message);
  const listed = formatResult(reply);
  // A budget for each server.
  for (const name of ["fs_b1", "docs_b1"])
    expect(listed.split(name)).toHaveLength(Math.min(count, MAX_MENTIONS) + 1);
});

it("searches the instructions of 100 servers", async () => {
  const servers = Array.from({ length: 100 }, (_, n) =>
    createMemoryDownstream({ tools: toolsNamed("read_file"), instructions: LONG }, { server: `s${n}` }),
  );
  let text = "";
  const turns = await countTurns(async () => {
    text = await instructionsFor(buildCaller(), buildTestContext(servers));
  });
  expect(text).toContain("Call s0_read_file. ");
  expect(turns).toBeGreaterThanOrEqual(90);
});
