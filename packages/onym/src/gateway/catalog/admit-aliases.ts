// Which aliases callers may bring (`?as=`). Each has names of its own, in memory and in the lock, so there is an end to them.

import { DEFAULT_ALIAS, type Lock, quoteText } from "@onym/core";

/** What is wrong with an alias that a caller brings; `undefined` where it may be used from now on. */
export type AdmitAlias = (as: string | undefined, callerKey: string) => string | undefined;

export interface AliasPorts {
  readonly configured: () => string | undefined;
  readonly lock: () => Lock;
  /** New ones that one caller may bring (SAFE-5). */
  readonly maxOwn: () => number;
}

/** New ones in the life of a gateway, beside those in the config and in the lock. */
export const MAX_ALIASES = 128;
/** Longer than any client takes for the name of a server. */
const LONGEST_ALIAS = 128;

export function createAliasAdmission({ configured, lock, maxOwn }: AliasPorts): AdmitAlias {
  const admitted = new Set<string>();
  /** By who brought them: no more callers than aliases. */
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
