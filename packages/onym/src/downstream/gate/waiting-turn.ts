// A request that waits for its caller's turn, before it is sent (SAFE-5).

import { errorReply, type Reply, withTrouble } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { DownstreamRequest } from "../downstream.js";
import { startDeadline } from "../protocol/request.js";

/** When a caller may try again. */
export const RETRY_MS = 1_000;

/** What is large in a request are the arguments of a call. */
export function sizeOf({ argumentsText }: DownstreamRequest): number {
  return argumentsText?.text.length ?? 0;
}

interface TurnOptions {
  readonly request: DownstreamRequest;
  readonly label: string;
  readonly start: () => Promise<Reply>;
  readonly resolve: (reply: Reply | Promise<Reply>) => void;
  readonly leave: (turn: Turn) => void;
}

/** One waiting request: until its turn, its caller's cancellation, or its timeout. */
export class Turn {
  readonly #options: TurnOptions;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    const { signal, timeoutMs } = options.request;
    signal.addEventListener("abort", this.#cancel, { once: true });
    if (Number.isFinite(timeoutMs)) this.#timer = startDeadline(timeoutMs, () => this.#expire());
  }

  get request(): DownstreamRequest {
    return this.#options.request;
  }

  take(): void {
    this.#leave();
    this.#options.resolve(this.#options.start());
  }

  /** Ends it without sending. */
  end(reply: Reply): void {
    this.#leave();
    this.#options.resolve(reply);
  }

  readonly #cancel = (): void =>
    this.end(withTrouble(errorReply(CODES.internal, "The request was cancelled"), { kind: "unknown" }));

  #expire(): void {
    const { label, request } = this.#options;
    const text = `${label} has too many requests in flight or too much to read: ${request.method} waited ${request.timeoutMs} ms and was not sent`;
    this.end(withTrouble(errorReply(CODES.internal, text, { retryAfterMs: RETRY_MS }), { kind: "unknown" }));
  }

  #leave(): void {
    const { request, leave } = this.#options;
    clearTimeout(this.#timer);
    request.signal.removeEventListener("abort", this.#cancel);
    leave(this);
  }
}
