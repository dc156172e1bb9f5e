// Which names a client cannot distinguish, because it rewrites them or compares them loosely (RULE-5).

import type { Profile } from "../profile.js";
import { clientFrame } from "./name-budget.js";
import { createSending } from "./sent-name.js";

/**
 * Maps all names that the client confuses to the same text. `undefined` if it distinguishes all names, as most do.
 *
 * @example
 * confusedNames(claudeCode, "onym"); // undefined
 */
export function confusedNames(profile: Profile, alias: string): ((name: string) => string) | undefined {
  const fold = foldOf(profile);
  const strip = stripOf(profile, alias);
  return fold === undefined || strip === undefined ? (fold ?? strip) : (name) => fold(strip(name));
}

/** Characters that the client treats as equal to others. */
function foldOf({ client, rules, caseSensitive }: Profile): ((name: string) => string) | undefined {
  const equatesHyphens = client.equatesHyphens === true;
  // A name that is safe in every client must be safe in those that squeeze underscores, too.
  const squeezes = client.rewrite === "squeeze" || rules.partSeparator !== undefined;
  // Without upper case in the alphabet, the fitter writes lower case only.
  const foldsCase = !caseSensitive && rules.alphabet.includes("A");
  if (!equatesHyphens && !squeezes && !foldsCase) return undefined;
  return (name) => {
    const plain = equatesHyphens ? name.replaceAll("-", "_") : name;
    const single = squeezes && plain.includes("__") ? plain.replace(/_+/g, "_") : plain;
    return foldsCase ? single.toLowerCase() : single;
  };
}

/** The part that the client removes from the start of a name, or omits before it. */
function stripOf(profile: Profile, alias: string): ((name: string) => string) | undefined {
  const { skipsPrefixOn, stripsOwnAlias, prefixYields } = profile.client;
  if (prefixYields === true) {
    // A long name leaves less room for the prefix. Only the full simulation shows how much.
    const { prefix } = clientFrame(profile, alias);
    const room = profile.client.sentMaxLength - prefix.length;
    const send = createSending(profile, alias);
    return (name) => {
      // Comparing without the prefix, so that most names map to themselves.
      if (name.length <= room) return name;
      const { text } = send(name);
      return text.startsWith(prefix) ? text.slice(prefix.length) : `\0${text}`;
    };
  }
  // A name that is safe in every client must be safe in those that omit a repeated alias, too.
  const strips = stripsOwnAlias === true || profile.rules.partSeparator !== undefined;
  if (skipsPrefixOn === undefined && !strips) return undefined;
  // A name that already starts with the client's prefix is sent the same as one without it.
  const frame = clientFrame(profile, alias);
  const repeated = (strips ? `${frame.alias}_` : frame.prefix).toLowerCase();
  // LibreChat leaves a name that is nothing but its alias unchanged; the others check only the start.
  const least = strips ? repeated.length + 1 : repeated.length;
  return (name) => {
    if (name.length < least) return name;
    const start = name.slice(0, repeated.length);
    return (strips ? start.toLowerCase() : start) === repeated ? name.slice(repeated.length) : name;
  };
}
