// A span as the JSON of OTLP, and what stands around a batch of them. All of it is ASCII.

import { type AttributesText, asciiJson } from "./attributes-text.js";
import { SPAN_KINDS, type Span } from "./span.js";
import { formatMoment } from "./trace-clock.js";

export interface SpanSource {
  /** What all spans of this process have in common. */
  readonly resource: AttributesText;
  readonly version: string;
}

/** What comes before the first span of a batch. */
export function formatBatchStart({ resource, version }: SpanSource): string {
  const scope = `{"name":"onym","version":${asciiJson(version)}}`;
  return `{"resourceSpans":[{"resource":{"attributes":[${resource}]},"scopeSpans":[{"scope":${scope},"spans":[`;
}

export const BATCH_END = "]}]}]}";

export function formatSpan(span: Span): string {
  const { parentId, state } = span;
  const parent = parentId === undefined ? "" : `","parentSpanId":"${parentId}`;
  const trace = `{"traceId":"${span.traceId}","spanId":"${span.spanId}${parent}","name":${asciiJson(span.name)}`;
  const moments = `,"startTimeUnixNano":"${formatMoment(span.startedAt)}","endTimeUnixNano":"${formatMoment(span.endedAt)}"`;
  const stateText = state === undefined ? "" : `,"traceState":${JSON.stringify(state)}`;
  const status = span.isError ? ',"status":{"code":2}' : "";
  return `${trace},"kind":${SPAN_KINDS[span.kind]}${moments}${stateText}${status},"attributes":[${span.attributes}]}`;
}
