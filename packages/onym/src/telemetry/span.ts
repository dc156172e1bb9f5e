// One span: a piece of work with a beginning and an end, and what is known of it.

import { type AttributesText, type AttributeValue, formatAttribute } from "./attributes-text.js";
import { traceMoment } from "./trace-clock.js";
import { formatTraceparent, type TraceContext } from "./trace-context.js";
import { newSpanId } from "./trace-ids.js";

/** As OTLP numbers them. */
export const SPAN_KINDS = { server: 2, client: 3 } as const;

export type SpanKind = keyof typeof SPAN_KINDS;

/** Takes spans that have ended. */
export type SpanSink = (span: Span) => void;

/** What a span is begun in; without `spanId` it is the first of its trace. */
export type SpanPlace = Omit<TraceContext, "spanId"> & { readonly spanId: string | undefined };

/** A class, and text rather than a list of attributes: there are two for every call. */
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
  attributes: string = "";
  readonly #sink: SpanSink;

  constructor(kind: SpanKind, name: string, place: SpanPlace, sink: SpanSink) {
    this.traceId = place.traceId;
    this.spanId = newSpanId();
    this.parentId = place.spanId;
    this.isSampled = place.isSampled;
    this.state = place.state;
    this.kind = kind;
    this.name = name;
    this.startedAt = traceMoment();
    this.#sink = sink;
  }

  add(attributes: AttributesText): void {
    if (this.attributes !== "") this.attributes += ",";
    this.attributes += attributes;
  }

  /** For what no other span has. The key is plain, a text safe to show already. */
  set(key: string, value: AttributeValue): void {
    if (this.isSampled) this.add(formatAttribute(`"${key}"`, value));
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
