// Describes in one line what a gateway serves, after its servers had their first attempt.

import { countNoun } from "../cli/output/wording.js";
import type { Config } from "../config/config.js";
import { ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import type { Gateway } from "../gateway/create-gateway.js";
import type { GatewaySettings, ToolboxMode } from "../gateway/settings.js";
import { launchFingerprint } from "../model/launch.js";

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

// What a reloaded config changes: the number of servers, and whether anything else differs.

export interface InForce {
  readonly config: Config;
  readonly settings: Pick<GatewaySettings, "servers" | "mode" | "toolboxes">;
}

interface Changes {
  /** `+1 server, −1, 1 changed, 2 unchanged` */
  readonly text: string;
  readonly facts: Readonly<Record<"added" | "removed" | "changed" | "unchanged", number>>;
}

export function describeChanges(before: InForce, after: InForce): Changes {
  const [old, next] = [serversOf(before), serversOf(after)];
  const kept = [...next].filter(([key]) => old.has(key));
  const changed = kept.filter(([key, text]) => old.get(key) !== text).length;
  const facts = {
    added: next.size - kept.length,
    removed: old.size - kept.length,
    changed,
    unchanged: kept.length - changed,
  };
  const isOther = settingsOf(before.config) !== settingsOf(after.config);
  return { text: formatChanges(facts, isOther), facts };
}

function formatChanges({ added, removed, changed, unchanged }: Changes["facts"], isOther: boolean): string {
  if (added + removed + changed === 0)
    return isOther
      ? `other settings changed, ${unchanged === 1 ? "1 server" : `all ${unchanged} servers`} unchanged`
      : "nothing changed";
  const parts = [
    added > 0 ? `+${countNoun(added, "server")}` : "",
    removed > 0 ? `−${added > 0 ? removed : countNoun(removed, "server")}` : "",
    changed > 0 ? `${added + removed > 0 ? changed : countNoun(changed, "server")} changed` : "",
    unchanged > 0 ? `${unchanged} unchanged` : "",
    isOther ? "other settings changed" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** By identity: everything that defines a server. */
function serversOf({ config, settings }: InForce): ReadonlyMap<string, string> {
  const launches = new Map(
    settings.servers.map(({ source, launch }) => [ownerKey(source), launchFingerprint(launch)]),
  );
  return new Map(
    config.servers.map(({ source, entry }) => {
      const key = ownerKey(source);
      return [key, plainText([source, entry, launches.get(key) ?? null])];
    }),
  );
}

function settingsOf({ servers: _, notes: __, file: ___, folder: ____, ...rest }: Config): string {
  return plainText(rest);
}

/** The same text for the same content, independent of key order. */
function plainText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Map || inner instanceof Set) return [...inner];
    if (inner instanceof RegExp) return String(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
