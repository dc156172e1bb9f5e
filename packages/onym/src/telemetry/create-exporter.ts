// Exports ended spans to the collector: a bounded queue, sent in batches. Spans are dropped rather than waited for.

import type { Log } from "../model/log.js";
import { type AttributesText, asciiJson } from "./attributes-text.js";
import type { SpanPost } from "./post-spans.js";
import { SPAN_KINDS, type Span } from "./span.js";
import { adjustTraceClock, formatMoment } from "./trace-clock.js";

export interface Exporter {
  readonly add: (span: Span) => void;
  /** Sends the remaining spans, for at most `ms`. */
  readonly close: (ms: number) => Promise<void>;
}

export interface ExporterOptions {
  readonly source: SpanSource;
  readonly sending: SpanPost;
  /** The destination for people to read, without secrets. */
  readonly address: string;
  readonly delayMs: number;
  readonly queueSize: number;
  readonly batchSize: number;
  readonly log: Log;
}

/** How many times one batch is sent if the collector is unavailable. */
const MAX_ATTEMPTS = 5;
/** The minimum time between two log lines about the same problem. */
const LOG_INTERVAL_MS = 60_000;

export function createExporter(options: ExporterOptions): Exporter {
  const { source, sending, address, delayMs, queueSize, batchSize, log } = options;
  const start = formatBatchStart(source);
  const newBatch = (): SpanBatch => spare.pop() ?? new SpanBatch(start, BATCH_END);
  /** Emptied batches for reuse. */
  const spare: SpanBatch[] = [];
  let open = newBatch();
  /** Full batches that were not sent yet. */
  const full: SpanBatch[] = [];
  /** The number of spans in all batches. */
  let queued = 0;
  /** The batch to send again. */
  let held: SpanBatch | undefined;
  let inFlight: Promise<void> | undefined;
  /** Why the last batch was not delivered. */
  let trouble: string | undefined;
  let lost = 0;
  let logged = { lost: 0, at: Number.NEGATIVE_INFINITY };

  const warn = (text: string): void => {
    logged = { lost, at: performance.now() };
    log("warn", `${text}; ${lost} ${lost === 1 ? "span is" : "spans are"} lost so far`, { to: address });
  };

  const takeBatch = (): SpanBatch | undefined => {
    let batch = full.shift();
    if (batch === undefined && open.size > 0) {
      batch = open;
      open = newBatch();
    }
    queued -= batch?.size ?? 0;
    return batch;
  };

  const sendOne = async (batch: SpanBatch): Promise<void> => {
    batch.tries += 1;
    const delivery = await sending.post(batch.seal());
    const isHeld = delivery.kind === "failed" && delivery.isPassing && batch.tries < MAX_ATTEMPTS;
    held = isHeld ? batch : undefined;
    if (delivery.kind === "failed") {
      if (!isHeld) lost += batch.size;
      const isNew = trouble === undefined;
      trouble = delivery.reason;
      if (isNew) warn(`spans cannot be delivered: ${trouble}`);
    } else if (trouble !== undefined) {
      trouble = undefined;
      warn("spans are delivered again");
    }
    if (isHeld) return;
    batch.empty();
    if (spare.length === 0) spare.push(batch);
  };

  /** Sends one batch, if there is one; one at a time. */
  const send = (): Promise<void> => {
    if (inFlight !== undefined) return inFlight;
    const batch = held ?? takeBatch();
    if (batch === undefined) return Promise.resolve();
    inFlight = sendOne(batch).finally(() => {
      inFlight = undefined;
      if (isUrgent()) void send();
    });
    return inFlight;
  };
  /** A batch is full. After a failure the next one waits for its timer. */
  const isUrgent = (): boolean => full.length > 0 && trouble === undefined;

  const timer = setInterval(() => {
    adjustTraceClock();
    if (lost > logged.lost && performance.now() - logged.at > LOG_INTERVAL_MS)
      warn(
        trouble === undefined
          ? `more than ${queueSize} spans at once (OTEL_BSP_MAX_QUEUE_SIZE)`
          : `spans cannot be delivered: ${trouble}`,
      );
    void send();
  }, delayMs);
  timer.unref();

  return {
    add(span) {
      if (queued >= queueSize) {
        lost += 1;
        return;
      }
      open.add(formatSpan(span));
      queued += 1;
      if (open.size < batchSize) return;
      full.push(open);
      open = newBatch();
      if (inFlight === undefined && isUrgent()) setImmediate(() => void send());
    },
    async close(ms) {
      clearInterval(timer);
      let isOver = false;
      let stop: () => void = () => {};
      const over = new Promise<void>((resolve) => {
        stop = resolve;
      });
      const late = setTimeout(() => {
        isOver = true;
        stop();
      }, ms);
      const drain = async (): Promise<void> => {
        await inFlight;
        while (!isOver && (held !== undefined || queued > 0)) {
          const before = trouble;
          await send();
          // Retry an unavailable collector once, not again and again.
          if (trouble !== undefined && before !== undefined) return;
        }
      };
      await Promise.race([drain(), over]);
      clearTimeout(late);
      sending.close();
      lost += queued + (held?.size ?? 0);
      if (lost > logged.lost) warn("not all spans could be delivered before the end");
    },
  };
}

interface SpanSource {
  /** The attributes that all spans of this process share. */
  readonly resource: AttributesText;
  readonly version: string;
}

/** The text before the first span of a batch. */
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

// A batch of spans as the bytes to send. The buffer is outside the heap and reused: the garbage collector would
// move spans that wait for seconds, and allocating new memory costs more than writing to it.

const FIRST_BYTES = 65_536;

export class SpanBatch {
  /** The number of spans. */
  size = 0;
  /** How many times it was sent. */
  tries = 0;
  readonly #start: string;
  readonly #end: string;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  constructor(start: string, end: string) {
    this.#start = start;
    this.#end = end;
  }

  /** ASCII only. */
  add(span: string): void {
    this.#write(this.size === 0 ? this.#start : ",");
    this.#write(span);
    this.size += 1;
  }

  /** The finished batch, to be sent. Accepts no more spans until it is emptied. */
  seal(): Uint8Array {
    const length = this.#length;
    this.#write(this.#end);
    const whole = this.#bytes.subarray(0, this.#length);
    this.#length = length;
    return whole;
  }

  empty(): void {
    this.size = 0;
    this.tries = 0;
    this.#length = 0;
  }

  #write(text: string): void {
    const needed = this.#length + text.length;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    this.#length += this.#bytes.write(text, this.#length, "latin1");
  }
}
