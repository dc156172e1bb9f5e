// OAuth tokens that were verified a moment ago, by digest: so that not every request costs a signature.

import type { KnownCaller } from "./authenticate.js";

export interface TokenCache {
  readonly find: (key: string, now: number) => KnownCaller | undefined;
  readonly add: (
    key: string,
    result: KnownCaller,
    time: { readonly now: number; readonly expiresAt: number },
  ) => void;
}

/** A key that its issuer withdraws counts no longer than this. */
const FRESH_MS = 60_000;
const MOST = 1_000;

export function createTokenCache(): TokenCache {
  const known = new Map<string, { readonly result: KnownCaller; readonly until: number }>();
  return {
    find(key, now) {
      const entry = known.get(key);
      if (entry === undefined) return undefined;
      if (now < entry.until) return entry.result;
      known.delete(key);
      return undefined;
    },
    add(key, result, { now, expiresAt }) {
      known.delete(key);
      known.set(key, { result, until: Math.min(expiresAt, now + FRESH_MS) });
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    },
  };
}
