// A namespace for each server: legal, unique, and never the name of a tool in it, which would mean something else (ID-2).

import type { Tool } from "../../catalog/tool.js";
import { SHORT_DIGEST_LENGTH, shortDigest } from "../../identity/short-digest.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { quoteText } from "../../names/escape-text.js";
import { findProfile } from "../../profiles/find-profile.js";
import { proposeName } from "../../profiles/propose-name.js";
import type { BeltTool } from "../tool-belt.js";

interface ServerNamespace {
  readonly name: string;
  readonly description: string;
}

export type NamespaceOf = (tool: Tool) => ServerNamespace | undefined;

interface Owner {
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly tools: Set<string>;
}

const PROFILE = "openai-responses-namespace";
const LONGEST = 64;
/** Room for `_`, a digest, `_` and a number. */
const ENDING = SHORT_DIGEST_LENGTH + 5;

/**
 * A server id that is legal is its own namespace. Any other gets a digest of who it is, so that a namespace depends on
 * its server alone and stays when another joins.
 */
export function buildNamespaces(tools: readonly BeltTool[]): NamespaceOf {
  const owners = new Map<ToolKey, Owner>();
  for (const { name, tool } of tools) {
    const { server, toolbox } = tool;
    const owner = owners.get(ownerKey(tool)) ?? { server, toolbox, tools: new Set() };
    owner.tools.add(name);
    owners.set(ownerKey(tool), owner);
  }
  const named = new Map<ToolKey, ServerNamespace>();
  const taken = new Set<string>();
  const give = (key: ToolKey, owner: Owner, name: string): void => {
    taken.add(name);
    named.set(key, { name, description: `Tools of ${quoteText(owner.server)}.` });
  };
  // Whoever is called by their own name comes first, whatever the order.
  for (const [key, owner] of owners) {
    const wish = wishOf(owner);
    if (legalName(wish) === wish && !owner.tools.has(wish) && !taken.has(wish)) give(key, owner, wish);
  }
  for (const [key, owner] of owners) {
    if (!named.has(key)) give(key, owner, digestedName(owner, taken));
  }
  return (tool) => named.get(ownerKey(tool));
}

function digestedName(owner: Owner, taken: ReadonlySet<string>): string {
  const digest = shortDigest([owner.toolbox ?? "", owner.server]);
  const stem = `${legalName(wishOf(owner)).slice(0, LONGEST - ENDING)}_${digest}`;
  let name = stem;
  for (let number = 2; taken.has(name) || owner.tools.has(name); number++) name = `${stem}_${number}`;
  return name;
}

function wishOf({ server, toolbox }: Owner): string {
  return toolbox === undefined ? server : `${toolbox}__${server}`;
}

function legalName(wish: string): string {
  const profile = findProfile(PROFILE);
  return (profile && proposeName(wish, profile, "")) ?? "tools";
}

function ownerKey({ server, toolbox }: Tool): ToolKey {
  return toolKeyOf({ server, toolbox, raw: "" });
}
