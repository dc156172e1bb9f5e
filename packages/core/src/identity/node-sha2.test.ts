// The hash function that the bundle of the program uses, against the one that it stands in for.

import { sha256 as plain } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 as fast } from "../../../../tools/fast-path/node-sha2.mjs";

it("gives the same bytes for any input", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect([...fast(bytes)]).toEqual([...plain(bytes)]);
    }),
  );
});
