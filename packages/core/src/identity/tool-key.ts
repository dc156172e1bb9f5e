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
  const tuple =
    parts.toolbox === undefined
      ? ["namespaced", parts.server, parts.raw]
      : ["toolbox", parts.toolbox, parts.server, parts.raw];
  return JSON.stringify(tuple) as ToolKey;
}
