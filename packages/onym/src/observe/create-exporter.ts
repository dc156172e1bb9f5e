// Spans that have ended, from here to the collector: kept in a bounded queue, sent many at once, lost rather than waited for.

import { formatSpans, type SpanSource } from "./format-spans.js";
import type { Log } from "./log.js";
import type { SpanPost } from "./post-spans.js";
import type { Span } from "./span.js";
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

interface Batch {
  readonly body: string;
  readonly size: number;
  tries: number;
}

export function createExporter(options: ExporterOptions): Exporter {
  const { source, sending, address, delayMs, queueSize, batchSize, log } = options;
  let queue: Span[] = [];
  /** To be sent again. */
  let held: Batch | undefined;
  let underWay: Promise<void> | undefined;
  /** Why the last batch was not delivered. */
  let trouble: string | undefined;
  let lost = 0;
  let told = { lost: 0, at: Number.NEGATIVE_INFINITY };

  const tell = (text: string): void => {
    told = { lost, at: performance.now() };
    log("warn", `${text}; ${lost} ${lost === 1 ? "span is" : "spans are"} lost so far`, { to: address });
  };

  const takeBatch = (): Batch | undefined => {
    if (queue.length === 0) return undefined;
    adjustTraceClock();
    const spans = queue.slice(0, batchSize);
    queue = queue.slice(batchSize);
    return { body: formatSpans(spans, source), size: spans.length, tries: 0 };
  };

  const sendOne = async (batch: Batch): Promise<void> => {
    batch.tries += 1;
    const delivery = await sending.post(batch.body);
    if (delivery.kind === "delivered") {
      held = undefined;
      if (trouble !== undefined) tell("spans are delivered again");
      trouble = undefined;
      return;
    }
    held = delivery.isPassing && batch.tries < MOST_TRIES ? batch : undefined;
    if (held === undefined) lost += batch.size;
    const isNew = trouble === undefined;
    trouble = delivery.reason;
    if (isNew) tell(`spans cannot be delivered: ${trouble}`);
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
  const isUrgent = (): boolean => queue.length >= batchSize && trouble === undefined;

  const timer = setInterval(() => {
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
      if (queue.length >= queueSize) {
        lost += 1;
        return;
      }
      queue.push(span);
      if (queue.length === batchSize && underWay === undefined && trouble === undefined)
        setImmediate(() => void send());
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
        while (!isOver && (held !== undefined || queue.length > 0)) {
          const before = trouble;
          await send();
          // A collector that is away is asked once more, and not again and again.
          if (trouble !== undefined && before !== undefined) return;
        }
      };
      await Promise.race([drain(), over]);
      clearTimeout(late);
      sending.close();
      lost += queue.length + (held?.size ?? 0);
      if (lost > told.lost) tell("not all spans could be delivered before the end");
    },
  };
}
