// Before the gateway stops: requests in flight may finish, and nothing new starts (SAFE-5).

import type { RpcRequest } from "../../mcp/message.js";
import type { Refusal } from "./responses/refusal.js";

/** Another replica can answer at once; a restarting one needs a moment. */
const RETRY_MS = 1_000;

const DRAINING: Refusal = {
  code: "shutting-down",
  message: "The gateway is shutting down and takes no new requests. Nothing was run: send it again in 1 s.",
  data: { reason: "shutting-down", retryAfterMs: RETRY_MS },
  headers: { "retry-after": "1", connection: "close" },
};

/** A class, because every request reads it. */
export class Drain {
  #isDraining = false;

  begin(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * The refusal for a request that would start something. Answers that a call in flight waits for are
   * accepted to the end.
   */
  refusal(request: RpcRequest): Refusal | undefined {
    return this.#isDraining && isNew(request) ? DRAINING : undefined;
  }

  /** The refusal for an HTTP+SSE stream, which is a session and not a JSON-RPC request. */
  get streamRefusal(): Refusal | undefined {
    return this.#isDraining ? DRAINING : undefined;
  }
}

function isNew({ method, params }: RpcRequest): boolean {
  // A request with a state continues a call that started here; no other replica knows it.
  return method !== "ping" && typeof params?.["requestState"] !== "string";
}
