// Seals that only the holder of the key can write: of decisions, and of the two ends of each audit chain.
// Hashes chain the records between the ends, so sealing each record would cost time and detect nothing more
// (POL-4).

import { createHmac, createSecretKey } from "node:crypto";
import type { ChainLink } from "./audit-chain.js";

export interface Sealer {
  /** The current end of a chain. */
  readonly head: (link: ChainLink) => string;
  /** The start of a chain, as pruning left it. */
  readonly anchor: (link: ChainLink) => string;
  /**
   * A chain from before there was a key: only its name, since a process of that version may still append to
   * it.
   */
  readonly earlier: (chain: string) => string;
  /** Any other texts; the first one names their purpose. */
  readonly seal: (...texts: readonly string[]) => string;
}

export function createSealer(key: Uint8Array): Sealer {
  const secret = createSecretKey(key);
  const seal = (...texts: readonly string[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(texts)).digest("hex");
  return {
    head: ({ chain, seq, hash }) => seal("head 1", chain, String(seq), hash),
    anchor: ({ chain, seq, hash }) => seal("anchor 1", chain, String(seq), hash),
    earlier: (chain) => seal("earlier 1", chain),
    seal,
  };
}
