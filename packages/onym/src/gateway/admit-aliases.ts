// Which aliases callers may bring (`?as=`). Each has names of its own, in memory and in the lock, so there is an end to them.

import { DEFAULT_ALIAS, type Lock, quoteText } from "@onym/core";

/** What is wrong with an alias; `undefined` where it may be used from now on. */
export type AdmitAlias = (as: string | undefined) => string | undefined;

export interface AliasPorts {
  readonly configured: () => string | undefined;
  readonly lock: () => Lock;
}

/** New ones in the life of a gateway, beside those in the config and in the lock. */
export const MOST_ALIASES = 16;
/** Longer than any client takes for the name of a server. */
const LONGEST_ALIAS = 128;

export function createAliasAdmission({ configured, lock }: AliasPorts): AdmitAlias {
  const admitted = new Set<string>();
  const recorded = new Set<string>();
  const isRecorded = (as: string): boolean => {
    if (recorded.has(as)) return true;
    const isThere = [...lock().profiles.keys()].some((key) => key.endsWith(`?as=${as}`));
    if (isThere) recorded.add(as);
    return isThere;
  };
  return (as) => {
    if (as === undefined || as === DEFAULT_ALIAS || as === configured() || admitted.has(as)) return undefined;
    if (as.length > LONGEST_ALIAS)
      return `The alias ${quoteText(as)} is longer than ${LONGEST_ALIAS} characters. Register the gateway under a shorter name.`;
    if (isRecorded(as)) return undefined;
    if (admitted.size >= MOST_ALIASES)
      return `The alias ${quoteText(as)} is one too many: ${MOST_ALIASES} new ones were brought already. Use one of them, or write it as "naming.as" in the config.`;
    admitted.add(as);
    return undefined;
  };
}
