// Messages that are posted without waiting for their answers: replies to the server's own requests, and notifications. The server
// decides how many there are and how long each takes, so few are on their way at once, each with a deadline (SAFE-5).

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { Clock } from "../../model/clock.js";
import { DropReport } from "../protocol/pace.js";
import type { HttpFailure } from "./http-client.js";
import type { HttpAnswer } from "./http-delivery.js";

/** Posts of one server that are not answered yet. */
export const MAX_POSTS = 16;
/** How long the server may take to answer one. */
const POST_MS = 30_000;

export interface PostQueueOptions {
  readonly post: (body: string, signal: CancelSignal) => Promise<HttpAnswer | HttpFailure>;
  readonly clock: Clock;
  /** Messages that may wait. */
  readonly limit: number;
  /** Messages that were not sent, or not taken in time, since the last time; once a minute. */
  readonly onDropped: (messages: number) => void;
}

export class PostQueue {
  readonly #options: PostQueueOptions;
  readonly #dropped: DropReport;
  #posting = 0;
  #waiting: string[] = [];

  constructor(options: PostQueueOptions) {
    this.#options = options;
    this.#dropped = new DropReport(options.onDropped);
  }

  push(body: string): void {
    if (this.#posting < MAX_POSTS) void this.#post(body);
    else if (this.#waiting.length < this.#options.limit) this.#waiting.push(body);
    else this.#drop();
  }

  /** Gives up what waits. */
  close(): void {
    this.#waiting = [];
  }

  async #post(body: string): Promise<void> {
    const { post, clock } = this.#options;
    const deadline = createCancelSource();
    const stopDeadline = clock.after(POST_MS, () => {
      deadline.cancel();
      this.#drop();
    });
    this.#posting += 1;
    const answer = await post(body, deadline.signal);
    this.#posting -= 1;
    stopDeadline();
    if (answer.kind === "answer") answer.body.discard();
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#post(next);
  }

  #drop(): void {
    this.#dropped.add(1, this.#options.clock.now());
  }
}
