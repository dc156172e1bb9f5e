// One HTTP response from the wire: its head, then its bytes to the reader. It is not a stream, because nearly
// every response is one chunk.

import type { Dispatcher } from "undici";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";

export interface HttpBody {
  /** Passes on all bytes from the first. Call once. */
  readonly read: (reader: BodyReader) => void;
  /** Stops reading for now. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** The rest is not needed: ends the connection, unless everything has arrived. */
  readonly drop: () => void;
}

export interface BodyReader {
  readonly onBytes: (bytes: Uint8Array) => void;
  /** `isWhole`: the body is complete. */
  readonly onEnd: (isWhole: boolean) => void;
}

export interface DeliveryEvents {
  readonly onAnswer: (answer: HttpAnswer) => void;
  /** No response arrived. */
  readonly onFailure: (error: unknown) => void;
}

/** Bytes that may wait for a reader before backpressure starts. */
const EARLY_BYTES = 65_536;

export function createDelivery(
  signal: CancelSignal | undefined,
  events: DeliveryEvents,
): Dispatcher.DispatchHandler {
  return new Delivery(signal, events);
}

/** A class, because one is created for every call. */
class Delivery implements Dispatcher.DispatchHandler, HttpBody {
  readonly #signal: CancelSignal | undefined;
  readonly #events: DeliveryEvents;
  #controller: Dispatcher.DispatchController | undefined;
  #isAnswered = false;
  #isOver = false;
  #reader: BodyReader | undefined;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  /** How it ended, if it ended before a reader was attached. */
  #ended: boolean | undefined;

  constructor(signal: CancelSignal | undefined, events: DeliveryEvents) {
    this.#signal = signal;
    this.#events = events;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  readonly #abort = (): void => {
    if (!this.#isOver) this.#controller?.abort(new Error("it was given up"));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted === true) this.#abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx: the final response is still to come.
    if (status < 200) return;
    this.#isAnswered = true;
    this.#events.onAnswer({
      kind: "answer",
      status,
      header: (name) => firstOf(headers[name]),
      body: this,
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#reader !== undefined) {
      this.#reader.onBytes(bytes);
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > EARLY_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isAnswered) this.#finish(false);
    else {
      this.#leave();
      this.#events.onFailure(error);
    }
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    const early = this.#early;
    this.#early = [];
    // The reader may drop it in the meantime.
    for (const bytes of early) this.#reader.onBytes(bytes);
    if (this.#ended !== undefined) this.#reader.onEnd(this.#ended);
    else if (this.#earlyBytes > EARLY_BYTES) this.#controller?.resume();
  }

  pause(): void {
    if (!this.#isOver) this.#controller?.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#controller?.resume();
  }

  drop(): void {
    this.#reader = IGNORING;
    this.#early = [];
    this.#abort();
  }

  #finish(isWhole: boolean): void {
    this.#leave();
    this.#ended = isWhole;
    this.#reader?.onEnd(isWhole);
  }

  #leave(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}

/** Reads and discards a body. */
export const IGNORING: BodyReader = { onBytes: () => {}, onEnd: () => {} };

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
export interface HttpAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: HttpBody;
}
