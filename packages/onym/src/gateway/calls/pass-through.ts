// The one server that gets calls of names that no tool has (RES-3).

import { formatCanonicalName, type Resolution, type Tool, toolKeyOf } from "@onym/core";
import type { GatewayContext } from "../gateway-context.js";
import { contextOf } from "./sent-name.js";
import type { CallTarget, ToolCall } from "./tool-call.js";

/**
 * A name that no tool has, as a tool of the one server that gets such calls. It is decided and recorded as any. The name
 * of a tool that is denied, closed, down or filtered out is known, and is not passed on.
 */
export function findPassthrough(
  { outcome }: Resolution,
  { params, caller }: ToolCall,
  context: GatewayContext,
): CallTarget | undefined {
  const { name } = params;
  if (outcome !== "unknown" || typeof name !== "string") return undefined;
  const { passthrough, servers } = context.settings();
  if (passthrough === undefined) return undefined;
  const { server, toolbox } = passthrough;
  const isMeant = (one: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    one.server === server && one.toolbox === toolbox;
  if (servers.find(({ source }) => isMeant(source))?.admits(name) !== true) return undefined;
  const view = context.view();
  const { snapshot, known: knownOf } = view;
  const { profile, as } = caller;
  const isUnknown = [snapshot, knownOf()].every(
    (each) =>
      each.tools.resolverFor(profile, as === undefined ? {} : { as })(name, contextOf(params, each))
        .outcome === "unknown",
  );
  const known = snapshot.tools.catalog.servers.find(isMeant);
  if (!isUnknown || known === undefined) return undefined;
  const { integration, version, label } = known;
  const parts = { toolbox, integration, integrationVersion: version, tool: name, toolVersion: 1 };
  const tool: Tool = {
    key: toolKeyOf({ server, toolbox, raw: name }),
    server,
    toolbox,
    raw: name,
    canonical: formatCanonicalName(parts),
    integration,
    integrationVersion: version,
    toolName: name,
    toolVersion: 1,
    label,
    definition: {},
  };
  return { tool, view };
}
