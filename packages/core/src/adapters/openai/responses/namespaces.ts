// A namespace for each server: valid, unique, and never the name of a tool in it, which would mean a deferred tool
// (ID-2).

import type { Tool } from "../../../catalog/tool.js";
import { SHORT_DIGEST_LENGTH, shortDigest } from "../../../identity/short-digest.js";
import { type ToolKey, toolKeyOf } from "../../../identity/tool-key.js";
import { quoteText } from "../../../names/escape-text.js";
import { findProfile } from "../../../profiles/find-profile.js";
import { proposeName } from "../../../profiles/fit/propose-name.js";
import type { ToolReference } from "../../history.js";
import type { BeltTool, ToolBelt } from "../../tool-belt.js";

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
const MAX_LENGTH = 64;
/** Room for `_`, a digest, `_` and a number. */
const ENDING = SHORT_DIGEST_LENGTH + 5;

/**
 * A valid server id is its own namespace. Any other id gets a digest of the server's identity, so a namespace
 * depends only on its server and stays when another server is added.
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
  // Servers whose id is their namespace come first, in any input order.
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
  const stem = `${legalName(wishOf(owner)).slice(0, MAX_LENGTH - ENDING)}_${digest}`;
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

// The tool that a call or a search in a conversation names.

/**
 * A namespace distinguishes tools of the same name, so it takes precedence over the bare name: as the tool's
 * namespace here, or as a server's id in other providers' conversations. The synthetic namespace of a deferred tool
 * does not count (ID-7).
 */
export function referTo(
  name: string,
  namespace: unknown,
  context: {
    readonly belt: ToolBelt;
    readonly namespaceOf: NamespaceOf;
  },
): ToolReference {
  const { belt, namespaceOf } = context;
  const reference = belt.refer(name);
  if (typeof namespace !== "string" || namespace === "" || namespace === name) return reference;
  const qualified = belt.refer(`${namespace}/${name}`).key;
  if (qualified !== undefined) return { ...reference, key: qualified };
  const entry = belt.tools.find(({ tool }) => tool.key === reference.key);
  return entry !== undefined && namespaceOf(entry.tool)?.name === namespace
    ? reference
    : { ...reference, key: undefined };
}
