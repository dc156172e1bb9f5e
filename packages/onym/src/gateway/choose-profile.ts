// Whose names a caller gets (GW-3): what it asks for, what the operator says, what it is known by, else `universal`.

import { detectProfile, findProfile, type Profile, quoteText } from "@onym/core";
import { isJsonObject, type JsonObject } from "../mcp/json.js";
import { nearProfile } from "./near-profile.js";
import type { CallerHints } from "./router.js";

export interface ProfileChoice {
  readonly profile: Profile;
  /** What decided, for people. */
  readonly chosenBy: string;
  /** The caller asked for a profile that does not exist. */
  readonly problem: string | undefined;
  /** The alias that the client announces, where it does (NAME-9). */
  readonly alias?: string | undefined;
}

export interface ProfileInput {
  readonly hints: CallerHints;
  readonly clientInfo: JsonObject | undefined;
  /** Of the config; `undefined` where it says `auto`. */
  readonly configured: string | undefined;
  readonly detect: boolean;
}

export function chooseProfile({ hints, clientInfo, configured, detect }: ProfileInput): ProfileChoice {
  const { headers } = hints;
  if (headers.get("x-openai-mode")?.toLowerCase() === "true") return chosen("openai", "header x-openai-mode");
  const header = headers.get("x-onym-profile");
  if (header !== undefined) return chosen(header, "header x-onym-profile");
  if (hints.profile !== undefined) return chosen(hints.profile, "endpoint");
  if (hints.terms?.profile !== undefined) return chosen(hints.terms.profile, "token");
  if (configured !== undefined) return chosen(configured, "config");
  if (!detect) return chosen("universal", "default (detection is off)");
  const { profile, confidence, evidence, alias } = detectProfile({ clientInfo, headers });
  const [first] = evidence;
  const by =
    confidence === "none" || first === undefined
      ? "default (client not recognised)"
      : `${first.source} "${first.text}"`;
  return { profile, chosenBy: by, problem: undefined, alias };
}

function chosen(id: string, by: string): ProfileChoice {
  // People write addresses by hand: /mcp/Cursor.
  const profile = findProfile(id) ?? findProfile(id.toLowerCase());
  if (profile !== undefined) return { profile, chosenBy: by, problem: undefined };
  const universal = findProfile("universal");
  if (universal === undefined) throw new Error("the profile universal is built in");
  const near = nearProfile(id);
  const hint = near === undefined ? "" : `Did you mean ${quoteText(near)}? `;
  return {
    profile: universal,
    chosenBy: by,
    problem: `There is no profile ${quoteText(id.slice(0, 100))}. ${hint}Run onym profiles for a list.`,
  };
}

/** The `clientInfo` of an initialize request or an envelope, where it is one. */
export function clientInfoOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
