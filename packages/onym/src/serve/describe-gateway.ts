// What a gateway says on the screen and in the log of what it serves: in one line, after its servers had their first attempt;
// what a reloaded config changed; and each server as it comes up or goes down.

import type { Config } from "../config/config.js";
import type { Downstream, Unhealthy } from "../downstream/downstream.js";
import { momentOf } from "../downstream/explain-down.js";
import { toolNamesOf } from "../downstream/inventory/inventory.js";
import { ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import type { Gateway } from "../gateway/create-gateway.js";
import type { GatewaySettings, ToolboxMode } from "../gateway/settings.js";
import { formatWalls, launchFingerprint } from "../model/launch.js";
import { OnymError } from "../model/onym-error.js";
import type { Terminal } from "../output/terminal.js";
import { countNoun, serverLabel } from "../output/wording.js";
import { wrapText } from "../output/wrap-text.js";

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
  /** Why the file as it is now is not in force, for people; absent where it is. */
  readonly rejection?: string;
}

export function describeRejection(error: unknown): string {
  return error instanceof OnymError ? `${error.message} ${error.hint}` : "Internal error.";
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
    settings.servers.map(({ source, launch }) => [
      ownerKey(source),
      `${launchFingerprint(launch)} ${formatWalls(launch)}`,
    ]),
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

// Progress while servers start: one line per server when it comes up or goes down.

/** The width of the word before the name. */
const INDENT = " ".repeat(9);

type Screen = Pick<Terminal, "err" | "paintErr" | "errColumns">;

/**
 * Reports each change of state once: a server that is down is reported again only with a different reason.
 * @param what `trouble`: reports a server that came up only if it was down before.
 */
export function createServerProgress(
  screen: Screen,
  what: "all" | "trouble" = "all",
): (downstream: Downstream) => void {
  const shown = new WeakMap<Downstream, string>();
  return (downstream) => {
    const text = describeServer(downstream, screen);
    if (text === undefined || shown.get(downstream) === text) return;
    const { status } = downstream;
    const isTrouble = status.kind === "failed" || (status.kind === "ready" && status.unhealthy !== undefined);
    const isNews = isTrouble || what === "all" || shown.has(downstream);
    shown.set(downstream, text);
    if (isNews) screen.err(`${text}\n`);
  };
}

/** Constant while it lasts, so that it is reported once. */
function explainUnhealthy({ since }: Unhealthy): string {
  return `its requests fail since ${momentOf(since)}; calls are refused until one succeeds`;
}

function describeServer(
  { id, status, inventory, launch }: Downstream,
  { paintErr, errColumns: columns }: Screen,
): string | undefined {
  const name = serverLabel(id);
  switch (status.kind) {
    case "ready": {
      if (status.unhealthy !== undefined)
        return `  ${paintErr("red", "unhealthy")}  ${name}  ${explainUnhealthy(status.unhealthy)}`;
      const what =
        launch.kind === "static" ? "from the config" : countNoun(toolNamesOf(inventory).length, "tool");
      return `  ${paintErr("green", "ready")}  ${name}  ${paintErr("dim", what)}`;
    }
    case "failed": {
      const [first = "", ...more] = wrapText(`${name}  ${status.reason}`, { columns, indent: INDENT });
      const hint = wrapText(status.hint, { columns, indent: INDENT });
      const head = `  ${paintErr("red", "down")}   ${first.slice(INDENT.length)}`;
      return [head, ...more, ...hint.map((line) => paintErr("dim", line))].join("\n");
    }
    default:
      return undefined;
  }
}
