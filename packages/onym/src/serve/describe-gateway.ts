// What a gateway serves, in one line, once its servers have had their first attempt.

import { countNoun } from "../cli/output/count-noun.js";
import { ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import type { Gateway } from "../gateway/create-gateway.js";
import type { ToolboxMode } from "../gateway/settings.js";

/** @example describeGateway(gateway, settings).text; // "9 tools of 3 servers, 1 down" */
export function describeGateway(
  gateway: Pick<Gateway, "snapshot" | "downstreams">,
  { mode, toolboxes }: { readonly mode: ToolboxMode; readonly toolboxes: readonly unknown[] },
): { readonly text: string; readonly facts: Readonly<Record<string, number>> } {
  const downstreams = gateway.downstreams();
  const open = new Set(downstreams.map(({ id }) => ownerKey(id)));
  const tools = gateway.snapshot().tools.catalog.tools.filter((tool) => open.has(ownerKey(tool))).length;
  const down = downstreams.filter(({ status }) => status.kind === "failed").length;
  const starting = downstreams.filter(({ status }) => status.kind === "starting").length;
  const closed = mode === "static" ? 0 : toolboxes.length;
  const ofServers = [
    `${countNoun(tools, "tool")} of ${countNoun(downstreams.length, "server")}`,
    ...(down > 0 ? [`${down} down`] : []),
    ...(starting > 0 ? [`${starting} still starting`] : []),
  ].join(", ");
  const parts = [
    ...(downstreams.length > 0 ? [ofServers] : []),
    ...(closed > 0 ? [`${countNoun(closed, "toolbox", "toolboxes")}, opened on demand`] : []),
  ];
  return {
    text: parts.length === 0 ? "no servers in the config yet" : parts.join("; "),
    facts: { tools, servers: downstreams.length, down, starting, toolboxes: toolboxes.length },
  };
}
