// Traces of calls: from the caller through Onym to the server behind it, in both eras.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { ASK, callOf, ERAS, newTrace, openTracedWorld, PARENT, type TracedWorld } from "./harness-tracing.js";

let world: TracedWorld;
let onym: RunningOnym;

beforeAll(async () => {
  world = await openTracedWorld();
  onym = await startOnym({ config: world.config, env: world.env, args: ["--verbose"] });
});

afterAll(async () => {
  await onym.stop();
  await world.close();
});

const inTrace = (id: string) => (meta: Readonly<Record<string, unknown>>) =>
  String(meta["traceparent"]).includes(id);

describe.each(ERAS)("a call of a %s client", (era) => {
  it.each(["pipe", "new", "web"])("to %s is one trace from the caller to the server", async (label) => {
    const { id, traceparent } = newTrace();
    const reply = await ASK[era](
      callOf(onym.url, `${label}.echo`, { traceparent, tracestate: "rojo=1", own: 5 }),
    );
    expect(reply.result?.["structuredContent"]).toMatchObject({ server: label, raw: "echo" });
    const { server, client } = await world.spansOf(id);
    expect(server).toMatchObject({
      parentSpanId: PARENT,
      name: `tools/call ${label}.echo`,
      traceState: "rojo=1",
      attributes: {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": era === "legacy" ? "2025-11-25" : "2026-07-28",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": `${label}.echo`,
        "network.transport": "tcp",
        "jsonrpc.request.id": "1",
        "onym.tool.key": `["namespaced","${label}","echo"]`,
        "onym.tool.canonical": `${label}@1/echo@1`,
        "onym.integration.name": label,
        "onym.server.id": label,
        "onym.profile": "mcp",
        "onym.decision": "allow",
        "onym.outcome": "result",
      },
    });
    expect(client).toMatchObject({
      parentSpanId: server.spanId,
      name: "tools/call echo",
      traceState: "rojo=1",
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "echo",
        "onym.server.id": label,
        "network.transport": label === "web" ? "tcp" : "pipe",
        "onym.outcome": "result",
      },
    });
    expect([server.status, client?.status]).toEqual([undefined, undefined]);
    expect(server.attributes["mcp.session.id"] !== undefined).toBe(era === "legacy");
    expect(BigInt(server.startTimeUnixNano) <= BigInt(client?.startTimeUnixNano ?? 0)).toBe(true);
    expect(BigInt(server.endTimeUnixNano) >= BigInt(client?.endTimeUnixNano ?? 0)).toBe(true);
    expect(await world.metaAt(label, inTrace(id))).toMatchObject({
      traceparent: `00-${id}-${client?.spanId}-01`,
      tracestate: "rojo=1",
      own: 5,
    });
  });

  it("is found by its header, which its own word is put before", async () => {
    const [first, second] = [newTrace(), newTrace()];
    const headers = { traceparent: first.traceparent, tracestate: "a=1" };
    await ASK[era](callOf(onym.url, "pipe.echo", undefined, headers));
    await ASK[era](callOf(onym.url, "pipe.echo", { traceparent: second.traceparent }, headers));
    expect((await world.spansOf(first.id)).server).toMatchObject({ parentSpanId: PARENT, traceState: "a=1" });
    const { server } = await world.spansOf(second.id);
    expect([server.parentSpanId, server.traceState]).toEqual([PARENT, undefined]);
    expect(await world.metaAt("pipe", inTrace(second.id))).not.toHaveProperty("tracestate");
  });

  it("that nobody samples leaves no span, and the server is told so", async () => {
    const { id } = newTrace();
    await ASK[era](callOf(onym.url, "pipe.echo", { traceparent: `00-${id}-${PARENT}-00` }));
    const { traceparent } = await world.metaAt("pipe", inTrace(id));
    expect(traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    expect(String(traceparent)).not.toContain(PARENT);
    const later = newTrace();
    await ASK[era](callOf(onym.url, "pipe.echo", { traceparent: later.traceparent }));
    await world.spansOf(later.id);
    expect(world.collector.spans().filter(({ traceId }) => traceId === id)).toEqual([]);
  });

  it("begins a trace where what it says of one is none", async () => {
    const nonce = `begins-${era}`;
    await ASK[era](callOf(onym.url, "pipe.echo", { traceparent: "00-nonsense", tracestate: "x=1", nonce }));
    const meta = await world.metaAt("pipe", (each) => each["nonce"] === nonce);
    expect(meta["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(meta).not.toHaveProperty("tracestate");
    const trace = String(meta["traceparent"]).slice(3, 35);
    expect((await world.spansOf(trace)).server.parentSpanId).toBeUndefined();
  });

  it.each([
    ["web.fail", { code: 2 }, { "error.type": "tool_error", "onym.outcome": "tool_error" }],
    ["web.broken", { code: 2 }, { "error.type": "-32603", "rpc.response.status_code": "-32603" }],
    ["no such tool", undefined, { "onym.resolution": "unknown", "rpc.response.status_code": "-32602" }],
    [
      "pipe.denied",
      undefined,
      {
        "onym.resolution": "unknown",
        "gen_ai.tool.name": "pipe.denied",
        "onym.decision": "deny",
        "onym.tool.canonical": "pipe@1/denied@1",
      },
    ],
    ["pipe.asked", { code: 2 }, { "onym.decision": "ask", "error.type": "tool_error" }],
    ["pipe@1/echo@1", undefined, { "gen_ai.tool.name": "pipe.echo", "onym.tool.sent": "pipe@1/echo@1" }],
  ])("to %j ends with status %j and says why", async (name, status, attributes) => {
    const { id, traceparent } = newTrace();
    await ASK[era](callOf(onym.url, name, { traceparent }));
    const { server } = await world.spansOf(id);
    expect(server.status).toEqual(status);
    expect(server.attributes).toMatchObject(attributes);
    // What strangers write is no name of a span.
    expect(server.name).toMatch(/^tools\/call( (web|pipe)\.[a-z]+)?$/);
  });

  it("with a name that hides and has no end is told safely, and shortly (SAFE-1)", async () => {
    const { id, traceparent } = newTrace();
    const name = `\u202e\u0000${"x".repeat(5_000)}`;
    await ASK[era](callOf(onym.url, name, { traceparent }, { "mcp-name": undefined }));
    // A modern request is refused before anything is asked, because the header is missing.
    if (era === "modern") return;
    const { server } = await world.spansOf(id);
    expect(server.attributes["gen_ai.tool.name"]).toMatch(
      /^\\u\{202E\}\\u\{0000\}x{198}… \(5002 characters, sha256 [0-9a-f]{16}\)$/,
    );
  });
});

it("a tool that was renamed is traced under the key that it had first (ID-10) (LOCK-5)", async () => {
  const { config } = world;
  const renamed = await startOnym({
    config: { ...config, renames: [{ from: "pipe@1/say@1", to: "pipe@1/echo@1" }] },
    env: world.env,
  });
  try {
    for (const name of ["pipe.echo", "pipe@1/say@1"]) {
      const { id, traceparent } = newTrace();
      await ASK.modern(callOf(renamed.url, name, { traceparent }));
      expect((await world.spansOf(id)).server.attributes).toMatchObject({
        "onym.tool.key": '["namespaced","pipe","say"]',
        "onym.tool.canonical": "pipe@1/echo@1",
        "gen_ai.tool.name": "pipe.echo",
      });
    }
  } finally {
    await renamed.stop();
  }
});
