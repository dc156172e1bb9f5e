// Bytes kept until the rest arrives: grows by doubling, so that a frame in a thousand chunks is copied in linear time.

export interface HeldBytes {
  readonly length: number;
  /** Keeps a copy. `false` where it would exceed the limit; nothing is kept then. */
  readonly add: (bytes: Uint8Array) => boolean;
  /** What was kept, in one piece that is valid until the next `add`; nothing is kept afterwards. */
  readonly take: () => Buffer;
}

/** Beyond this the memory of one large frame is let go rather than kept for the next. */
const KEPT_CAPACITY = 65_536;

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
