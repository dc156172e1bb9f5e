// Arguments with many values: passed on as bytes, and refused where the gateway would have to parse them (SAFE-4).

import { describe, expect, it, vi } from "vitest";
import { isReadable, MAX_VALUES } from "../../mcp/fast-path/parse-large.js";
import type { JsonObject } from "../../mcp/json.js";
import { parseMessage, type Reply, type RpcRequest, readMessage, resultReply } from "../../mcp/message.js";
import { handleRequest } from "../create-router.js";
import { createSuspendedCalls } from "../forward/suspended-calls.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildGuardedCall, buildRequestContext, buildSession } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";

/** As it arrives. */
function requestOf(method: string, name: string, last = "0"): RpcRequest {
  const args = `{"x":[${"0,".repeat(MAX_VALUES)}${last}]}`;
  const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"${name}","arguments":${args}}}`;
  const parsed = parseMessage(text);
  const read = readMessage(parsed.ok ? parsed.value : undefined, parsed.text);
  if (read.kind !== "request") throw new Error(read.kind);
  return read.message;
}

const TOO_MANY = `"arguments" must hold at most ${MAX_VALUES} values: they are read here, not only passed on.`;

async function ask(method: string, name: string, offer: object) {
  const server = createMemoryDownstream(offer, { answer: () => resultReply({ content: [] }) });
  const to = { caller: buildSession(), requestContext: buildRequestContext() };
  const reply: Reply = await handleRequest(requestOf(method, name), to, buildTestContext([server]));
  return { reply, asked: server.asked.length };
}

describe("arguments with many values", () => {
  it("are passed on where nobody reads them", async () => {
    const { reply, asked } = await ask("tools/call", "fs_a", { tools: toolsNamed("a") });
    expect([reply.kind, asked]).toEqual(["result", 1]);
  });

  it.each([
    [
      "a tool with headers of its own",
      "tools/call",
      { tools: [{ name: "a", inputSchema: { properties: { r: { type: "string", "x-mcp-header": "R" } } } }] },
    ],
    ["a prompt", "prompts/get", { prompts: [{ name: "a" }] }],
  ])("are refused for %s, and nothing is sent (SAFE-4)", async (_, method, offer) => {
    const { reply, asked } = await ask(method, "fs_a", offer);
    expect(reply).toMatchObject({ kind: "error", error: { code: -32602, message: TOO_MANY } });
    expect(asked).toBe(0);
  });

  it("go on with a suspended call where they are the same, byte for byte (SAFE-4)", async () => {
    const calls = createSuspendedCalls();
    const subjectOf = (last: string, more: object = {}) => {
      const params: JsonObject = { ...requestOf("tools/call", "a", last).params, ...more };
      return buildGuardedCall(params);
    };
    const subject = subjectOf("1");
    expect(isReadable(subject.params["arguments"] as JsonObject)).toBe(false);
    const request = { method: "elicitation/create", params: {} };
    const asked = await calls.begin(subject, buildRequestContext(), ({ sendRequest }) =>
      sendRequest(request, new AbortController().signal),
    );
    const state = asked.kind === "result" ? String(asked.result["requestState"]) : "";
    const again = (last: string) =>
      calls.resume(
        subjectOf(last, { requestState: state, inputResponses: { "question-1": { action: "accept" } } }),
        buildRequestContext(),
        state,
      );
    expect((await again("2")).kind).toBe("error");
    expect(await again("1")).toEqual(resultReply({ action: "accept" }));
  });

  it("are not parsed to resume a call, however few values they hold (SAFE-4)", async () => {
    const calls = createSuspendedCalls();
    const names = Array.from({ length: 100 }, (_, n) => `"${"k".repeat(1_000)}${n}":${n}`);
    const subjectOf = (members: readonly string[], more = "") => {
      const args = `{${members.join(",")}}`;
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}${more}}}`;
      const parsed = parseMessage(text);
      const read = readMessage(parsed.ok ? parsed.value : undefined, parsed.text);
      if (read.kind !== "request") throw new Error(read.kind);
      return buildGuardedCall(read.message.params ?? {});
    };
    const asked = await calls.begin(subjectOf(names), buildRequestContext(), ({ sendRequest }) =>
      sendRequest({ method: "elicitation/create", params: {} }, new AbortController().signal),
    );
    const state = asked.kind === "result" ? String(asked.result["requestState"]) : "";
    const answer = `,"requestState":"${state}","inputResponses":{"question-1":{"action":"accept"}}`;
    const [ordered, again] = [subjectOf(names.toReversed(), answer), subjectOf(names, answer)];
    const parse = vi.spyOn(JSON, "parse");
    // As they were sent: another order is another text.
    expect((await calls.resume(ordered, buildRequestContext(), state)).kind).toBe("error");
    expect(await calls.resume(again, buildRequestContext(), state)).toEqual(
      resultReply({ action: "accept" }),
    );
    expect(parse.mock.calls.filter(([text]) => String(text).length > 65_536)).toEqual([]);
    parse.mockRestore();
  });
});
