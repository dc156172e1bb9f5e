// Names that a client, or a model behind it, makes from a table's names and sends back (RES-1, step `spelling`).

import { compareTools } from "../../catalog/build-catalog.js";
import { eachInSteps, type Steps } from "../../names/steps.js";
import type { NamingTable } from "../../naming/build-naming-table.js";
import { clientFrame } from "../../profiles/sent/name-budget.js";
import { createSending } from "../../profiles/sent/sent-name.js";
import { addClaim, type Claim, type Claims, lookUp, unite } from "./claims.js";

/**
 * Every tool whose name the client sends as exactly this text. Most names only get a prefix and suffix and need no
 * entry.
 */
export function* sentFormSteps({
  tools,
  profile,
  as,
  toolNamed,
}: NamingTable): Steps<(text: string) => Claim | undefined> {
  const send = createSending(profile, as);
  const { prefix, suffix } = clientFrame(profile, as);
  const starts = [`mcp__${as}__`, `mcp_${as}_`];
  /** Names that are not simply prefix, name and suffix. */
  const rewritten: Claims = new Map();
  yield* eachInSteps(tools, ({ name, tool }) => {
    const { text } = send(name);
    // A name that is sent unchanged was already found in the table.
    if (text !== name && text !== prefix + name + suffix) addClaim(rewritten, text, tool);
  });
  return (text) => {
    let claim: Claim | undefined = lookUp(rewritten, text);
    for (const start of starts)
      if (text.startsWith(start)) claim = unite(claim, toolNamed(text.slice(start.length)), compareTools);
    const name = text.slice(prefix.length, text.length - suffix.length);
    const tool = toolNamed(name);
    return tool !== undefined && send(name).text === text ? unite(claim, tool, compareTools) : claim;
  };
}

/** The same for one name. */
export function sentFormsOf(name: string, { profile, as }: NamingTable): readonly string[] {
  return [createSending(profile, as)(name).text, `mcp__${as}__${name}`, `mcp_${as}_${name}`];
}
