// SHA-256 in the bundle: Node's own in place of the one in JavaScript, which is slow until it has run for a while.
// @onym/core, as others get it, knows nothing of Node.

import { hash } from "node:crypto";

/** @param {Uint8Array} bytes */
export const sha256 = (bytes) => hash("sha256", bytes, "buffer");
