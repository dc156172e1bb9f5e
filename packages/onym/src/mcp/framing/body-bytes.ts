// The bytes of a whole body, such as that of an HTTP message, in as many pieces as they arrive in.

import { createHeldBytes, type HeldBytes } from "./lines.js";

/**
 * A single piece, the usual case, is not copied. Further ones are: the view of one byte
 * takes two hundred, and keeps its whole packet.
 */
export class BodyBytes {
  readonly #limit: number;
  readonly #held: HeldBytes;
  #only: Uint8Array | undefined;
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#held = createHeldBytes(limit);
  }

  /** `false` if it would exceed the limit; then nothing more is kept. */
  add(bytes: Uint8Array): boolean {
    if (this.length + bytes.length > this.#limit) return false;
    if (this.length === 0) this.#only = bytes;
    else {
      if (this.#only !== undefined) this.#held.add(this.#only);
      this.#only = undefined;
      this.#held.add(bytes);
    }
    this.length += bytes.length;
    return true;
  }

  /** All of them in one piece. Call once. */
  take(): Buffer {
    const only = this.#only;
    return only === undefined
      ? this.#held.take()
      : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  }
}
