// The lookup key of a catalog tool: an encoded tuple, so that no two identities ever share a text (ID-1, SAFE-1).

declare const toolKey: unique symbol;

/** Injective encoding of (toolbox, server id, raw name). Equality of keys is identity of tools. */
export type ToolKey = string & { readonly [toolKey]: true };

/**
 * @example
 * toolKeyOf({ server: "docs", raw: "search" }); // '["namespaced","docs","search"]'
 */
export function toolKeyOf(parts: {
  readonly server: string;
  readonly raw: string;
  readonly toolbox?: string | undefined;
}): ToolKey {
  return toolKeysOf(parts)(parts.raw);
}

/** The keys of one server's tools; what they share is encoded once. */
export function toolKeysOf(owner: Owner): (raw: string) => ToolKey {
  const { server, toolbox } = owner;
  const tuple = toolbox === undefined ? ["namespaced", server] : ["toolbox", toolbox, server];
  const start = `${JSON.stringify(tuple).slice(0, -1)},`;
  return (raw) => `${start}${JSON.stringify(raw)}]` as ToolKey;
}

/** The key whose tuple was read from JSON; nothing where it is not a tuple that a key has. */
export function readToolKey(json: unknown): ToolKey | undefined {
  if (!Array.isArray(json) || !json.every((part) => typeof part === "string")) return undefined;
  const [kind, first, second, third] = json as readonly (string | undefined)[];
  if (first === undefined || second === undefined) return undefined;
  if (kind === "namespaced" && json.length === 3) return toolKeyOf({ server: first, raw: second });
  if (kind !== "toolbox" || third === undefined || json.length !== 4) return undefined;
  return toolKeyOf({ toolbox: first, server: second, raw: third });
}

/** What a key encodes. */
export function partsOfKey(key: ToolKey): Owner & { readonly raw: string } {
  const [kind, ...parts] = JSON.parse(key) as readonly string[];
  const [raw = "", server = "", toolbox] = parts.reverse();
  return kind === "toolbox" ? { toolbox, server, raw } : { server, raw };
}

/** The toolbox that a key begins with, read without decoding the rest: toolbox ids hold nothing that is escaped (BOX-4). */
export function toolboxOfKey(key: ToolKey): string | undefined {
  return /^\["toolbox","([A-Za-z0-9_-]+)",/.exec(key)?.[1];
}

/** A downstream by the two parts that make it up. */
export interface Owner {
  readonly server: string;
  readonly toolbox?: string | undefined;
}

/** Whether a key belongs to a tool of one of these downstreams, whether or not the tool is known. */
export function createOwnerCheck(owners: readonly Owner[]): (key: ToolKey) => boolean {
  if (owners.length === 0) return () => false;
  const known = new Set(owners.map((owner) => ownerTextOf(toolKeyOf({ ...owner, raw: "" }))));
  return (key) => known.has(ownerTextOf(key));
}

/** The encoded tuple without its last part, the raw name: one text for all tools of a downstream. */
export function ownerTextOf(key: ToolKey): string {
  // In an encoded text there is a backslash before every quote, so this stands between parts and nowhere else.
  return key.slice(0, key.lastIndexOf('","'));
}
