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
  /** The rest is not needed, and likely short: reads it, so that the connection can be used again. Ends one that goes on. */
  readonly discard: () => void;
}

interface BodyReader {
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
/** What a discarded body may take: bytes, and time. */
const DISCARD_BYTES = 65_536;
const DISCARD_MS = 1000;
/** Bodies of one server that are discarded at once; beyond that, connections end right away (SAFE-5). */
export const MAX_DISCARDS = 16;

/** The bodies of one server that are being discarded. */
export interface Discards {
  open: number;
}

export function createDelivery(
  signal: CancelSignal | undefined,
  discards: Discards,
  events: DeliveryEvents,
): Dispatcher.DispatchHandler {
  return new Delivery(signal, discards, events);
}

/** A class, because one is created for every call. */
class Delivery implements Dispatcher.DispatchHandler, HttpBody {
  readonly #signal: CancelSignal | undefined;
  readonly #discards: Discards;
  readonly #events: DeliveryEvents;
  #controller: Dispatcher.DispatchController | undefined;
  #isAnswered = false;
  #isOver = false;
  #reader: BodyReader | undefined;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  /** How it ended, if it ended before a reader was attached. */
  #ended: boolean | undefined;
  /** Until this body is no longer discarded. */
  #discarding: NodeJS.Timeout | undefined;

  constructor(signal: CancelSignal | undefined, discards: Discards, events: DeliveryEvents) {
    this.#signal = signal;
    this.#discards = discards;
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

  discard(): void {
    if (this.#ended !== undefined || this.#discards.open >= MAX_DISCARDS) {
      this.drop();
      return;
    }
    this.#discards.open += 1;
    this.#discarding = setTimeout(() => this.drop(), DISCARD_MS).unref();
    let left = DISCARD_BYTES;
    this.read({
      onBytes: (bytes) => {
        left -= bytes.length;
        if (left < 0) this.drop();
      },
      onEnd: () => {},
    });
  }

  #finish(isWhole: boolean): void {
    this.#leave();
    this.#ended = isWhole;
    this.#reader?.onEnd(isWhole);
  }

  #leave(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    if (this.#discarding === undefined) return;
    clearTimeout(this.#discarding);
    this.#discarding = undefined;
    this.#discards.open -= 1;
  }
}

const IGNORING: BodyReader = { onBytes: () => {}, onEnd: () => {} };

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}
export interface HttpAnswer {
  readonly kind: "answer";
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: HttpBody;
}
