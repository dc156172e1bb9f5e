// What one call costs in metrics: prom-client, OpenTelemetry's SDK with its Prometheus exporter, and Onym's own counters, side by
// side in one run. The libraries count a counter and a histogram with five labels, for 200 tools; Onym all that it counts of a call.
// npm ci --prefix bench/metrics && node --expose-gc bench/metrics/run.mjs

import { fileURLToPath } from "node:url";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { build } from "esbuild";
import { Counter, Histogram, Registry } from "prom-client";

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const TOOLS = 200;
const CALLS = 200_000;
const ROUNDS = 5;

const labels = Array.from({ length: TOOLS }, (_, index) => ({
  tool_key: `["box",null,"server-${index % 20}",1,"tool_${index}",1]`,
  tool: `server-${index % 20}@1/tool_${index}@1`,
  server: `server-${index % 20}`,
  method: "tools/call",
  outcome: "result",
}));

function promClient() {
  const registry = new Registry();
  const names = Object.keys(labels[0]);
  const calls = new Counter({ name: "calls_total", help: "c", labelNames: names, registers: [registry] });
  const seconds = new Histogram({
    name: "seconds",
    help: "s",
    labelNames: names,
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    count(index) {
      calls.inc(labels[index], 1);
      seconds.observe(labels[index], 0.004);
    },
    text: () => registry.metrics(),
  };
}

/** As the program uses it: the children for a tool are looked up once. */
function promClientHeld() {
  const registry = new Registry();
  const names = Object.keys(labels[0]);
  const calls = new Counter({ name: "calls_total", help: "c", labelNames: names, registers: [registry] });
  const seconds = new Histogram({
    name: "seconds",
    help: "s",
    labelNames: names,
    buckets: BUCKETS,
    registers: [registry],
  });
  const held = labels.map((each) => ({ calls: calls.labels(each), seconds: seconds.labels(each) }));
  return {
    count(index) {
      held[index].calls.inc(1);
      held[index].seconds.observe(0.004);
    },
    text: () => registry.metrics(),
  };
}

function openTelemetry() {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meter = new MeterProvider({ readers: [exporter] }).getMeter("onym");
  const calls = meter.createCounter("calls");
  const seconds = meter.createHistogram("seconds", { advice: { explicitBucketBoundaries: BUCKETS } });
  return {
    count(index) {
      calls.add(1, labels[index]);
      seconds.record(0.004, labels[index]);
    },
    async text() {
      const chunks = [];
      await new Promise((resolve) => {
        exporter.getMetricsRequestHandler(
          {},
          { setHeader() {}, end: (text) => resolve(chunks.push(text)), set statusCode(_) {} },
        );
      });
      return chunks.join("");
    },
  };
}

async function own() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { createMetrics } from "./create-metrics.ts"; export { metricSteps } from "./format-metrics.ts"; export { runAtOnce } from "../../model/run-slices.ts";`,
      resolveDir: fileURLToPath(new URL("../../packages/onym/src/telemetry/metrics/", import.meta.url)),
    },
    alias: { "@onym/core": fileURLToPath(new URL("../../packages/core/src/index.ts", import.meta.url)) },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const code = encodeURIComponent(outputFiles[0].text);
  const { createMetrics, metricSteps, runAtOnce } = await import(`data:text/javascript,${code}`);
  const metrics = createMetrics(async () => []);
  const reports = labels.map(({ tool_key: key, tool: canonical, server }) => ({
    method: "tools/call",
    ms: 4,
    outcome: "result",
    step: "public",
    isDeprecated: false,
    tool: { key, canonical, server },
    phases: { server: 3_000 },
  }));
  return {
    count: (index) => metrics.ended(reports[index]),
    text: async () => Buffer.from(runAtOnce(metricSteps(await metrics.read()))).toString(),
  };
}

const ways = {
  "prom-client": promClient,
  "prom-client, children held": promClientHeld,
  OpenTelemetry: openTelemetry,
  "Onym's own": own,
};
const made = [];
for (const [name, make] of Object.entries(ways))
  made.push({ name, ...(await make()), best: Number.POSITIVE_INFINITY });
for (let round = 0; round < ROUNDS; round++) {
  for (const way of made) {
    globalThis.gc?.();
    const begun = process.hrtime.bigint();
    for (let call = 0; call < CALLS; call++) way.count(call % TOOLS);
    way.best = Math.min(way.best, Number(process.hrtime.bigint() - begun) / CALLS);
  }
}
for (const { name, best, text } of made) {
  const begun = performance.now();
  const bytes = (await text()).length;
  console.log(
    `${name.padEnd(28)} ${best.toFixed(0).padStart(6)} ns a call; a scrape ${(performance.now() - begun).toFixed(1)} ms, ${bytes} bytes`,
  );
}
