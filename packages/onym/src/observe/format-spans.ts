// Spans as the JSON of OTLP, in one string.

import { type AttributesText, type AttributeValue, formatAttribute } from "./attributes-text.js";
import { SPAN_KINDS, type Span } from "./span.js";
import { formatMoment } from "./trace-clock.js";

export interface SpanSource {
  /** What all spans of this process have in common. */
  readonly resource: AttributesText;
  readonly version: string;
}

export function formatSpans(spans: readonly Span[], { resource, version }: SpanSource): string {
  const scope = `{"name":"onym","version":${JSON.stringify(version)}}`;
  let text = "";
  for (const span of spans) text += text === "" ? formatSpan(span) : `,${formatSpan(span)}`;
  return `{"resourceSpans":[{"resource":{"attributes":[${resource}]},"scopeSpans":[{"scope":${scope},"spans":[${text}]}]}]}`;
}

function formatSpan(span: Span): string {
  const { parentId, state } = span;
  const parent = parentId === undefined ? "" : `,"parentSpanId":"${parentId}"`;
  const trace = `{"traceId":"${span.traceId}","spanId":"${span.spanId}"${parent}`;
  const stateText = state === undefined ? "" : `,"traceState":${JSON.stringify(state)}`;
  const moments = `"startTimeUnixNano":"${formatMoment(span.startedAt)}","endTimeUnixNano":"${formatMoment(span.endedAt)}"`;
  const status = span.isError ? ',"status":{"code":2}' : "";
  const name = JSON.stringify(span.name);
  return `${trace}${stateText},"name":${name},"kind":${SPAN_KINDS[span.kind]},${moments},"attributes":[${formatOwn(span)}]${status}}`;
}

function formatOwn({ shared, own }: Span): string {
  let text = shared.join(",");
  for (let at = 0; at + 1 < own.length; at += 2)
    text += `${text === "" ? "" : ","}${formatAttribute(own[at] as string, own[at + 1] as AttributeValue)}`;
  return text;
}
