// The progress of one request on its way to the client: so many messages a second, and of more of them the newest (SAFE-5).

import type { JsonObject } from "../../mcp/json.js";
import type { Clock } from "../../model/clock.js";
import type { RequestOrigin } from "../downstream.js";
import { withoutToken } from "./request.js";

/** Messages of progress that one request passes on in a second. */
export const MAX_PROGRESS = 100;
const SECOND_MS = 1_000;

/** Created with the first message: most requests have none. */
export class ProgressRelay {
  readonly #notify: RequestOrigin["notify"];
  readonly #clock: Clock;
  /** When the current second began, and the messages passed on since. */
  #startedAt: number;
  #passed = 0;
  /** The last one beyond the limit, for the end of the second. */
  #newest: JsonObject | undefined;
  #stopTimer = (): void => {};

  constructor({ notify }: Pick<RequestOrigin, "notify">, clock: Clock) {
    this.#notify = notify;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  pass(params: JsonObject): void {
    if (this.#newest !== undefined) {
      this.#newest = params;
      return;
    }
    const now = this.#clock.now();
    if (Math.abs(now - this.#startedAt) >= SECOND_MS) this.#startSecond(now);
    if (this.#passed < MAX_PROGRESS) {
      this.#send(params);
      return;
    }
    this.#newest = params;
    this.#stopTimer = this.#clock.after(SECOND_MS - Math.abs(now - this.#startedAt), () => {
      this.#startSecond(this.#clock.now());
      this.end();
    });
  }

  /** Passes on what waits: the answer follows. */
  end(): void {
    this.#stopTimer();
    const newest = this.#newest;
    this.#newest = undefined;
    if (newest !== undefined) this.#send(newest);
  }

  #startSecond(now: number): void {
    this.#startedAt = now;
    this.#passed = 0;
  }

  #send(params: JsonObject): void {
    this.#passed += 1;
    this.#notify(withoutToken("notifications/progress", params));
  }
}
