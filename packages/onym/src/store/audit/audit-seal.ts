// What only the holder of the key can write: seals of decisions, and of the two ends of each audit chain. The records between
// the ends are chained by hashes, so that a key for each of them would cost time and find nothing more (POL-4).

import { createHmac, createSecretKey } from "node:crypto";
import type { ChainLink } from "./audit-chain.js";

export interface Sealer {
  /** Where a chain ends now. */
  readonly head: (link: ChainLink) => string;
  /** Where a chain begins: what pruning left. */
  readonly anchor: (link: ChainLink) => string;
  /** A chain from before there was a key: its name alone, since a process of that version may still append to it. */
  readonly earlier: (chain: string) => string;
  /** Any other texts, told apart by the first. */
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
