// The calls of the gateway as they end, as server-sent events for each page that watches.

import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { EdgeCallers } from "../../gateway/http/create-http-edge.js";
import type { CallerShare } from "../../gateway/sessions/edge-callers.js";
import type { CallReport } from "../../model/call-report.js";
import type { ConsoleContext } from "../console-context.js";
import { seesCall, showCall } from "./calls.js";
import type { SignedIn } from "./find-viewer.js";
import { RETRY, tooMany } from "./too-many.js";

const KEEP_ALIVE_MS = 15_000;
/** Of events that a page has not read yet; beyond, it has to read all again. */
const MAX_QUEUED = 1_000;
/** Pages of one caller that watch calls: each call is sent to all of them. */
const MAX_PAGES = 32;

interface CallStreamsOptions {
  readonly context: ConsoleContext;
  readonly streams: EdgeCallers["streams"];
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
}

/** Answers a page with a stream, or refuses it. */
export function createCallStreams({ context, streams, closing }: CallStreamsOptions) {
  const pages = new WeakMap<CallerShare, number>();
  return (c: Context, signedIn: SignedIn) => {
    const { share } = signedIn;
    const watching = pages.get(share) ?? 0;
    if (watching >= MAX_PAGES) return c.json({ error: "Too many pages watch already." }, 429, RETRY);
    const page = new WatchingPage(signedIn, context, closing);
    const refusal = streams.take(share, page.giveWay);
    if (refusal !== undefined) return tooMany(c, refusal);
    pages.set(share, watching + 1);
    return streamSSE(c, async (stream) => {
      try {
        await page.run(stream);
      } finally {
        pages.set(share, (pages.get(share) ?? 1) - 1);
        streams.release(share, page.giveWay);
      }
    });
  };
}

class WatchingPage {
  readonly #signedIn: SignedIn;
  readonly #context: ConsoleContext;
  readonly #closing: AbortSignal;
  readonly #queue: CallReport[] = [];
  #isLetIn = true;
  #wake = (): void => {};

  constructor(signedIn: SignedIn, context: ConsoleContext, closing: AbortSignal) {
    this.#signedIn = signedIn;
    this.#context = context;
    this.#closing = closing;
  }

  /** Ends the stream. */
  readonly giveWay = (): void => {
    this.#isLetIn = false;
    this.#wake();
  };

  /** Resolves when the page is gone, or no longer let in. */
  async run(stream: SSEStreamingApi): Promise<void> {
    const stop = this.#listen();
    const end = (): void => this.#wake();
    const release = this.#signedIn.hold(this.giveWay);
    this.#closing.addEventListener("abort", end);
    stream.onAbort(end);
    try {
      await stream.writeSSE({ event: "hello", data: "{}" });
      while (this.#isOpen(stream)) await this.#sendNext(stream);
    } finally {
      release();
      stop();
      this.#closing.removeEventListener("abort", end);
    }
  }

  #listen(): () => void {
    const sees = seesCall(this.#signedIn.viewer);
    return this.#context.calls.listen((report) => {
      if (!sees(report)) return;
      if (this.#queue.length < MAX_QUEUED) this.#queue.push(report);
      setImmediate(() => this.#wake());
    });
  }

  #isOpen(stream: SSEStreamingApi): boolean {
    return (
      this.#isLetIn &&
      this.#signedIn.isSignedIn() &&
      !stream.aborted &&
      !stream.closed &&
      !this.#closing.aborted
    );
  }

  /** Sends a call, or a beat if there is none for long. */
  async #sendNext(stream: SSEStreamingApi): Promise<void> {
    const report = this.#queue.shift();
    if (report !== undefined) {
      const data = JSON.stringify(showCall(this.#context, report, this.#signedIn.viewer));
      await stream.writeSSE({ event: "call", data });
    } else if (!(await this.#waitFor(KEEP_ALIVE_MS))) await stream.writeSSE({ event: "beat", data: "{}" });
  }

  /** `false` where nobody woke it in time. */
  #waitFor(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
