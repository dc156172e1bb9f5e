// Tracing as a whole: starts a span for each incoming request and exports ended spans to the collector.

import { randomUUID } from "node:crypto";
import type { Log } from "../model/log.js";
import { formatAttributes, showText } from "./attributes-text.js";
import { createExporter } from "./create-exporter.js";
import { createSpanPost } from "./post-spans.js";
import type { TraceSettings } from "./read-trace-settings.js";
import { newTraceId, Span } from "./span.js";
import type { TraceContext } from "./trace-context.js";

export interface Tracer {
  /** Starts the span of a request. `parent` is the trace context that the caller sent, if any. */
  readonly begin: (name: string, parent: TraceContext | undefined) => Span;
  /** Sends the remaining spans, within a time limit. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface TracerOptions {
  readonly settings: TraceSettings;
  readonly version: string;
  readonly log: Log;
}

/** How long shutdown waits for the collector. */
const CLOSE_MS = 3_000;

export async function createTracer({ settings, version, log }: TracerOptions): Promise<Tracer> {
  const { url, headers, timeoutMs, sampler, resource, batch } = settings;
  const exporter = createExporter({
    ...batch,
    source: {
      version,
      resource: formatAttributes({
        "service.name": "onym",
        "service.version": version,
        "service.instance.id": randomUUID(),
        "process.pid": process.pid,
        "telemetry.sdk.name": "onym",
        "telemetry.sdk.language": "nodejs",
        "telemetry.sdk.version": version,
        ...Object.fromEntries([...resource].map(([key, value]) => [showText(key), showText(value)])),
      }),
    },
    sending: await createSpanPost({ url, headers, timeoutMs }),
    // Some collectors have their token in the path.
    address: url.origin,
    log,
  });
  let closing: Promise<void> | undefined;
  return {
    begin(name, parent) {
      const traceId = parent?.traceId ?? newTraceId();
      const { spanId = undefined, state = undefined } = parent ?? {};
      return new Span(
        "server",
        name,
        { traceId, spanId, state, isSampled: sampler(traceId, parent) },
        exporter.add,
      );
    },
    close() {
      closing ??= exporter.close(CLOSE_MS);
      return closing;
    },
  };
}
