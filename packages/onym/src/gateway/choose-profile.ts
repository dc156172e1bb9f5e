// Chooses a caller's profile (GW-3): what it requests, what the operator configured, what it is recognized
// by, else `universal`.

import { type Profile, quoteText } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import { isJsonObject, type JsonObject } from "../mcp/json.js";
import { nearProfile } from "./near-profile.js";
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

/** The `clientInfo` of an initialize request or an envelope, if it is an object. */
export function clientInfoOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
