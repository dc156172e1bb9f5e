// Reports what is wrong with a name in one client or provider, where, and what to use instead (RULE-3). Accepts any
// text, in time linear in its length.

import { quoteText } from "../names/escape-text.js";
import type { Problem } from "../names/problem.js";
import { checkCharacters, type Finding, ownerOf, quoteName } from "./check-characters.js";
import { acceptsBareName, compileProfile } from "./compile-profile.js";
import { profileOf } from "./find-profile.js";
import { proposeName } from "./fit/propose-name.js";
import type { Profile } from "./profile.js";
import { clientFrame } from "./sent/name-budget.js";
import { simulateSending } from "./sent/sent-name.js";

export interface CheckNameOptions {
  /** The alias under which the client registers the gateway; `onym` by default. */
  readonly as?: string;
}

const ALIAS_FIX = "Register the gateway under a shorter alias of letters, digits and underscores.";

/**
 * The problems of a name in a profile; empty for a valid name. An error means that the client or provider rejects
 * or changes the name, a warning that it may.
 *
 * @example
 * checkName("get leads", "mcp"); // [{ code: "spaces", severity: "error", position: 3, … }]
 */
export function checkName(
  name: string,
  profileOrId: Profile | string,
  options: CheckNameOptions = {},
): readonly Problem[] {
  const profile = profileOf(profileOrId);
  const alias = options.as ?? "onym";
  const bare =
    name === "" ? [emptyName(profile)] : [...checkLength(name, profile), ...checkCharacters(name, profile)];
  if (!hasError(bare) && !acceptsBareName(name, profile)) bare.push(badShape(name, profile));
  const findings = [...bare, ...checkSent(name, profile, alias, bare), ...checkReserved(name, profile)];
  if (findings.length === 0) return [];
  const proposal = proposeName(name, profile, alias);
  const fix = proposal === undefined || proposal === name ? ALIAS_FIX : `Use ${quoteText(proposal)}.`;
  return findings.map((finding) => ({ ...finding, fix: finding.fix ?? fix }));
}

function emptyName(profile: Profile): Finding {
  return {
    code: "empty",
    severity: "error",
    message: `An empty name is no name in ${profile.id}.`,
    position: 0,
  };
}

function checkLength(name: string, profile: Profile): Finding[] {
  const { minLength, maxLength } = compileProfile(profile).documented;
  const about = `${quoteName(name)} has ${name.length} characters`;
  if (name.length < minLength) {
    const message = `${about}, ${profile.id} asks for at least ${minLength}.`;
    return [{ code: "too-short", severity: "error", message, position: name.length }];
  }
  if (name.length > maxLength) {
    const message = `${about}; ${ownerOf(profile)} allows ${maxLength}.`;
    return [{ code: "too-long", severity: "error", message, position: maxLength }];
  }
  const safe = profile.safeMaxLength ?? maxLength;
  if (name.length <= safe) return [];
  const message = `${about}; ${ownerOf(profile)} allows ${maxLength}, but only ${safe} are safe everywhere in it.`;
  return [{ code: "over-safe-length", severity: "warning", message, position: safe }];
}

function badShape(name: string, profile: Profile): Finding {
  const message = `${quoteName(name)} does not match ${quoteText(profile.pattern, 200)} (${ownerOf(profile)}).`;
  return { code: "bad-shape", severity: "error", message, position: 0 };
}

/** What the client makes of the name, if the bare name is valid. */
function checkSent(name: string, profile: Profile, alias: string, bare: readonly Finding[]): Finding[] {
  if (name === "" || bare.some(({ code }) => code === "too-long" || code === "over-safe-length")) return [];
  const { client } = profile;
  const sent = simulateSending(name, profile, alias);
  const hard = profile.combinedMaxLength ?? client.sentMaxLength;
  if (sent.length > client.sentMaxLength) {
    const isAlone = sent.length === name.length;
    const isHard = sent.length > hard;
    const limit = isHard ? hard : client.sentMaxLength;
    const about = isAlone
      ? `${quoteName(name)} has ${name.length} characters`
      : `${quoteName(name)} counts ${sent.length} characters with what the client adds for ${quoteName(alias)}`;
    return [
      {
        code: (isAlone ? "" : "sent-") + (isHard ? "too-long" : "over-safe-length"),
        severity: isHard ? "error" : "warning",
        message: `${about}; ${ownerOf(profile)} allows ${limit}${isHard ? "" : " safely"}.`,
        position: Math.min(name.length, Math.max(0, limit - (sent.length - name.length))),
      },
    ];
  }
  if (hasError(bare) || compileProfile(profile).sentPattern.test(sent.text)) return [];
  return [badSentName(name, profile, alias, sent.text)];
}

function badSentName(name: string, profile: Profile, alias: string, sent: string): Finding {
  const { sentAlphabet } = compileProfile(profile);
  const position = firstOutside(name, sentAlphabet);
  if (position >= 0) {
    const message = `${profile.id} sends ${quoteName(sent)}, which the model's provider refuses.`;
    return { code: "sent-bad-characters", severity: "error", message, position };
  }
  const { prefix, suffix } = clientFrame(profile, alias);
  const message = `${profile.id} puts ${quoteName(prefix + suffix)} around the name, which the model's provider refuses.`;
  return { code: "bad-alias", severity: "error", message, fix: ALIAS_FIX };
}

function checkReserved(name: string, profile: Profile): Finding[] {
  if (profile.rules.reserved?.includes(name) !== true) return [];
  const message = `${profile.id} keeps the name ${quoteName(name)} for itself.`;
  return [{ code: "reserved", severity: "warning", message, position: 0 }];
}

function firstOutside(name: string, alphabet: string): number {
  if (alphabet === "") return -1;
  for (let at = 0; at < name.length; at++) if (!alphabet.includes(name.charAt(at))) return at;
  return -1;
}

function hasError(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === "error");
}
