// SHA-256 in the bundle: Node's own in place of the one in JavaScript, which is slow until it has run for a while.
// @onym/core, as others get it, knows nothing of Node.

import { hash } from "node:crypto";

/** @param {Uint8Array} bytes */
export const sha256 = (bytes) => hash("sha256", bytes, "buffer");

/** The part of a hasher that core uses: one update, one digest, then the same again. */
sha256.create = () => {
  let given = new Uint8Array();
  return {
    _cloneInto: () => {},
    update(bytes) {
      given = bytes;
      return this;
    },
    digestInto: (out) => void out.set(sha256(given)),
  };
};
