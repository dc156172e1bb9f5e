// Under which alias names are made, and who said so (RULE-4, NAME-9): the protocol does not tell it.

import { type Lock, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Config } from "../../config/config.js";

export interface TakenAlias {
  readonly as: string;
  readonly by: "--as" | "naming.as" | "default";
  /** Others that clients came with: announced, or said by their endpoint. Their names are on record. */
  readonly others: readonly string[];
}

const MARK = "?as=";

/** Those that clients came with stand in the keys of the lock. */
export function takenAlias(
  { naming }: Pick<Config, "naming">,
  { as, lock }: { readonly as?: string | undefined; readonly lock: Lock | undefined },
): TakenAlias {
  const taken = as ?? naming.as ?? DEFAULT_ALIAS;
  const keys = [...(lock?.profiles.keys() ?? [])];
  const onRecord = keys.flatMap((key) =>
    key.includes(MARK) ? [key.slice(key.indexOf(MARK) + MARK.length)] : [],
  );
  return {
    as: taken,
    by: as !== undefined ? "--as" : naming.as !== undefined ? "naming.as" : "default",
    others: [...new Set(onRecord)].filter((other) => other !== taken).sort(),
  };
}

/** For people: `Registered as "onym" (the default).` */
export function explainAlias({ as, by, others }: TakenAlias): string {
  const why = {
    "--as": "by --as",
    "naming.as": "by naming.as in the config",
    default: "the default",
  }[by];
  const more = others.map((other) => quoteText(other)).join(", ");
  const also = others.length === 0 ? "" : ` Clients also came as ${more}, with names of their own.`;
  return `Registered as ${quoteText(as)} (${why}).${also}`;
}
