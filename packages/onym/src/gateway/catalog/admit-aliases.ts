// Which aliases callers may bring (`?as=`). Each alias has its own names, in memory and in the lock, so their
// number is limited.

import { type Lock, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";

/** The problem with a caller's alias; `undefined` if it is admitted from now on. */
export type AdmitAlias = (as: string | undefined, callerKey: string) => string | undefined;

export interface AliasPorts {
  readonly configured: () => string | undefined;
  readonly lock: () => Lock;
  /** Maximum new aliases per caller (SAFE-5). */
  readonly maxOwn: () => number;
}

/** Maximum new aliases during the life of a gateway, beside those of the config and the lock. */
export const MAX_ALIASES = 128;
/** Longer than any client accepts as a server name. */
const LONGEST_ALIAS = 128;

export function createAliasAdmission({ configured, lock, maxOwn }: AliasPorts): AdmitAlias {
  const admitted = new Set<string>();
  /** Counts by caller; there are never more callers than aliases. */
  const brought = new Map<string, number>();
  const recorded = new Set<string>();
  const isRecorded = (as: string): boolean => {
    if (recorded.has(as)) return true;
    const isThere = [...lock().profiles.keys()].some((key) => key.endsWith(`?as=${as}`));
    if (isThere) recorded.add(as);
    return isThere;
  };
  return (as, callerKey) => {
    if (as === undefined || as === DEFAULT_ALIAS || as === configured() || admitted.has(as)) return undefined;
    if (as.length > LONGEST_ALIAS)
      return `The alias ${quoteText(as)} is longer than ${LONGEST_ALIAS} characters. Register the gateway under a shorter name.`;
    if (isRecorded(as)) return undefined;
    const own = brought.get(callerKey) ?? 0;
    if (own >= maxOwn())
      return `The alias ${quoteText(as)} is one too many: this caller brought ${own} new ones already, as many as it may. Use one of them, write this one as "naming.as" in the config, or raise "limits.callerAliases".`;
    if (admitted.size >= MAX_ALIASES)
      return `The alias ${quoteText(as)} is one too many: ${MAX_ALIASES} new ones were brought already. Use one of them, or write it as "naming.as" in the config.`;
    brought.set(callerKey, own + 1);
    admitted.add(as);
    return undefined;
  };
}
