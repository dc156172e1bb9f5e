// One span: a unit of work with a start, an end and attributes.

import { randomBytes } from "node:crypto";
import { type AttributesText, type AttributeValue, formatAttribute } from "./attributes-text.js";
import { traceMoment } from "./trace-clock.js";
import { formatTraceparent, type TraceContext } from "./trace-context.js";

/** OTLP's numbers. */
export const SPAN_KINDS = { server: 2, client: 3 } as const;

export type SpanKind = keyof typeof SPAN_KINDS;

/** Receives ended spans. */
export type SpanSink = (span: Span) => void;

/** The trace that a span starts in; without `spanId` it is the root span. */
export type SpanPlace = Omit<TraceContext, "spanId"> & { readonly spanId: string | undefined };

/** A class, with attributes as text instead of a list, because every call makes two spans. */
export class Span implements TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  readonly state: string | undefined;
  readonly kind: SpanKind;
  /** Safe to show, and from a small set: span names made from foreign text would flood the collector. */
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

  /**
   * For attributes that no other span shares. The key is plain ASCII, a text value must already be safe to show.
   */
  set(key: string, value: AttributeValue): void {
    if (this.isSampled) this.add(formatAttribute(`"${key}"`, value));
  }

  child(kind: SpanKind, name: string): Span {
    return new Span(kind, name, this, this.#sink);
  }

  /** For requests made on behalf of this span. */
  traceparent(): string {
    return formatTraceparent(this);
  }

  /** Call it once. */
  end(): void {
    if (!this.isSampled) return;
    this.endedAt = traceMoment();
    this.#sink(this);
  }
}

const BYTES_AT_ONCE = 4096;
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

let digits = "";
let used = 0;

export function newTraceId(): string {
  return take(TRACE_DIGITS);
}

function newSpanId(): string {
  return take(SPAN_DIGITS);
}

function take(count: number): string {
  if (used + count > digits.length) {
    digits = randomBytes(BYTES_AT_ONCE).toString("hex");
    used = 0;
  }
  used += count;
  return digits.slice(used - count, used);
}
