// Before the gateway ends: what is in flight may finish, and nothing new is begun (SAFE-5).

import type { RpcRequest } from "../../mcp/message.js";
import { HTTP_CODES, type Refusal } from "./responses/refusal.js";

/** Another replica can answer at once; one that is started again needs a moment. */
const RETRY_MS = 1_000;

const DRAINING: Refusal = {
  status: 503,
  code: HTTP_CODES.refused,
  message: "The gateway is shutting down and takes no new requests. Nothing was run: send it again in 1 s.",
  data: { reason: "shutting-down", retryAfterMs: RETRY_MS },
  headers: { "retry-after": "1", connection: "close" },
};

/** A class, because every request looks at it. */
export class Drain {
  #isDraining = false;

  begin(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How a request is refused that would begin something. Answers that a call in flight waits for are taken to the end. */
  refusal(request: RpcRequest): Refusal | undefined {
    return this.#isDraining && isNew(request) ? DRAINING : undefined;
  }

  /** The same for what is no request of the protocol: a stream that is a session. */
  get streamRefusal(): Refusal | undefined {
    return this.#isDraining ? DRAINING : undefined;
  }
}

function isNew({ method, params }: RpcRequest): boolean {
  // With a state it goes on with a call that was begun here, and no other replica knows of it.
  return method !== "ping" && typeof params?.["requestState"] !== "string";
}
