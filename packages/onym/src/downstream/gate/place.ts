// The place that a sent request takes at its server: from when it is sent to when it is answered, or counts no more (SAFE-6).

import type { DownstreamRequest, RequestPlace } from "../downstream.js";
import type { QueuedCaller } from "./queued-callers.js";

/** The queue that gave the place. */
export interface PlaceOwner {
  readonly keep: (place: Place) => void;
  readonly end: (place: Place) => void;
}

/** A class, because one is created for every call. */
export class Place implements RequestPlace {
  readonly caller: QueuedCaller;
  /** Counts up with every request that is sent to the server. */
  readonly number: number;
  /** Of its caller, when it was sent. */
  readonly round: number;
  readonly #owner: PlaceOwner;
  #request: DownstreamRequest | undefined;
  /** What its caller gave up; `undefined` if it did not. */
  givenUp: string | undefined;
  isOver = false;

  constructor(owner: PlaceOwner, caller: QueuedCaller, request: DownstreamRequest, number: number) {
    this.#owner = owner;
    this.caller = caller;
    this.round = caller.round;
    this.number = number;
    this.#request = request;
  }

  giveUp(): void {
    if (this.#request === undefined || this.isOver) return;
    this.givenUp = subjectOf(this.#request);
    // Its arguments may be large.
    this.#request = undefined;
    this.#owner.keep(this);
  }

  answerLate(): void {
    if (this.givenUp !== undefined) this.#owner.end(this);
  }
}

/** What a request is about. A server may take requests about different things in any order. */
export function subjectOf({ method, params }: DownstreamRequest): string {
  const name = params["name"];
  return typeof name === "string" ? `${method} ${name}` : method;
}
