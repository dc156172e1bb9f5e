// The key of a catalog tool: the JSON of a tuple, so that no two identities share a text (ID-1, SAFE-1). Only this
// file encodes and decodes keys. Because keys are JSON, files can store them unchanged.

declare const toolKey: unique symbol;

/** Injective encoding of (toolbox, server id, raw name). Equal keys mean the same tool. */
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

/** The keys of one server's tools. Encodes the shared parts once. */
export function toolKeysOf(owner: Owner): (raw: string) => ToolKey {
  const { server, toolbox } = owner;
  const tuple = toolbox === undefined ? ["namespaced", server] : ["toolbox", toolbox, server];
  const start = `${JSON.stringify(tuple).slice(0, -1)},`;
  return (raw) => `${start}${JSON.stringify(raw)}]` as ToolKey;
}

/** The key for a tuple that was read from JSON; `undefined` if the tuple is not valid. */
export function readToolKey(json: unknown): ToolKey | undefined {
  if (!Array.isArray(json) || !json.every((part) => typeof part === "string")) return undefined;
  const [kind, first, second, third] = json as readonly (string | undefined)[];
  if (first === undefined || second === undefined) return undefined;
  if (kind === "namespaced" && json.length === 3) return toolKeyOf({ server: first, raw: second });
  if (kind !== "toolbox" || third === undefined || json.length !== 4) return undefined;
  return toolKeyOf({ toolbox: first, server: second, raw: third });
}

/**
 * The parts of a key; `undefined` for a text that is not a key, for example a store that was edited by hand.
 *
 * @example
 * parseToolKey('["namespaced","docs","search"]'); // { server: "docs", raw: "search" }
 * parseToolKey("docs/search"); // undefined
 */
export function parseToolKey(text: string): (Owner & { readonly raw: string }) | undefined {
  try {
    const key = readToolKey(JSON.parse(text));
    return key === undefined ? undefined : partsOfKey(key);
  } catch {
    return undefined;
  }
}

/** The tuple of a key, for files that store it as JSON. */
export function tupleOfKey(key: ToolKey): readonly string[] {
  return JSON.parse(key);
}

/** The key of a tuple that `tupleOfKey` returned. */
export function keyOfTuple(tuple: readonly string[]): ToolKey {
  return JSON.stringify(tuple) as ToolKey;
}

/** The parts of a key. */
export function partsOfKey(key: ToolKey): Owner & { readonly raw: string } {
  const [kind, ...parts] = tupleOfKey(key);
  const [raw = "", server = "", toolbox] = parts.reverse();
  return kind === "toolbox" ? { toolbox, server, raw } : { server, raw };
}

/** The toolbox of a key, read without decoding the rest: toolbox ids contain nothing that JSON escapes (BOX-4). */
export function toolboxOfKey(key: ToolKey): string | undefined {
  return /^\["toolbox","([A-Za-z0-9_-]+)",/.exec(key)?.[1];
}

/** A downstream server, identified by toolbox and server id. */
export interface Owner {
  readonly server: string;
  readonly toolbox?: string | undefined;
}

/** Whether a key belongs to a tool of one of these servers, even if the tool is not known. */
export function createOwnerCheck(owners: readonly Owner[]): (key: ToolKey) => boolean {
  if (owners.length === 0) return () => false;
  const known = new Set(owners.map((owner) => ownerTextOf(toolKeyOf({ ...owner, raw: "" }))));
  return (key) => known.has(ownerTextOf(key));
}

/**
 * The encoded tuple without its last part, the raw name: the same text for all tools of a server.
 *
 * @example
 * ownerTextOf(toolKeyOf({ server: "docs", raw: "search" })); // '["namespaced","docs'
 */
export function ownerTextOf(key: ToolKey): string {
  // JSON escapes quotes inside parts, so this sequence occurs only between parts.
  return key.slice(0, key.lastIndexOf('","'));
}
