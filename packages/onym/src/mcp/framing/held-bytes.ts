// Bytes kept until the rest arrives. Grows by doubling, so that a frame in a thousand chunks is copied in
// linear time.

export interface HeldBytes {
  readonly length: number;
  /** Keeps a copy. `false` if it would exceed the limit; then nothing is kept. */
  readonly add: (bytes: Uint8Array) => boolean;
  /** The kept bytes in one piece. Up to `KEPT_CAPACITY` they are valid until the next `add`. Empties the buffer. */
  readonly take: () => Buffer;
}

/** A larger buffer is released after its frame instead of being reused. */
export const KEPT_CAPACITY = 65_536;

export function createHeldBytes(limit: number): HeldBytes {
  return new Held(limit);
}

class Held implements HeldBytes {
  readonly #limit: number;
  #store = Buffer.alloc(0);
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(bytes: Uint8Array): boolean {
    const needed = this.length + bytes.length;
    if (needed > this.#limit) return false;
    if (needed > this.#store.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#store.length * 2, 1024));
      this.#store.copy(grown, 0, 0, this.length);
      this.#store = grown;
    }
    this.#store.set(bytes, this.length);
    this.length = needed;
    return true;
  }

  take(): Buffer {
    const taken = this.#store.subarray(0, this.length);
    this.length = 0;
    if (this.#store.length > KEPT_CAPACITY) this.#store = Buffer.alloc(0);
    return taken;
  }
}
