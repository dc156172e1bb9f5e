// The section `profiles`: rules of clients and providers that users write themselves, or a file with them (RULE-7).

import { PROFILE_WORDS } from "@onym/core/profiles";
import * as z from "zod/mini";
import { about } from "./about.js";

const text = z.string();
const texts = z.array(text);
const flag = z.boolean();
const LENGTH = "a whole number from 1 to 4096";
const length = z.int(LENGTH).check(z.gte(1, LENGTH), z.lte(4096, LENGTH));

/** One profile; with the id of a built-in one, what it says takes the place of what the row says. */
export const profileEntry = z.strictObject({
  title: about("What the client or provider is called.", text),
  kind: about("What it is (default client).", z.enum(PROFILE_WORDS.kind)),
  pattern: about("What names it accepts: ^[a-zA-Z0-9_-]{1,64}$.", text),
  emit: about("The pattern that names given out keep to, where it is narrower.", text),
  firstChar: about("What may come first, as a class: [a-zA-Z_].", text),
  minLength: about("Shortest name.", length),
  maxLength: about("Longest name.", length),
  safeMaxLength: about("Longest name that is safe in every setting.", length),
  prefix: about("What the client puts before each name; {server} is the alias: mcp__{server}__.", text),
  suffix: about("What the client puts after each name.", text),
  prefixMaxLength: about("Longest prefix that the client makes.", length),
  combinedMaxLength: about("Limit on prefix, name and suffix together.", length),
  safeCombinedMaxLength: about("The same, safe in every setting.", length),
  aliasRewrite: about(
    "How the client rewrites the alias (default verbatim).",
    z.enum(PROFILE_WORDS.aliasRewrite),
  ),
  rewrite: about("How the client rewrites names (default: not at all).", z.enum(PROFILE_WORDS.rewrite)),
  cut: about("What the client does with what is longer than cutAt.", z.enum(PROFILE_WORDS.cut)),
  cutAt: about("The length from which the client cuts.", length),
  sentPattern: about("What must hold for prefix, name and suffix together.", text),
  sentMaxLength: about("How long that may be.", length),
  maxTools: about("How many tools it takes.", length),
  listChanged: about("Whether it honours tools/list_changed.", flag),
  caseSensitive: about("false: names that differ only in case are one for it.", flag),
  equatesHyphens: about("Names that differ only in - and _ are one for it.", flag),
  countsOnly: about("The prefix counts towards the limit but is not sent.", flag),
  prefixYields: about("It shortens its own prefix, never the name.", flag),
  stripsOwnAlias: about("It drops the alias from the start of a name.", flag),
  prefixesMcpOnce: about(
    "It adds the mcp_ or mcp__ of its prefix only where the alias does not start with it.",
    flag,
  ),
  skipsPrefixOn: about(
    "It leaves the prefix out where the name starts with the alias.",
    z.enum(PROFILE_WORDS.skipsPrefixOn),
  ),
  reserved: about("Names of its own tools, which are never given out.", texts),
  alphabet: about("Every character of a name, where the pattern does not show it.", text),
  first: about("Every character that may come first.", text),
  forbidden: about("Texts that may stand nowhere in a name.", texts),
  partSeparator: about(
    "Stands between the parts of toolbox names, though the pattern takes it nowhere else.",
    z.enum(PROFILE_WORDS.partSeparator),
  ),
  clientInfoNames: about(
    "The names by which it is recognised in clientInfo; {server} at the end is the alias.",
    texts,
  ),
  userAgentHints: about("The products by which it is recognised in User-Agent.", texts),
  onViolation: about("What happens to names that break the rules, in words.", text),
  confidence: about("How this is known (default assumed).", z.enum(PROFILE_WORDS.confidence)),
  asOf: about("When it was last true, as a date.", text),
  version: about("The release that was run.", text),
  retired: about("The product is no longer offered.", flag),
  unrestricted: about("Nothing is restricted: canonical names are shown as they are.", flag),
});

z.globalRegistry.add(profileEntry, { id: "profile" });

/** By id. */
export const profileEntries = z.record(text, profileEntry);
