// How much of a client's limit is left for the name, once the client has put its own prefix and suffix on (RULE-4).

import type { NameRules, Profile } from "./profile.js";
import { rewriteText } from "./rewrite-text.js";

/** What a client puts around a name when the gateway is registered under one alias. */
export interface ClientFrame {
  readonly prefix: string;
  readonly suffix: string;
  /** Characters of the limit that prefix and suffix take, at most. */
  readonly taken: number;
  /** The alias as the client rewrites it. */
  readonly alias: string;
}

const SERVER = "{server}";
const MCP_MARK = "mcp_";
const DIGEST = "0".repeat(20);

/**
 * The rules for names given out by a gateway that is registered as `alias`. `maxLength` may be zero or less:
 * then no name fits, because the alias is too long.
 *
 * @example
 * nameRulesFor(claudeCode, "onym").maxLength; // 53 = 64 − "mcp__onym__".length
 */
export function nameRulesFor(profile: Profile, alias: string): NameRules {
  const { client, rules } = profile;
  const taken = client.prefixYields === true ? 0 : clientFrame(profile, alias).taken;
  return { ...rules, maxLength: Math.min(rules.maxLength, client.sentMaxLength - taken) };
}

/** The prefix and suffix that the client really makes from this alias. */
export function clientFrame(profile: Profile, alias: string): ClientFrame {
  const { client } = profile;
  const rewritten = rewriteText(alias, client.alias);
  const isMarked = client.prefixesMcpOnce === true && `${rewritten}_`.startsWith(MCP_MARK);
  const template = isMarked ? client.prefix.slice(MCP_MARK.length) : client.prefix;
  const prefix = fillTemplate(template, rewritten, client.prefixMaxLength);
  const suffix = fillTemplate(client.suffix, rewritten, undefined);
  // A position may have more digits than the one shown, so the cap is what has to be allowed for.
  const isPositional = client.prefix.includes("{index}");
  const prefixLength = isPositional ? (client.prefixMaxLength ?? prefix.length) : prefix.length;
  // A rewrite may shorten the alias, but whether it does in every version of the client nobody promises.
  const shortened = Math.max(0, alias.length - rewritten.length);
  const spare =
    client.prefixMaxLength === undefined && `${client.prefix}${client.suffix}`.includes(SERVER)
      ? shortened
      : 0;
  return { prefix, suffix, taken: prefixLength + suffix.length + spare, alias: rewritten };
}

/** Puts the alias into a template. Where it must fit a length, the alias loses its end, never the separators. */
export function fillTemplate(template: string, alias: string, maxLength: number | undefined): string {
  const filled = template.replace("{index}", "0").replace("{digest}", DIGEST);
  const at = filled.indexOf(SERVER);
  if (at < 0) return filled;
  const separators = filled.length - SERVER.length;
  const room = maxLength === undefined ? alias.length : Math.max(0, maxLength - separators);
  return filled.slice(0, at) + alias.slice(0, room) + filled.slice(at + SERVER.length);
}
