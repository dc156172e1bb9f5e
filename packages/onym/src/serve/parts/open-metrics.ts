// Metrics of a running gateway, if enabled: counted as requests end, read by Prometheus or sent over OTLP
// (OBS-1).

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Environment } from "../../config/json/expand-variables.js";
import type { Downstream } from "../../downstream/downstream.js";
import type { Gateway } from "../../gateway/create-gateway.js";
import type { CallSink, RefusalReason } from "../../model/call-report.js";
import type { Log } from "../../model/log.js";
import { runInSlices } from "../../model/run-slices.js";
import type { Tracer } from "../../telemetry/create-tracer.js";
import type { Family, Sample } from "../../telemetry/metrics/metric-table.js";
import type { ReadText } from "../../telemetry/metrics/share-text.js";
import { stateOf } from "../serve-control.js";
import type { GuardSource } from "./open-guard.js";

export interface ServedMetrics extends CallSink {
  readonly refused: (reason: RefusalReason) => void;
  readonly noteStatus: (downstream: Downstream) => void;
  /** Call once the gateway is created: before, it has no sessions, servers and tools. */
  readonly measure: (gateway: MeasuredGateway) => void;
  readonly contentType: string;
  /** In the Prometheus text format, for scrapes that may see all of it. */
  readonly text: ReadText;
  readonly close: () => void;
}

type MeasuredGateway = Pick<Gateway, "downstreams" | "snapshot" | "load">;

export interface MetricsOptions {
  /** By config or flag. */
  readonly isWanted: boolean;
  readonly guards: Pick<GuardSource, "store" | "trouble" | "recordsWaiting">;
  readonly env: Environment;
  readonly version: string;
  readonly log: Log;
}

/** `undefined`, with nothing loaded, if metrics are off. */
export async function openMetrics(options: MetricsOptions): Promise<ServedMetrics | undefined> {
  const { env, version, log } = options;
  const isOtlp =
    env["OTEL_METRICS_EXPORTER"] !== undefined || env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] !== undefined;
  if (!options.isWanted && !isOtlp) return undefined;
  const [{ createMetrics, shown }, { metricSteps, METRICS_TYPE }, { shareText }] = await Promise.all([
    import("../../telemetry/metrics/create-metrics.js"),
    import("../../telemetry/metrics/format-metrics.js"),
    import("../../telemetry/metrics/share-text.js"),
  ]);
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let gateway: MeasuredGateway | undefined;
  const metrics = createMetrics(async () => {
    const lag = [
      { labels: ["0.5"], value: delays.percentile(50) / 1e9 },
      { labels: ["0.99"], value: delays.percentile(99) / 1e9 },
      { labels: ["1"], value: delays.max / 1e9 },
    ];
    delays.reset();
    return [
      ...(await readGauges(gateway, options, shown)),
      { name: "onym_event_loop_lag_seconds", samples: lag },
    ];
  });
  const down = new WeakSet<Downstream>();
  const sending = isOtlp ? await openExport(metrics, { env, version, log }) : undefined;
  return {
    ended: metrics.ended,
    refused: metrics.refused,
    noteStatus(downstream) {
      const state = stateOf(downstream.status);
      const isDown = state === "failed" || state === "unhealthy";
      if (isDown && !down.has(downstream)) metrics.serverFailed(downstream.id.server, downstream.id.toolbox);
      if (isDown) down.add(downstream);
      else if (state === "ready") down.delete(downstream);
    },
    measure(created) {
      gateway = created;
    },
    contentType: METRICS_TYPE,
    text: shareText({ make: async () => runInSlices(metricSteps(await metrics.read())) }),
    close() {
      delays.disable();
      sending?.close();
    },
  };
}

async function openExport(
  metrics: Parameters<typeof import("../../telemetry/metrics/export-metrics.js").exportMetrics>[0],
  { env, version, log }: Pick<MetricsOptions, "env" | "version" | "log">,
) {
  const { exportMetrics, readMetricSettings } = await import("../../telemetry/metrics/export-metrics.js");
  const { settings, problems } = readMetricSettings(env);
  for (const problem of problems) log("warn", problem);
  if (settings === undefined) return undefined;
  log("info", "metrics are sent", { to: `${settings.url.origin}${settings.url.pathname}` });
  return exportMetrics(metrics, { settings, version, log });
}

const STATES = ["starting", "ready", "unhealthy", "failed", "closed"] as const;

async function readGauges(
  gateway: MeasuredGateway | undefined,
  { guards, version }: MetricsOptions,
  shown: (text: string) => string,
): Promise<readonly Family[]> {
  const [waiting, trouble] = await Promise.all([
    guards.store?.approvals.countPending().catch(() => undefined),
    guards.trouble().catch((error: unknown) => error),
  ]);
  const gauge = (name: Family["name"], value: number): Family => ({ name, samples: [{ labels: [], value }] });
  const { inFlight = 0, sessions = [] } = gateway?.load() ?? {};
  const servers = (gateway?.downstreams() ?? []).map(({ id, status }) => ({
    labels: [shown(id.server), shown(id.toolbox ?? "")],
    state: stateOf(status),
  }));
  const { tools } = gateway?.snapshot() ?? {};
  return [
    gauge("onym_requests_in_flight", inFlight),
    gauge("onym_sessions", sessions.length),
    gauge("onym_tools", tools?.catalog.tools.length ?? 0),
    {
      name: "onym_problems",
      samples: ["error", "warning"].map((severity) => ({
        labels: [severity],
        value: tools?.problems.filter((problem) => problem.severity === severity).length ?? 0,
      })),
    },
    {
      name: "onym_server_up",
      samples: servers.map(({ labels, state }) => ({ labels, value: state === "ready" ? 1 : 0 })),
    },
    {
      name: "onym_server_state",
      samples: servers.flatMap(({ labels, state: current }) =>
        STATES.map((state): Sample => ({ labels: [...labels, state], value: state === current ? 1 : 0 })),
      ),
    },
    gauge("onym_approvals_waiting", waiting ?? 0),
    gauge("onym_audit_records_waiting", guards.recordsWaiting()),
    gauge("onym_store_up", trouble === undefined ? 1 : 0),
    { name: "onym_build_info", samples: [{ labels: [version], value: 1 }] },
    gauge("process_resident_memory_bytes", process.memoryUsage.rss()),
    gauge("process_cpu_seconds_total", totalCpuSeconds()),
    gauge("process_start_time_seconds", Math.round(Date.now() / 1000 - process.uptime())),
  ];
}

function totalCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

// Tracing, if the environment enables it.

export interface TracingOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: Log;
}

/** `undefined` without tracing. Never fails: other programs on the machine share these variables. */
export async function openTracing({ env, version, log }: TracingOptions): Promise<Tracer | undefined> {
  // Without any OTEL variable, load nothing.
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return undefined;
  const { readTraceSettings } = await import("../../telemetry/read-trace-settings.js");
  const { settings, problems } = readTraceSettings(env);
  for (const problem of problems) log("warn", problem);
  if (settings === undefined) return undefined;
  const { createTracer } = await import("../../telemetry/create-tracer.js");
  const { url } = settings;
  log("info", "requests are traced", { to: `${url.origin}${url.pathname}` });
  return createTracer({ settings, version, log });
}
