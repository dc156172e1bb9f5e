// Spans that have ended, from here to the collector: kept in a bounded queue, sent many at once, lost rather than waited for.

import type { Log } from "../model/log.js";
import { BATCH_END, formatBatchStart, formatSpan, type SpanSource } from "./format-span.js";
import type { SpanPost } from "./post-spans.js";
import type { Span } from "./span.js";
import { SpanBatch } from "./span-batch.js";
import { adjustTraceClock } from "./trace-clock.js";

export interface Exporter {
  readonly add: (span: Span) => void;
  /** Sends what is left, as long as `ms` allow. */
  readonly close: (ms: number) => Promise<void>;
}

export interface ExporterOptions {
  readonly source: SpanSource;
  readonly sending: SpanPost;
  /** Where they go, for people: no secrets. */
  readonly address: string;
  readonly delayMs: number;
  readonly queueSize: number;
  readonly batchSize: number;
  readonly log: Log;
}

/** How often one batch is sent where the collector is away. */
const MOST_TRIES = 5;
/** Between two lines about the same trouble. */
const TELL_MS = 60_000;

export function createExporter(options: ExporterOptions): Exporter {
  const { source, sending, address, delayMs, queueSize, batchSize, log } = options;
  const start = formatBatchStart(source);
  const newBatch = (): SpanBatch => spare.pop() ?? new SpanBatch(start, BATCH_END);
  /** To be used again. */
  const spare: SpanBatch[] = [];
  let open = newBatch();
  /** Whole batches that were not sent yet. */
  const full: SpanBatch[] = [];
  /** Spans in all of them. */
  let queued = 0;
  /** To be sent again. */
  let held: SpanBatch | undefined;
  let underWay: Promise<void> | undefined;
  /** Why the last batch was not delivered. */
  let trouble: string | undefined;
  let lost = 0;
  let told = { lost: 0, at: Number.NEGATIVE_INFINITY };

  const tell = (text: string): void => {
    told = { lost, at: performance.now() };
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
    const isHeld = delivery.kind === "failed" && delivery.isPassing && batch.tries < MOST_TRIES;
    held = isHeld ? batch : undefined;
    if (delivery.kind === "failed") {
      if (!isHeld) lost += batch.size;
      const isNew = trouble === undefined;
      trouble = delivery.reason;
      if (isNew) tell(`spans cannot be delivered: ${trouble}`);
    } else if (trouble !== undefined) {
      trouble = undefined;
      tell("spans are delivered again");
    }
    if (isHeld) return;
    batch.empty();
    if (spare.length === 0) spare.push(batch);
  };

  /** Sends one batch, where there is one; one at a time. */
  const send = (): Promise<void> => {
    if (underWay !== undefined) return underWay;
    const batch = held ?? takeBatch();
    if (batch === undefined) return Promise.resolve();
    underWay = sendOne(batch).finally(() => {
      underWay = undefined;
      if (isUrgent()) void send();
    });
    return underWay;
  };
  /** A whole batch is there. Where the last one was not taken, the next waits for its time. */
  const isUrgent = (): boolean => full.length > 0 && trouble === undefined;

  const timer = setInterval(() => {
    adjustTraceClock();
    if (lost > told.lost && performance.now() - told.at > TELL_MS)
      tell(
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
      if (underWay === undefined && isUrgent()) setImmediate(() => void send());
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
        await underWay;
        while (!isOver && (held !== undefined || queued > 0)) {
          const before = trouble;
          await send();
          // A collector that is away is asked once more, and not again and again.
          if (trouble !== undefined && before !== undefined) return;
        }
      };
      await Promise.race([drain(), over]);
      clearTimeout(late);
      sending.close();
      lost += queued + (held?.size ?? 0);
      if (lost > told.lost) tell("not all spans could be delivered before the end");
    },
  };
}
