// What tracing costs a call: two spans with a gateway's attributes, exported over HTTP to a collector in another process. Onym's own
// tracer and OpenTelemetry's SDK take turns in one run; CPU time of this process, sending included. Prints the ratio.
// npm ci --prefix bench/tracing && node --expose-gc bench/tracing/run.mjs

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { build } from "esbuild";

const CALLS = 5_000;
const ROUNDS = 15;

function collect() {
  let spans = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      if (request.url === "/count") return void response.end(String(spans));
      spans += text.split('"spanId"').length - 1;
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.on("disconnect", () => process.exit());
}

async function startCollector() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "collect"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const port = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(Number(data))));
  return { url: `http://127.0.0.1:${port}`, close: () => child.disconnect() };
}

// What a tools/call has, as in gateway/tracing.
const COMMON = {
  "mcp.method.name": "tools/call",
  "mcp.protocol.version": "2025-11-25",
  "gen_ai.operation.name": "execute_tool",
  "network.transport": "tcp",
  "network.protocol.name": "http",
  "onym.profile": "claude-code",
  "mcp.session.id": "0192f0a5-7a3b-7c3e-9d2a-6f1f3a9a1b2c",
};
const TOOL = {
  "gen_ai.tool.name": "crm_send_mail",
  "onym.tool.key": '["box",null,"crm",1,"send_mail",1]',
  "onym.tool.canonical": "crm@1/send_mail@1",
  "onym.tool.version": 1,
  "onym.integration.name": "crm",
  "onym.integration.version": 1,
  "onym.server.id": "crm",
};
const HOP = {
  "mcp.method.name": "tools/call",
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": "send_mail",
  "network.transport": "pipe",
  "onym.server.id": "crm",
};

async function createOwn(url) {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createTracer } from "./create-tracer.ts"; export { formatAttributes } from "./attributes-text.ts";`,
      resolveDir: fileURLToPath(new URL("../../packages/onym/src/telemetry/", import.meta.url)),
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const source = Buffer.from(outputFiles[0].text).toString("base64");
  const { createTracer, formatAttributes } = await import(`data:text/javascript;base64,${source}`);
  const tracer = await createTracer({
    settings: {
      url: new URL(`${url}/v1/traces`),
      headers: new Map(),
      timeoutMs: 10_000,
      sampler: () => true,
      resource: new Map(),
      batch: { delayMs: 1_000, queueSize: 100_000, batchSize: 512 },
    },
    version: "1.0.0",
    log: (_, text) => console.error(text),
  });
  // Attributes of a session, a tool and a server are texts that are made once.
  const [common, tool, hop] = [COMMON, TOOL, HOP].map(formatAttributes);
  return {
    call(id) {
      const span = tracer.begin("tools/call", undefined);
      const child = span.child("client", "tools/call send_mail");
      child.add(hop);
      child.traceparent();
      child.end();
      span.name = "tools/call crm_send_mail";
      span.add(tool);
      span.add(common);
      span.set("jsonrpc.request.id", String(id));
      span.end();
    },
    close: tracer.close,
  };
}

function createSdk(url) {
  const processor = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }), {
    scheduledDelayMillis: 1_000,
    maxQueueSize: 100_000,
    maxExportBatchSize: 512,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "onym" }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("onym", "1.0.0");
  return {
    call(id) {
      const span = tracer.startSpan("tools/call", { kind: SpanKind.SERVER, root: true });
      const context = trace.setSpan(ROOT_CONTEXT, span);
      const child = tracer.startSpan(
        "tools/call send_mail",
        { kind: SpanKind.CLIENT, attributes: HOP },
        context,
      );
      const { traceId, spanId } = child.spanContext();
      `00-${traceId}-${spanId}-01`;
      child.end();
      span.updateName("tools/call crm_send_mail");
      span.setAttributes(TOOL);
      span.setAttributes(COMMON);
      span.setAttribute("jsonrpc.request.id", String(id));
      span.end();
    },
    close: () => provider.shutdown(),
  };
}

async function run() {
  const collectors = { own: await startCollector(), sdk: await startCollector() };
  const ways = { own: await createOwn(collectors.own.url), sdk: createSdk(collectors.sdk.url) };
  const times = { own: [], sdk: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, way] of Object.entries(ways)) {
      globalThis.gc?.();
      const before = process.cpuUsage();
      for (let id = 0; id < CALLS; id += 1) {
        way.call(id);
        // Calls come one by one, and what is sent is sent between them.
        if (id % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await settled(collectors[name].url, (round + 1) * CALLS * 2);
      const { user, system } = process.cpuUsage(before);
      times[name].push((user + system) / CALLS);
    }
  const summary = Object.fromEntries(
    Object.entries(times).map(([name, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      return [name, { min: sorted[0], median: sorted[sorted.length >> 1] }];
    }),
  );
  for (const [name, { min, median }] of Object.entries(summary))
    console.log(`${name}: ${median.toFixed(1)} µs a call, least ${min.toFixed(1)} µs`);
  const { own, sdk } = summary;
  console.log(`sdk / own: ${(sdk.median / own.median).toFixed(1)}, least ${(sdk.min / own.min).toFixed(1)}`);
  for (const each of [...Object.values(ways), ...Object.values(collectors)]) await each.close();
}

/** Until the collector has all spans: their sending is part of the cost. */
async function settled(url, spans) {
  while (Number(await (await fetch(`${url}/count`)).text()) < spans)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

if (process.argv[2] === "collect") collect();
else await run();
