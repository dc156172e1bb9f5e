// Simulates how a client changes a name before the model or the provider sees it (RULE-4, RULE-5).

import { acceptsBareName, compileProfile } from "../compile-profile.js";
import type { Profile } from "../profile.js";
import { cutSentName } from "./cut-sent-name.js";
import { clientFrame, fillTemplate } from "./name-budget.js";
import { rewriteText } from "./rewrite-text.js";

/** A name as a client sends it. */
export interface SentName {
  readonly text: string;
  /** The length that the client checks against its limit: prefix, name and suffix, before any cut. */
  readonly length: number;
}

/**
 * The name that the client finally shows to the model if the gateway is registered as `alias`.
 *
 * @example
 * sentName("get_leads", claudeCode, "onym"); // "mcp__onym__get_leads"
 */
export function sentName(name: string, profile: Profile, alias: string): string {
  return simulateSending(name, profile, alias).text;
}

/**
 * Whether the client accepts this name: the bare name satisfies the documented rules, and the sent name satisfies
 * the client's without being cut.
 *
 * @example
 * matchesProfile("get.leads", openai, "onym"); // false
 */
export function matchesProfile(name: string, profile: Profile, alias: string): boolean {
  if (!acceptsBareName(name, profile)) return false;
  const sent = simulateSending(name, profile, alias);
  return sent.length <= profile.client.sentMaxLength && compileProfile(profile).sentPattern.test(sent.text);
}

/** Like `sentName`, with the length that counts. */
export function simulateSending(name: string, profile: Profile, alias: string): SentName {
  return createSending(profile, alias)(name);
}

/** The same for many names; computes the client's prefix and suffix once. */
export function createSending(profile: Profile, alias: string): (name: string) => SentName {
  const { client } = profile;
  const frame = clientFrame(profile, alias);
  const limit = client.cutAt ?? client.sentMaxLength;
  return (name) => {
    if (client.countsOnly === true) return { text: name, length: frame.taken + name.length };

    const own = client.stripsOwnAlias === true ? withoutAlias(name, frame.alias) : name;
    const body = client.rewrite === undefined ? own : rewriteText(own, client.rewrite);
    if (client.prefixYields === true) return yieldPrefix(body, client.prefix, frame.alias, limit);

    const isPrefixed = !skipsPrefix(name, profile, frame.alias);
    const prefix = isPrefixed ? frame.prefix : "";
    const joined = prefix + body + frame.suffix;
    const length = isPrefixed ? frame.taken + body.length : joined.length;
    if (client.cut === undefined) return { text: joined, length };
    return { text: cutSentName({ name, alias, joined, prefix }, client.cut, limit), length };
  };
}

function skipsPrefix(name: string, profile: Profile, alias: string): boolean {
  return profile.client.skipsPrefixOn !== undefined && name.startsWith(alias);
}

function withoutAlias(name: string, alias: string): string {
  const repeated = `${alias}_`;
  const start = name.slice(0, repeated.length);
  const isRepeated = name.length > repeated.length && start.toLowerCase() === repeated.toLowerCase();
  return isRepeated ? name.slice(repeated.length) : name;
}

/** Shortens the prefix until the name fits. Omits it if not one letter of it is left. */
function yieldPrefix(body: string, template: string, alias: string, limit: number): SentName {
  const room = limit - body.length;
  const separators = fillTemplate(template, "", undefined).length;
  if (room <= separators) return { text: body, length: body.length };
  const text = fillTemplate(template, alias, room) + body;
  return { text, length: text.length };
}
