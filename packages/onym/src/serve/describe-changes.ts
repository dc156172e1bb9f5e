// What a config that was read again changes: servers by number, and whether anything else is different.

import { countNoun } from "../cli/output/count-noun.js";
import type { Config } from "../config/config.js";
import { ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import type { GatewaySettings } from "../gateway/settings.js";
import { launchFingerprint } from "../model/launch.js";

export interface InForce {
  readonly config: Config;
  readonly settings: Pick<GatewaySettings, "servers" | "mode" | "toolboxes">;
}

export interface Changes {
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

/** By identity: everything that makes a server what it is. */
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

/** The same text for the same content, in whatever order its keys stand. */
function plainText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Map || inner instanceof Set) return [...inner];
    if (inner instanceof RegExp) return String(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
