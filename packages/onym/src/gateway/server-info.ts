// What the gateway says it is. Clients that build their prefix from `serverInfo` see the alias they know it by (NAME-9).

import { DEFAULT_ALIAS } from "@onym/core";
import type { JsonObject } from "../mcp/json.js";
import type { GatewayContext, ServerInfoFor } from "./gateway-context.js";

/** Aliases are few; those beyond are made anew. */
const MAX_KNOWN = 100;

/** The same object for the same alias, so that answers made with it can be kept. */
export function createServerInfo(version: string): ServerInfoFor {
  const known = new Map<string, JsonObject>();
  return (alias = DEFAULT_ALIAS) => {
    const before = known.get(alias);
    if (before !== undefined) return before;
    const info = { name: alias, title: alias === DEFAULT_ALIAS ? "Onym" : alias, version };
    if (known.size < MAX_KNOWN) known.set(alias, info);
    return info;
  };
}

/** The context for a caller that has registered the gateway under an alias. */
export function introduceAs(
  context: GatewayContext,
  { as }: { readonly as: string | undefined },
): GatewayContext {
  const serverInfo = context.serverInfoFor(as ?? context.settings().naming.as);
  if (serverInfo === context.serverInfo) return context;
  return { ...context, serverInfo, forward: { ...context.forward, serverInfo } };
}
