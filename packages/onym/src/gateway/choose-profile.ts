// Chooses a caller's profile (GW-3): what it requests, what the operator configured, what it is recognized
// by, else `universal`. Also its alias, and what is logged of both.

import { type Lock, type Profile, quoteText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { ProfileSet } from "@onym/core/profiles";
import { isJsonObject, type JsonObject } from "../mcp/json.js";
import type { Log } from "../model/log.js";
import type { Caller } from "./caller.js";
import { clientName } from "./observe/observation.js";
import type { CallerHints } from "./router.js";

export interface ProfileChoice {
  readonly profile: Profile;
  /** What decided, for people. */
  readonly chosenBy: string;
  /** The caller requested a profile that does not exist. */
  readonly problem: string | undefined;
  /** The alias that the client announces, if any (NAME-9). */
  readonly alias?: string | undefined;
}

export interface ProfileInput {
  readonly hints: CallerHints;
  readonly clientInfo: JsonObject | undefined;
  /** From the config; `undefined` for `auto`. */
  readonly configured: string | undefined;
  readonly detect: boolean;
  readonly profiles: ProfileSet;
}

export function chooseProfile(input: ProfileInput): ProfileChoice {
  const { hints, clientInfo, configured, detect, profiles } = input;
  const chosen = (id: string, by: string): ProfileChoice => chosenIn(profiles, id, by);
  const { headers } = hints;
  if (headers.get("x-openai-mode")?.toLowerCase() === "true") return chosen("openai", "header x-openai-mode");
  const header = headers.get("x-onym-profile");
  if (header !== undefined) return chosen(header, "header x-onym-profile");
  if (hints.profile !== undefined) return chosen(hints.profile, "endpoint");
  if (hints.terms?.profile !== undefined) return chosen(hints.terms.profile, "token");
  if (configured !== undefined) return chosen(configured, "config");
  if (!detect) return chosen("universal", "default (detection is off)");
  const { profile, confidence, evidence, alias } = profiles.detect({ clientInfo, headers });
  const [first] = evidence;
  const by =
    confidence === "none" || first === undefined
      ? "default (client not recognised)"
      : `${first.source} "${first.text}"`;
  return { profile, chosenBy: by, problem: undefined, alias };
}

function chosenIn(profiles: ProfileSet, id: string, by: string): ProfileChoice {
  // People type URLs by hand: /mcp/Cursor.
  const profile = profiles.find(id) ?? profiles.find(id.toLowerCase());
  if (profile !== undefined) return { profile, chosenBy: by, problem: undefined };
  const universal = profiles.find("universal");
  if (universal === undefined) throw new Error("the profile universal is built in");
  const near = nearProfile(id, profiles);
  const hint = near === undefined ? "" : `Did you mean ${quoteText(near)}? `;
  return {
    profile: universal,
    chosenBy: by,
    problem: `There is no profile ${quoteText(id.slice(0, 100))}. ${hint}Run onym profiles for a list.`,
  };
}

/** The choice with the alias that its caller gets, or the problem with the one it requested. */
export function admitChoice(
  choice: ProfileChoice,
  hints: CallerHints,
  admit: (as: string | undefined) => string | undefined,
): ProfileChoice {
  if (choice.problem !== undefined) return choice;
  if (hints.as !== undefined || choice.alias === undefined)
    return { ...choice, alias: hints.as, problem: admit(hints.as) };
  // The client announces this alias, the user did not request it: if it is not admitted, use the configured
  // alias.
  const isAdmitted = admit(choice.alias) === undefined;
  return { ...choice, alias: isAdmitted ? choice.alias : undefined };
}

/** The `clientInfo` of an initialize request or an envelope, if it is an object. */
export function clientInfoOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

// Finds the profile that an unknown id probably meant: one or two letters off, or the name a client gives
// itself.

const MAX_ID_LENGTH = 64;

/** @example nearProfile("curser", profiles); // "cursor" */
function nearProfile(text: string, profiles: ProfileSet): string | undefined {
  if (text.length === 0 || text.length > MAX_ID_LENGTH) return undefined;
  const plain = plainText(text);
  let best: string | undefined;
  let least = plain.length > 5 ? 3 : plain.length > 2 ? 2 : 1;
  for (const { id } of profiles.list()) {
    const off = lettersOff(plain, plainText(id));
    if (off >= least) continue;
    best = id;
    least = off;
  }
  if (best !== undefined) return best;
  const { profile, confidence } = profiles.detect({ clientInfo: { name: text } });
  return confidence === "none" ? undefined : profile.id;
}

function plainText(text: string): string {
  return text.toLowerCase().replace(/[-_\s.]/g, "");
}

/** Edit distance: insertions, deletions and replacements. */
export function lettersOff(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced));
    }
    last = row;
  }
  return last[b.length] ?? 0;
}

// Logs which profile a client got, and why.

/** Modern clients identify themselves in every request; each client is logged once, up to this many. */
const MAX_LOGGED_CLIENTS = 100;

export function createDetectionLog(log: Log): (caller: Caller, hints: CallerHints) => void {
  const logged = new Set<string>();
  return (caller, hints) => {
    const client = clientName(caller);
    const key = JSON.stringify([client, caller.profile.id, caller.chosenBy, caller.as]);
    if (logged.has(key) || logged.size >= MAX_LOGGED_CLIENTS) return;
    logged.add(key);
    const { profile, chosenBy: by, revision } = caller;
    log("info", "client detected", {
      client,
      profile: profile.id,
      by,
      revision,
      ...aliasFacts(caller, hints),
    });
  };
}

/** The alias for names and where it comes from; empty for the configured alias. */
export function aliasFacts(
  { as }: Caller,
  hints: CallerHints,
): { readonly as?: string; readonly asBy?: string } {
  if (as === undefined) return {};
  return { as, asBy: hints.as === undefined ? "the client's announcement" : "endpoint or command line" };
}

// Which aliases callers may bring (`?as=`). Each has its own names in every profile, in memory and in the lock, so
// the number of aliases times profiles is limited.

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
