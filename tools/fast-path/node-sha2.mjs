// SHA-256 in the bundle of the program: Node's own in place of `sha256` of @noble/hashes, with the same signature.
// 2026-11-17, Node 20.20: snapshot, three tables, lock and its text for 10,000 tools take 818 ms of CPU instead of 954 ms, median
// of seven processes each, in turns: 14 % less (docs/decisions/0105). packages/core/src/identity/node-sha2.test.ts holds one
// against the other. @onym/core, as others get it, knows nothing of Node.

import { hash } from "node:crypto";

/** @param {Uint8Array} bytes */
export const sha256 = (bytes) => hash("sha256", bytes, "buffer");
