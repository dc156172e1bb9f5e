// OAuth tokens that were verified a moment ago, by digest: so that not every request costs a signature.

import type { KnownCaller } from "./authenticate.js";

export interface VerdictCache {
  readonly find: (key: string, now: number) => KnownCaller | undefined;
  readonly add: (
    key: string,
    verdict: KnownCaller,
    time: { readonly now: number; readonly expiresAt: number },
  ) => void;
}

/** A key that its issuer withdraws counts no longer than this. */
const FRESH_MS = 60_000;
const MOST = 1_000;

export function createVerdictCache(): VerdictCache {
  const known = new Map<string, { readonly verdict: KnownCaller; readonly until: number }>();
  return {
    find(key, now) {
      const entry = known.get(key);
      if (entry === undefined) return undefined;
      if (now < entry.until) return entry.verdict;
      known.delete(key);
      return undefined;
    },
    add(key, verdict, { now, expiresAt }) {
      known.delete(key);
      known.set(key, { verdict, until: Math.min(expiresAt, now + FRESH_MS) });
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    },
  };
}
