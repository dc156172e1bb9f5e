// Tracing beside calls: over stdio, with and without a collector, and what must not be told.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { askLegacy } from "./harness-raw.js";
import {
  ASK,
  callOf,
  ERAS,
  newTrace,
  openTracedWorld,
  PARENT,
  runOnStdio,
  SECRET,
  type TracedWorld,
} from "./harness-tracing.js";

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

describe("other requests", () => {
  it("are traced by their methods", async () => {
    const { id, traceparent } = newTrace();
    const headers = { traceparent };
    const url = onym.url;
    await askLegacy({ url, method: "tools/list", headers });
    await askLegacy({ url, method: "prompts/get", params: { name: "pipe.hello" }, headers });
    await askLegacy({ url, method: "ping", headers });
    await askLegacy({ url, method: "no/such/method", headers });
    const spans = await world.collector.reach(({ traceId, kind }) => traceId === id && kind === 2, 6);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      "initialize",
      "initialize",
      "initialize",
      "initialize",
      "prompts/get pipe.hello",
      "tools/list",
    ]);
  });
});

describe("over stdio", () => {
  const meta = (traceparent: string) => ({ traceparent, "io.modelcontextprotocol/clientCapabilities": {} });
  const conversations = {
    legacy: (traceparent: string) => [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "pipe.echo", arguments: {}, _meta: { traceparent } } },
    ],
    modern: (traceparent: string) => [
      {
        id: 2,
        method: "tools/call",
        params: {
          name: "pipe.echo",
          arguments: {},
          _meta: {
            ...meta(traceparent),
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
          },
        },
      },
    ],
  };

  it.each(ERAS)(
    "a %s client is traced, the end sends what is left, and stdout is the protocol's",
    async (era) => {
      const { id, traceparent } = newTrace();
      const onStdio = runOnStdio(world.config, { ...world.env, OTEL_BSP_SCHEDULE_DELAY: "1000000" });
      for (const message of conversations[era](traceparent)) onStdio.send({ jsonrpc: "2.0", ...message });
      await onStdio.heard(/"id":2,"result":.*"raw":"echo"/);
      expect(world.collector.spans().filter(({ traceId }) => traceId === id)).toEqual([]);
      const { code, out } = await onStdio.end();
      expect(code).toBe(0);
      for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("jsonrpc");
      const { server, client } = await world.spansOf(id);
      expect(server).toMatchObject({
        parentSpanId: PARENT,
        attributes: { "network.transport": "pipe", "gen_ai.tool.name": "pipe.echo" },
      });
      expect(client?.parentSpanId).toBe(server.spanId);
    },
  );
});

describe("what stays as it is", () => {
  it("without a collector: the caller's context goes on unchanged", async () => {
    const bare = await startOnym({ config: world.config });
    for (const [era, ask] of Object.entries(ASK)) {
      const { traceparent } = newTrace();
      await ask(callOf(bare.url, "pipe.echo", { traceparent, tracestate: "a=1", baggage: "b=2" }));
      expect(await world.metaAt("pipe", (meta) => meta["traceparent"] === traceparent), era).toMatchObject({
        traceparent,
        tracestate: "a=1",
        baggage: "b=2",
      });
    }
    await bare.stop();
  });

  it("arguments and results are in no span, and the collector's headers in no line", async () => {
    const { id, traceparent } = newTrace();
    await askLegacy(callOf(onym.url, "web.fail", { traceparent }));
    await world.spansOf(id);
    expect(world.collector.batches.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(
      true,
    );
    expect(JSON.stringify(world.collector.spans())).not.toContain("private");
    expect(onym.stderr()).toContain("requests are traced");
    expect(onym.stderr()).not.toContain(SECRET);
  });
});

describe("a collector that is not there", () => {
  it("stops neither calls nor the end, and is told of in one line", async () => {
    const lost = await startOnym({
      config: world.config,
      env: { ...world.env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" },
    });
    const reply = await askLegacy(callOf(lost.url, "pipe.echo"));
    expect(reply.result?.["structuredContent"]).toMatchObject({ raw: "echo" });
    await lost.said(/spans cannot be delivered: nothing listens there/);
    await lost.stop();
    expect(lost.stderr().match(/cannot be delivered/g)).toHaveLength(1);
    expect(lost.stderr()).not.toContain(SECRET);
  });

  it("and variables that cannot be used keep nothing from starting", async () => {
    const { code, out, err } = await runOnStdio(world.config, {
      OTEL_EXPORTER_OTLP_ENDPOINT: "grpc://nowhere",
      OTEL_EXPORTER_OTLP_HEADERS: SECRET,
    }).end();
    expect([code, out]).toEqual([0, ""]);
    expect(err).toMatch(/nothing is traced: OTEL_EXPORTER_OTLP_ENDPOINT is no http\(s\) address/);
    expect(err).not.toContain(SECRET);
  });
});
