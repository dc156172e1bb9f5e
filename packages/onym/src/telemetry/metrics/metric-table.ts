// Every metric there is: its name, kind, labels and meaning. What is counted, written, exported, drawn and alerted on is
// checked against this list (OBS-1).

export interface MetricInfo {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly help: string;
  /** As OpenTelemetry names units. */
  readonly unit?: string;
}

/** `tool_key` survives renames; `tool` is the current canonical name. */
const TOOL = ["tool_key", "tool", "server"] as const;
const SERVER = ["server", "toolbox"] as const;

export const METRICS = {
  onym_calls_total: {
    kind: "counter",
    labels: [...TOOL, "outcome"],
    help: "Tool calls that ended, by outcome.",
  },
  onym_call_duration_seconds: {
    kind: "histogram",
    labels: TOOL,
    help: "Duration of tool calls, from request to reply.",
    unit: "s",
  },
  onym_gateway_duration_seconds: {
    kind: "histogram",
    labels: [],
    help: "Onym's own part of that: resolving, deciding and recording, without waiting for people.",
    unit: "s",
  },
  onym_deprecated_calls_total: {
    kind: "counter",
    labels: TOOL,
    help: "Calls by a deprecated name.",
  },
  onym_resolutions_total: {
    kind: "counter",
    labels: ["step"],
    help: "Names in calls, by the step that found their tool, or by outcome.",
  },
  onym_refusals_total: {
    kind: "counter",
    labels: ["reason"],
    help: "Requests that were not served, by reason.",
  },
  onym_requests_total: {
    kind: "counter",
    labels: ["method", "outcome"],
    help: "Client requests that ended, by method and outcome.",
  },
  onym_request_duration_seconds: {
    kind: "histogram",
    labels: ["method"],
    help: "Duration of client requests.",
    unit: "s",
  },
  onym_requests_in_flight: { kind: "gauge", labels: [], help: "Client requests in flight." },
  onym_sessions: { kind: "gauge", labels: [], help: "Clients with an open session." },
  onym_tools: { kind: "gauge", labels: [], help: "Tools in the catalog." },
  onym_problems: { kind: "gauge", labels: ["severity"], help: "Problems of names and servers." },
  onym_server_up: { kind: "gauge", labels: SERVER, help: "1 if a server is ready and healthy." },
  onym_server_state: {
    kind: "gauge",
    labels: [...SERVER, "state"],
    help: "1 for the state that a server is in.",
  },
  onym_server_failures_total: {
    kind: "counter",
    labels: SERVER,
    help: "Times a server was found to be down or unhealthy.",
  },
  onym_approvals_waiting: { kind: "gauge", labels: [], help: "Questions that wait for an operator." },
  onym_audit_records_waiting: {
    kind: "gauge",
    labels: [],
    help: "Audit records that are not written yet.",
  },
  onym_store_up: { kind: "gauge", labels: [], help: "1 where calls can be decided and recorded." },
  onym_event_loop_lag_seconds: {
    kind: "gauge",
    labels: ["quantile"],
    help: "How late the event loop was since the last scrape.",
    unit: "s",
  },
  onym_build_info: { kind: "gauge", labels: ["version"], help: "1, for the version that runs." },
  process_resident_memory_bytes: { kind: "gauge", labels: [], help: "Memory of the process.", unit: "By" },
  process_cpu_seconds_total: { kind: "counter", labels: [], help: "CPU time of the process.", unit: "s" },
  process_start_time_seconds: { kind: "gauge", labels: [], help: "When it was started.", unit: "s" },
} as const satisfies Readonly<Record<string, MetricInfo>>;

type MetricName = keyof typeof METRICS;

/** One value with the values of its metric's labels, in their order. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: readonly string[];
  /** Up to each of `BUCKETS`, then everything: not added up. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Upper bounds, in seconds. */
export const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

export type Family =
  | { readonly name: MetricName; readonly samples: readonly Sample[] }
  | { readonly name: MetricName; readonly histograms: readonly HistogramSample[] };
