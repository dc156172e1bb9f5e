import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { createMetrics } from "./create-metrics.js";
import { exportMetrics, formatOtlp, readMetricSettings } from "./export-metrics.js";
import { BUCKETS } from "./metric-table.js";

const REPORT = {
  id: 1,
  method: "tools/call",
  at: 0,
  ms: 12,
  request: "1",
  trace: undefined,
  call: undefined,
  principal: "local",
  confinedTo: undefined,
  client: "test",
  profile: "universal",
  sent: "a",
  tool: { key: '["a"]', canonical: "a@1/b@1", server: "a", toolbox: undefined },
  hidden: undefined,
  step: "public",
  isDeprecated: false,
  decision: "allow",
  rule: "default",
  outcome: "result",
  reason: undefined,
  code: undefined,
  phases: { resolve: undefined, decide: undefined, ask: undefined, record: undefined, server: 10_000 },
} as const;

it("metrics are asked for by name: the address for spans alone asks for spans (OBS-1)", () => {
  const read = (env: Record<string, string>) => readMetricSettings(env);
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }).settings).toBeUndefined();
  expect(read({ OTEL_METRICS_EXPORTER: "none" }).settings).toBeUndefined();
  expect(read({ OTEL_METRICS_EXPORTER: "prometheus" })).toMatchObject({ problems: [expect.any(String)] });
  const both = { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318/" };
  expect(read(both).settings?.url.href).toBe("http://c:4318/v1/metrics");
  const own = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://c/m", OTEL_METRIC_EXPORT_INTERVAL: "soon" };
  expect(read(own)).toMatchObject({ settings: { everyMs: 60_000 }, problems: [expect.any(String)] });
});

it("OTLP has the same numbers as /metrics, as sums, gauges and histograms (OBS-1)", async () => {
  const metrics = createMetrics(async () => [{ name: "onym_tools", samples: [{ labels: [], value: 3 }] }]);
  metrics.ended(REPORT);
  metrics.ended({ ...REPORT, tool: { ...REPORT.tool, canonical: 'quote"\n\u202e' } });
  const text = formatOtlp(await metrics.read(), { resource: "", version: "1", startedAt: "1", at: "2" });
  const [{ scopeMetrics }] = JSON.parse(text).resourceMetrics;
  const named = (name: string) =>
    scopeMetrics[0].metrics.find((each: { name: string }) => each.name === name);
  expect(named("onym_calls_total").sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
  expect(named("onym_calls_total").sum.dataPoints).toHaveLength(2);
  expect(named("onym_tools").gauge.dataPoints[0].asDouble).toBe(3);
  const [point] = named("onym_gateway_duration_seconds").histogram.dataPoints;
  expect(point).toMatchObject({ count: "2", explicitBounds: [...BUCKETS] });
  // 2 ms of Onym's own: the server took 10 of 12.
  expect(point.sum).toBeCloseTo(0.004);
  expect(point.bucketCounts).toHaveLength(BUCKETS.length + 1);
});

it("is sent again and again, also to a collector that was away (OBS-1)", async () => {
  const metrics = createMetrics(async () => []);
  metrics.ended(REPORT);
  let answer = 503;
  const bodies: string[] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    req.on("end", () => {
      bodies.push(body);
      res.writeHead(answer).end();
      answer = 200;
      if (bodies.length === 2) enough();
    });
  });
  let enough = (): void => {};
  const twice = new Promise<void>((resolve) => {
    enough = resolve;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`);
  const settings = { url, headers: new Map(), everyMs: 5, timeoutMs: 1000 };
  const sending = await exportMetrics(metrics, { settings, version: "1", log: silentLog });
  await twice;
  sending.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(JSON.parse(bodies[1] ?? "").resourceMetrics).toHaveLength(1);
});
