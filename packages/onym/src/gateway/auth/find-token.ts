// Tokens of Onym's own. Only their digests are known here, and all of them are compared in full, whichever one fits.

import { createHash, timingSafeEqual } from "node:crypto";
import type { TokenSettings } from "./auth-settings.js";

export type FindToken = (digest: Buffer) => TokenSettings | undefined;

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function buildTokenFinder(tokens: readonly TokenSettings[]): FindToken {
  const known = tokens.map((token) => ({ token, digest: Buffer.from(token.hash, "hex") }));
  return (digest) => {
    let found: TokenSettings | undefined;
    for (const each of known) {
      if (each.digest.length === digest.length && timingSafeEqual(each.digest, digest)) found = each.token;
    }
    return found;
  };
}
