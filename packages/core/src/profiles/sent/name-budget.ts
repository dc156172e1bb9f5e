// How much of a client's limit is left for the name after the client adds its prefix and suffix (RULE-4).

import type { NameRules, Profile } from "../profile.js";
import { rewriteText } from "./rewrite-text.js";

/** What a client adds around a name when it registers the gateway under this alias. */
export interface ClientFrame {
  readonly prefix: string;
  readonly suffix: string;
  /** The maximum number of characters that prefix and suffix take from the limit. */
  readonly taken: number;
  /** The alias as the client rewrites it. */
  readonly alias: string;
}

const SERVER = "{server}";
const DIGEST = "0".repeat(20);

/**
 * The rules for names assigned by a gateway that is registered as `alias`. `maxLength` may be zero or less: then no
 * name fits, because the alias is too long.
 *
 * @example
 * nameRulesFor(claudeCode, "onym").maxLength; // 53 = 64 − "mcp__onym__".length
 */
export function nameRulesFor(profile: Profile, alias: string): NameRules {
  const { client, rules } = profile;
  const taken = client.prefixYields === true ? 0 : clientFrame(profile, alias).taken;
  return { ...rules, maxLength: Math.min(rules.maxLength, client.sentMaxLength - taken) };
}

/** The prefix and suffix that the client makes from this alias. */
export function clientFrame(profile: Profile, alias: string): ClientFrame {
  const { client } = profile;
  const rewritten = rewriteText(alias, client.alias);
  const template = client.prefixesMcpOnce === true ? withoutMark(client.prefix, rewritten) : client.prefix;
  const prefix = fillTemplate(template, rewritten, client.prefixMaxLength);
  const suffix = fillTemplate(client.suffix, rewritten, undefined);
  // A position may have more digits than the one shown, so the budget uses the maximum prefix length.
  const isPositional = client.prefix.includes("{index}");
  const prefixLength = isPositional ? (client.prefixMaxLength ?? prefix.length) : prefix.length;
  // A rewrite may shorten the alias, but not necessarily in every version of the client, so the budget ignores it.
  const shortened = Math.max(0, alias.length - rewritten.length);
  const spare =
    client.prefixMaxLength === undefined && `${client.prefix}${client.suffix}`.includes(SERVER)
      ? shortened
      : 0;
  return { prefix, suffix, taken: prefixLength + suffix.length + spare, alias: rewritten };
}

/** The template without the `mcp_` or `mcp__` before the alias, if the alias has it already. */
function withoutMark(template: string, alias: string): string {
  const [mark = ""] = template.split(SERVER);
  // Gemini CLI looks for mcp_ in alias and separator, Codex for mcp__ in the alias alone.
  const searched = mark === "mcp_" ? `${alias}_` : alias;
  return searched.startsWith(mark) ? template.slice(mark.length) : template;
}

/** Fills the alias into a template. If it must fit a length, the alias is cut, never the separators. */
export function fillTemplate(template: string, alias: string, maxLength: number | undefined): string {
  const filled = template.replace("{index}", "0").replace("{digest}", DIGEST);
  const at = filled.indexOf(SERVER);
  if (at < 0) return filled;
  const separators = filled.length - SERVER.length;
  const room = maxLength === undefined ? alias.length : Math.max(0, maxLength - separators);
  return filled.slice(0, at) + alias.slice(0, room) + filled.slice(at + SERVER.length);
}

/** Whether a longer alias leaves less room for names, so that each alias needs its own names. */
export function dependsOnAlias(profile: Profile): boolean {
  return profile.client.prefixYields !== true && showsAlias(profile);
}

export function showsAlias({ client }: Profile): boolean {
  return `${client.prefix}${client.suffix}`.includes("{server}");
}
