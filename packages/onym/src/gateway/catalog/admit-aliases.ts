// Which aliases callers may bring (`?as=`). Each has its own names in every profile, in memory and in the lock, so
// the number of aliases times profiles is limited.

import { type Lock, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";

/** The problem with a caller's alias; `undefined` if it is admitted from now on. */
export type AdmitAlias = (
  asked: { readonly as: string | undefined; readonly profile: string },
  callerKey: string,
) => string | undefined;

export interface AliasPorts {
  readonly configured: () => string | undefined;
  readonly lock: () => Lock;
  /** Maximum new aliases per caller, each counted once for every profile (SAFE-5). */
  readonly maxOwn: () => number;
}

/** Maximum new aliases, counted likewise, during the life of a gateway, beside those of the config and the lock. */
export const MAX_ALIASES = 128;
/** Longer than any client accepts as a server name. */
const MAX_ALIAS_LENGTH = 128;

export function createAliasAdmission({ configured, lock, maxOwn }: AliasPorts): AdmitAlias {
  const admitted = new Set<string>();
  /** Counts by caller; there are never more callers than aliases. */
  const brought = new Map<string, number>();
  return ({ as, profile }, callerKey) => {
    const key = `${profile}?as=${as}`;
    if (as === undefined || as === DEFAULT_ALIAS || as === configured() || admitted.has(key))
      return undefined;
    if (as.length > MAX_ALIAS_LENGTH)
      return `The alias ${quoteText(as)} is longer than ${MAX_ALIAS_LENGTH} characters. Register the gateway under a shorter name.`;
    if (lock().profiles.has(key)) return undefined;
    const own = brought.get(callerKey) ?? 0;
    if (own >= maxOwn())
      return `The alias ${quoteText(as)} is one too many: this caller brought ${own} new ones already, as many as it may. Use one of them, write this one as "naming.as" in the config, or raise "limits.callerAliases".`;
    if (admitted.size >= MAX_ALIASES)
      return `The alias ${quoteText(as)} is one too many: ${MAX_ALIASES} new ones were brought already. Use one of them, or write it as "naming.as" in the config.`;
    brought.set(callerKey, own + 1);
    admitted.add(key);
    return undefined;
  };
}
