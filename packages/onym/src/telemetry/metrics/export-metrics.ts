// The same metrics over OTLP, where the environment asks for them: every minute, as JSON, to a collector that may be away.

import { randomUUID } from "node:crypto";
import type { Log } from "../../model/log.js";
import { asciiJson, formatAttributes } from "../attributes-text.js";
import { createSpanPost } from "../post-spans.js";
import { parseEndpoint, readHeaders, withoutSlashes } from "../read-trace-settings.js";
import type { Metrics } from "./create-metrics.js";
import { BUCKETS, type Family, METRICS, type MetricInfo } from "./metric-table.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface MetricSettings {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly everyMs: number;
  readonly timeoutMs: number;
}

const DEFAULT_EVERY_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 10_000;
/** As long as a timer can be set. */
const MAX_MS = 2 ** 31 - 1;

/** `undefined` unless metrics are asked for by name: the address for spans alone asks for spans. */
export function readMetricSettings(env: Environment): {
  readonly settings: MetricSettings | undefined;
  readonly problems: readonly string[];
} {
  const read = (name: string): string | undefined => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };
  const own = read("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
  const exporter = read("OTEL_METRICS_EXPORTER");
  const isOff = read("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || exporter === "none";
  if (isOff || (exporter === undefined && own === undefined)) return { settings: undefined, problems: [] };
  if (exporter !== undefined && exporter !== "otlp")
    return {
      settings: undefined,
      problems: ["no metrics are sent: OTEL_METRICS_EXPORTER knows otlp and none here; /metrics is there"],
    };
  const shared = read("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318";
  const url = parseEndpoint(own ?? `${withoutSlashes(shared)}/v1/metrics`);
  if (url === undefined)
    return { settings: undefined, problems: ["no metrics are sent: the endpoint is no http(s) address"] };
  const problems: string[] = [];
  const number = (name: string, fallback: number): number => {
    const text = read(name);
    const value = Number(text ?? fallback);
    if (Number.isSafeInteger(value) && value >= 1 && value <= MAX_MS) return value;
    problems.push(`${name} is no whole number from 1 up; ${fallback} is used`);
    return fallback;
  };
  const headers = readHeaders(
    ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"].flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [{ name, value }];
    }),
    problems,
  );
  return {
    settings: {
      url,
      headers,
      everyMs: number("OTEL_METRIC_EXPORT_INTERVAL", DEFAULT_EVERY_MS),
      timeoutMs: number("OTEL_METRIC_EXPORT_TIMEOUT", DEFAULT_TIMEOUT_MS),
    },
    problems,
  };
}

export interface MetricExport {
  readonly close: () => void;
}

export async function exportMetrics(
  metrics: Pick<Metrics, "read">,
  options: { readonly settings: MetricSettings; readonly version: string; readonly log: Log },
): Promise<MetricExport> {
  const { settings, version, log } = options;
  const sending = await createSpanPost(settings);
  const resource = formatAttributes({
    "service.name": "onym",
    "service.version": version,
    "service.instance.id": randomUUID(),
    "process.pid": process.pid,
  });
  const startedAt = nanoseconds(Date.now());
  let isSending = false;
  let trouble: string | undefined;
  const send = async (): Promise<void> => {
    // One at a time: a collector that hangs is not asked twice.
    if (isSending) return;
    isSending = true;
    try {
      const families = await metrics.read();
      const body = formatOtlp(families, { resource, version, startedAt, at: nanoseconds(Date.now()) });
      const delivery = await sending.post(Buffer.from(body));
      const next = delivery.kind === "failed" ? delivery.reason : undefined;
      if (next !== undefined && trouble === undefined)
        log("warn", `metrics cannot be delivered: ${next}`, { to: settings.url.origin });
      if (next === undefined && trouble !== undefined)
        log("warn", "metrics are delivered again", { to: settings.url.origin });
      trouble = next;
    } finally {
      isSending = false;
    }
  };
  const timer = setInterval(() => void send(), settings.everyMs).unref();
  return {
    close() {
      clearInterval(timer);
      sending.close();
    },
  };
}

interface Envelope {
  readonly resource: string;
  readonly version: string;
  readonly startedAt: string;
  readonly at: string;
}

export function formatOtlp(families: readonly Family[], envelope: Envelope): string {
  const { resource, version } = envelope;
  const metrics = families.map((family) => formatMetric(family, envelope)).join(",");
  const scope = `{"name":"onym","version":${asciiJson(version)}}`;
  return `{"resourceMetrics":[{"resource":{"attributes":[${resource}]},"scopeMetrics":[{"scope":${scope},"metrics":[${metrics}]}]}]}`;
}

/** Everything is counted from the start of the process. */
const CUMULATIVE = 2;

function formatMetric(family: Family, { startedAt, at }: Envelope): string {
  const { name } = family;
  const { help, kind, labels: names, unit = "" }: MetricInfo = METRICS[name];
  const head = `{"name":${asciiJson(name)},"description":${asciiJson(help)},"unit":${asciiJson(unit)}`;
  const moments = `"startTimeUnixNano":"${startedAt}","timeUnixNano":"${at}"`;
  const attributes = (values: readonly string[]): string =>
    formatAttributes(Object.fromEntries(names.map((label, index) => [label, values[index] ?? ""])));
  if ("histograms" in family) {
    const points = family.histograms.map(({ labels, counts, sum }) => {
      const count = counts.reduce((all, each) => all + each, 0);
      const buckets = counts.map((each) => `"${each}"`).join(",");
      return `{"attributes":[${attributes(labels)}],${moments},"count":"${count}","sum":${sum},"bucketCounts":[${buckets}],"explicitBounds":[${BUCKETS.join(",")}]}`;
    });
    return `${head},"histogram":{"aggregationTemporality":${CUMULATIVE},"dataPoints":[${points.join(",")}]}}`;
  }
  const points = family.samples.map(
    ({ labels, value }) => `{"attributes":[${attributes(labels)}],${moments},"asDouble":${value}}`,
  );
  return kind === "counter"
    ? `${head},"sum":{"aggregationTemporality":${CUMULATIVE},"isMonotonic":true,"dataPoints":[${points.join(",")}]}}`
    : `${head},"gauge":{"dataPoints":[${points.join(",")}]}}`;
}

function nanoseconds(ms: number): string {
  return `${ms}000000`;
}
