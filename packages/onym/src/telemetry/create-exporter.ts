// Exports ended spans to the collector: a bounded queue, sent in batches. Spans are dropped rather than waited for.

import { once } from "node:events";
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
  return new BatchExporter(options);
}

class BatchExporter implements Exporter {
  readonly #options: ExporterOptions;
  readonly #queue: SpanQueue;
  readonly #losses: Losses;
  readonly #timer: NodeJS.Timeout;
  /** The batch to send again. */
  #held: SpanBatch | undefined;
  #inFlight: Promise<void> | undefined;
  /** Why the last batch was not delivered. */
  #trouble: string | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#queue = new SpanQueue(options);
    this.#losses = new Losses(options);
    this.#timer = setInterval(() => this.#onTimer(), options.delayMs);
    this.#timer.unref();
  }

  readonly add: Exporter["add"] = (span) => {
    if (this.#queue.isFull) {
      this.#losses.count += 1;
      return;
    }
    const isBatchFull = this.#queue.add(span);
    if (isBatchFull && this.#inFlight === undefined && this.#isUrgent())
      setImmediate(() => void this.#send());
  };

  readonly close: Exporter["close"] = async (ms) => {
    clearInterval(this.#timer);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), ms);
    await Promise.race([this.#drain(over.signal), once(over.signal, "abort")]);
    clearTimeout(timer);
    this.#options.sending.close();
    this.#losses.count += this.#queue.size + (this.#held?.size ?? 0);
    if (this.#losses.areNew) this.#losses.warn("not all spans could be delivered before the end");
  };

  #onTimer(): void {
    adjustTraceClock();
    if (this.#losses.isDue)
      this.#losses.warn(
        this.#trouble === undefined
          ? `more than ${this.#options.queueSize} spans at once (OTEL_BSP_MAX_QUEUE_SIZE)`
          : `spans cannot be delivered: ${this.#trouble}`,
      );
    void this.#send();
  }

  /** A batch is full. After a failure the next one waits for its timer. */
  #isUrgent(): boolean {
    return this.#queue.hasFullBatch && this.#trouble === undefined;
  }

  /** Sends one batch, if there is one; one at a time. */
  #send(): Promise<void> {
    if (this.#inFlight !== undefined) return this.#inFlight;
    const batch = this.#held ?? this.#queue.take();
    if (batch === undefined) return Promise.resolve();
    this.#inFlight = this.#sendOne(batch).finally(() => {
      this.#inFlight = undefined;
      if (this.#isUrgent()) void this.#send();
    });
    return this.#inFlight;
  }

  async #sendOne(batch: SpanBatch): Promise<void> {
    batch.tries += 1;
    const delivery = await this.#options.sending.post(batch.seal());
    const isHeld = delivery.kind === "failed" && delivery.isPassing && batch.tries < MAX_ATTEMPTS;
    this.#held = isHeld ? batch : undefined;
    if (delivery.kind === "failed") {
      if (!isHeld) this.#losses.count += batch.size;
      const isNew = this.#trouble === undefined;
      this.#trouble = delivery.reason;
      if (isNew) this.#losses.warn(`spans cannot be delivered: ${this.#trouble}`);
    } else if (this.#trouble !== undefined) {
      this.#trouble = undefined;
      this.#losses.warn("spans are delivered again");
    }
    if (!isHeld) this.#queue.reuse(batch);
  }

  async #drain(over: AbortSignal): Promise<void> {
    await this.#inFlight;
    while (!over.aborted && (this.#held !== undefined || this.#queue.size > 0)) {
      const before = this.#trouble;
      await this.#send();
      // Retry an unavailable collector once, not again and again.
      if (this.#trouble !== undefined && before !== undefined) return;
    }
  }
}

/** Spans that were not sent yet, in batches. */
class SpanQueue {
  /** The number of spans in all batches. */
  size = 0;
  readonly #maxSize: number;
  readonly #batchSize: number;
  /** The text before the first span of each batch. */
  readonly #start: string;
  #open: SpanBatch;
  readonly #full: SpanBatch[] = [];
  /** Emptied batches for reuse. */
  readonly #spare: SpanBatch[] = [];

  constructor({ queueSize, batchSize, source }: ExporterOptions) {
    this.#maxSize = queueSize;
    this.#batchSize = batchSize;
    this.#start = formatBatchStart(source);
    this.#open = this.#newBatch();
  }

  get isFull(): boolean {
    return this.size >= this.#maxSize;
  }

  get hasFullBatch(): boolean {
    return this.#full.length > 0;
  }

  /** Whether its batch is full now. */
  add(span: Span): boolean {
    this.#open.add(formatSpan(span));
    this.size += 1;
    if (this.#open.size < this.#batchSize) return false;
    this.#full.push(this.#open);
    this.#open = this.#newBatch();
    return true;
  }

  take(): SpanBatch | undefined {
    let batch = this.#full.shift();
    if (batch === undefined && this.#open.size > 0) {
      batch = this.#open;
      this.#open = this.#newBatch();
    }
    this.size -= batch?.size ?? 0;
    return batch;
  }

  /** A batch that was taken is done with. */
  reuse(batch: SpanBatch): void {
    batch.empty();
    if (this.#spare.length === 0) this.#spare.push(batch);
  }

  #newBatch(): SpanBatch {
    return this.#spare.pop() ?? new SpanBatch(this.#start, BATCH_END);
  }
}

/** Counts spans that are lost, and logs them. */
class Losses {
  count = 0;
  readonly #log: Log;
  readonly #address: string;
  #logged = { count: 0, at: Number.NEGATIVE_INFINITY };

  constructor({ log, address }: ExporterOptions) {
    this.#log = log;
    this.#address = address;
  }

  /** More were lost since the last log line. */
  get areNew(): boolean {
    return this.count > this.#logged.count;
  }

  /** They are new, and the last log line is long ago. */
  get isDue(): boolean {
    return this.areNew && performance.now() - this.#logged.at > LOG_INTERVAL_MS;
  }

  warn(text: string): void {
    const { count } = this;
    this.#logged = { count, at: performance.now() };
    this.#log("warn", `${text}; ${count} ${count === 1 ? "span is" : "spans are"} lost so far`, {
      to: this.#address,
    });
  }
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
