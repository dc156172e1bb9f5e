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
  let store = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (bytes) => {
      const needed = length + bytes.length;
      if (needed > limit) return false;
      if (needed > store.length) {
        const grown = Buffer.allocUnsafe(Math.max(needed, store.length * 2, 1024));
        store.copy(grown, 0, 0, length);
        store = grown;
      }
      store.set(bytes, length);
      length = needed;
      return true;
    },
    take: () => {
      const taken = store.subarray(0, length);
      length = 0;
      if (store.length > KEPT_CAPACITY) store = Buffer.alloc(0);
      return taken;
    },
  };
}
