// Which names a client cannot tell apart, because it rewrites or compares them loosely (RULE-5).

import { clientFrame } from "./name-budget.js";
import type { Profile } from "./profile.js";
import { createSending } from "./sent-name.js";

/**
 * Gives one text to all names that the client confuses; `undefined` where it tells all names apart, as most do.
 *
 * @example
 * confusedNames(claudeCode, "onym"); // undefined
 */
export function confusedNames(profile: Profile, alias: string): ((name: string) => string) | undefined {
  const { skipsPrefixOn, stripsOwnAlias, equatesHyphens, prefixYields } = profile.client;
  if (equatesHyphens === true) return (name) => name.replaceAll("-", "_");
  if (prefixYields === true) {
    // A long name leaves less room for the prefix; how much, only the whole simulation tells.
    const { prefix } = clientFrame(profile, alias);
    const room = profile.client.sentMaxLength - prefix.length;
    const send = createSending(profile, alias);
    return (name) => {
      // The whole prefix is left out on both sides, so that most names stand for themselves.
      if (name.length <= room) return name;
      const { text } = send(name);
      return text.startsWith(prefix) ? text.slice(prefix.length) : `\0${text}`;
    };
  }
  if (skipsPrefixOn === undefined && stripsOwnAlias !== true) return undefined;
  // A name that already starts with what the client would put before it comes out the same as one that does not.
  const frame = clientFrame(profile, alias);
  const repeated = stripsOwnAlias === true ? `${frame.alias}_` : frame.prefix;
  // LibreChat leaves a name alone that is nothing but its alias; the others look no further than the start.
  const least = stripsOwnAlias === true ? repeated.length + 1 : repeated.length;
  return (name) => (name.length >= least && name.startsWith(repeated) ? name.slice(repeated.length) : name);
}
