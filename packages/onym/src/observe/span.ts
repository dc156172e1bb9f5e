// One span: a piece of work with a beginning and an end, and what is known of it. Written as text only when it is sent.

import type { AttributesText, AttributeValue } from "./attributes-text.js";
import { traceMoment } from "./trace-clock.js";
import { formatTraceparent, type TraceContext } from "./trace-context.js";
import { newSpanId } from "./trace-ids.js";

/** As OTLP numbers them. */
export const SPAN_KINDS = { server: 2, client: 3 } as const;

export type SpanKind = keyof typeof SPAN_KINDS;

/** Takes spans that have ended. */
export type SpanSink = (span: Span) => void;

/** A class, and plain lists: there are two for every call. */
export class Span implements TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  readonly state: string | undefined;
  readonly kind: SpanKind;
  /** Safe to show, and one of few: whoever makes names of spans from what strangers send fills the collector. */
  name: string;
  readonly startedAt: number;
  endedAt = 0;
  isError = false;
  /** What it has in common with others. */
  readonly shared: AttributesText[] = [];
  /** Keys and values by turns. */
  readonly own: AttributeValue[] = [];
  readonly #sink: SpanSink;

  constructor(
    kind: SpanKind,
    name: string,
    parent: Omit<TraceContext, "spanId"> & { readonly spanId: string | undefined },
    sink: SpanSink,
  ) {
    this.traceId = parent.traceId;
    this.spanId = newSpanId();
    this.parentId = parent.spanId;
    this.isSampled = parent.isSampled;
    this.state = parent.state;
    this.kind = kind;
    this.name = name;
    this.startedAt = traceMoment();
    this.#sink = sink;
  }

  /** Texts are safe to show already. */
  set(key: string, value: AttributeValue): void {
    this.own.push(key, value);
  }

  add(attributes: AttributesText): void {
    this.shared.push(attributes);
  }

  child(kind: SpanKind, name: string): Span {
    return new Span(kind, name, this, this.#sink);
  }

  /** For whoever is asked on its behalf. */
  traceparent(): string {
    return formatTraceparent(this);
  }

  /** Once. */
  end(): void {
    if (!this.isSampled) return;
    this.endedAt = traceMoment();
    this.#sink(this);
  }
}
