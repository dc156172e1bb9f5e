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
  const fold = foldOf(profile);
  const strip = stripOf(profile, alias);
  return fold === undefined || strip === undefined ? (fold ?? strip) : (name) => fold(strip(name));
}

/** Characters that the client takes for others. */
function foldOf({ client, rules, caseSensitive }: Profile): ((name: string) => string) | undefined {
  const equatesHyphens = client.equatesHyphens === true;
  // What is safe in every client is safe in those that squeeze, too.
  const squeezes = client.rewrite === "squeeze" || rules.partSeparator !== undefined;
  // The fitter writes lower case where no other is known.
  const foldsCase = !caseSensitive && rules.alphabet.includes("A");
  if (!equatesHyphens && !squeezes && !foldsCase) return undefined;
  return (name) => {
    const plain = equatesHyphens ? name.replaceAll("-", "_") : name;
    const single = squeezes && plain.includes("__") ? plain.replace(/_+/g, "_") : plain;
    return foldsCase ? single.toLowerCase() : single;
  };
}

/** What the client takes from a name's start, or leaves out before it. */
function stripOf(profile: Profile, alias: string): ((name: string) => string) | undefined {
  const { skipsPrefixOn, stripsOwnAlias, prefixYields } = profile.client;
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
  // What is safe in every client is safe in those that leave out what repeats the alias.
  const strips = stripsOwnAlias === true || profile.rules.partSeparator !== undefined;
  if (skipsPrefixOn === undefined && !strips) return undefined;
  // A name that already starts with what the client would put before it comes out the same as one that does not.
  const frame = clientFrame(profile, alias);
  const repeated = (strips ? `${frame.alias}_` : frame.prefix).toLowerCase();
  // LibreChat leaves a name alone that is nothing but its alias; the others look no further than the start.
  const least = strips ? repeated.length + 1 : repeated.length;
  return (name) => {
    if (name.length < least) return name;
    const start = name.slice(0, repeated.length);
    return (strips ? start.toLowerCase() : start) === repeated ? name.slice(repeated.length) : name;
  };
}
