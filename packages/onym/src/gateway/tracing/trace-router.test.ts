import { describe, expect, it } from "vitest";
import type { DownstreamRequest } from "../../downstream/downstream.js";
import { createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { formatSpan } from "../../telemetry/create-exporter.js";
import { Span } from "../../telemetry/span.js";
import type { Caller } from "../caller.js";
import { handleRequest } from "../create-router.js";
import type { GatewayContext } from "../gateway-context.js";
import type { RequestContext, Router } from "../router.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildRequestContext, buildSession, profileNamed } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { traceRouter } from "./trace-router.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

interface Told {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Makes one request of a traced router, and tells the spans in the order they ended. */
async function trace(
  context: GatewayContext,
  params: JsonObject,
  {
    caller = buildSession(),
    requestContext = buildRequestContext(),
    method = "tools/call",
  }: Partial<Made> = {},
): Promise<readonly Told[]> {
  const ended: Span[] = [];
  const place = { traceId: TRACE, spanId: undefined, isSampled: true, state: undefined };
  const tracer = {
    begin: (name: string) => new Span("server", name, place, (span) => ended.push(span)),
    close: async () => {},
  };
  const bare = {
    handle: (request, from, under) =>
      Promise.resolve(handleRequest(request, { caller: from, requestContext: under }, context)),
  } as Pick<Router, "handle"> as Router;
  await traceRouter(bare, tracer).handle({ jsonrpc: "2.0", id: "a", method, params }, caller, requestContext);
  return ended.map((span) => {
    const { name, kind, attributes } = JSON.parse(formatSpan(span));
    const pairs = attributes.map((each: { key: string; value: { stringValue?: string } }) => [
      each.key,
      each.value.stringValue,
    ]);
    expect(new Set(pairs.map(([key]: [string]) => key)).size).toBe(pairs.length);
    return { name, kind, attributes: Object.fromEntries(pairs) };
  });
}

interface Made {
  readonly caller: Caller;
  readonly requestContext: RequestContext;
  readonly method: string;
}

const echo = ({ params }: DownstreamRequest): Reply => resultReply({ content: [], echoed: params });

describe("the span of a call", () => {
  it("is named for each caller by the name that it has there, whatever it sends (ID-1)", async () => {
    const context = buildTestContext([
      createMemoryDownstream({ tools: toolsNamed("read_file") }, { answer: echo }),
    ]);
    const { snapshot } = context.latestView();
    for (const id of ["openai", "mcp", "openai"]) {
      const caller = buildSession({ profile: profileNamed(id) });
      const name = snapshot.tableOf(caller).tools[0]?.name ?? "";
      for (const sent of [name, "fs@1/read_file@1", name]) {
        const [hop, call] = await trace(context, { name: sent, arguments: {} }, { caller });
        expect([call?.name, hop?.name]).toEqual([`tools/call ${name}`, "tools/call read_file"]);
        expect(call?.attributes).toMatchObject({ "gen_ai.tool.name": name, "onym.profile": id });
        expect(call?.attributes["onym.tool.sent"]).toBe(sent === name ? undefined : sent);
      }
    }
  });

  it("carries the tool's key, versions and integration, however it is called (ID-10)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("read\u202e") }, { toolbox: "dev", answer: echo });
    const [, call] = await trace(buildTestContext([fs]), {
      name: { server: "fs", name: "read\u202e", toolbox: "dev" },
    });
    expect(JSON.parse(call?.attributes["onym.tool.key"] ?? "")).toContain("read\u202e");
    expect(call?.attributes["onym.tool.key"]).toMatch(/^[\x20-\x7e]+$/);
    expect(call?.attributes).toMatchObject({ "onym.integration.name": "fs", "onym.toolbox": "dev" });
    expect(Object.keys(call?.attributes ?? {})).toEqual(
      expect.arrayContaining(["onym.tool.version", "onym.integration.version"]),
    );
  });

  it("of a tool of the gateway tells which, and use_tool what it uses (GW-11)", async () => {
    const context = buildTestContext([createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo })], {
      mode: "proxy",
    });
    const [found] = await trace(context, { name: "find_tools", arguments: { query: "a" } });
    expect(found).toMatchObject({
      name: "tools/call find_tools",
      attributes: { "onym.tool.own": "find_tools", "gen_ai.tool.name": "find_tools" },
    });
    const [hop, used] = await trace(context, { name: "use_tool", arguments: { tool: "fs_a" } });
    expect(used).toMatchObject({
      name: "tools/call fs_a",
      attributes: { "onym.tool.own": "use_tool", "onym.tool.canonical": "fs@1/a@1" },
    });
    expect(hop?.name).toBe("tools/call a");
    const [lost] = await trace(context, { name: "use_tool", arguments: { tool: "nobody" } });
    expect(lost).toMatchObject({
      name: "tools/call use_tool",
      attributes: { "onym.outcome": "tool_error" },
    });
  });

  it("is not named after what a stranger writes, also where that is passed through (RES-3)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    const context = buildTestContext([fs], { passthrough: fs.id });
    const spans = await trace(context, { name: "anything", arguments: {} });
    expect(spans.map(({ name }) => name)).toEqual(["tools/call", "tools/call"]);
    for (const { attributes } of spans) expect(attributes["gen_ai.tool.name"]).toBe("anything");
  });

  it.each([
    [resultReply({ resultType: "input_required" }), "input_required", undefined],
    [errorReply(-32602, "no"), "error", "-32602"],
    [errorReply(-32001, "no"), "error", "-32001"],
  ])("of %j says so", async (answer, outcome, code) => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: () => answer, era: "modern" });
    const [hop, call] = await trace(buildTestContext([fs]), { name: "fs_a" }, { caller: buildCaller() });
    expect(hop?.attributes["error.type"]).toBe(code);
    // What the caller did wrong is no error of a server.
    expect(call?.attributes["error.type"]).toBe(code === "-32602" ? undefined : code);
    for (const each of [hop, call])
      expect(each?.attributes).toMatchObject({
        "onym.outcome": outcome,
        ...(code === undefined ? {} : { "rpc.response.status_code": code }),
      });
  });

  it("that was cancelled says nothing of an answer that nobody gets", async () => {
    const { signal, cancel } = createCancelSource();
    const answer = (): Reply => {
      cancel();
      return errorReply(-32603, "cancelled");
    };
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer });
    const spans = await trace(
      buildTestContext([fs]),
      { name: "fs_a" },
      { requestContext: buildRequestContext({ signal }) },
    );
    expect(spans).toHaveLength(2);
    for (const { attributes } of spans) {
      expect(attributes["onym.outcome"]).toBe("cancelled");
      expect(attributes).not.toHaveProperty("error.type");
    }
  });
});

describe("what a downstream gets", () => {
  it.each([
    ['{"name":"fs_a","arguments":{"__proto__":1}}', '{"name":"a","arguments":{"__proto__":1},"_meta":%}'],
    ['{"name":"fs_a"}', '{"name":"a","_meta":%}'],
    ['{"name":"fs_a","_meta":5}', '{"name":"a","_meta":%}'],
    ['{"name":"fs_a","x":1,"_meta":{"tracestate":"old","y":2}}', '{"name":"a","x":1,"_meta":{"y":2,%}}'],
  ])("for %s is %s", async (sent, wanted) => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    await trace(buildTestContext([fs]), JSON.parse(sent));
    const text = JSON.stringify(fs.asked[0]?.params);
    const [context = ""] = /"traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"/.exec(text) ?? [];
    expect(text).toBe(
      wanted.replace("{%}", `{${context}}`).replace(/%/, sent.includes("y") ? context : `{${context}}`),
    );
  });
});
