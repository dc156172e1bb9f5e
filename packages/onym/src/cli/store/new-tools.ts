// Tools that are new as the store knows them, with names for people: what `onym approvals` lists, what
// `onym policy admit` admits, and what `onym policy test` and `onym explain` tell.

import type { Owner, Resolution, Tool, ToolKey } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { writtenLaunches } from "../../config/launches/load-launches.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import { launchFingerprint } from "../../model/launch.js";
import type { SeenTool, Store } from "../../store/store.js";
import { givenNamesIn } from "../names/lock/given-names.js";
import { type KeyedTool, partsOf } from "./name-keys.js";

export interface NewTool extends KeyedTool {
  readonly key: ToolKey;
  readonly launch: string;
  readonly seenAt: number;
}

export interface NewTools {
  /** Of servers that the config has, oldest first. */
  readonly list: readonly NewTool[];
  /** Those that a text names in any spelling, or by its raw name. */
  readonly named: (text: string) => readonly NewTool[];
  /** `undefined` for a tool whose server was never seen: what that lists first is known. */
  readonly isNew: (tool: Tool) => boolean | undefined;
}

/** `undefined` where the config holds nothing back. */
export async function loadNewTools(
  config: Config,
  store: Store,
  { env, today }: { readonly env: Environment; readonly today: string },
): Promise<NewTools | undefined> {
  if (config.policy.newTools === "allow") return undefined;
  const stored = await store.known.load();
  const isCurrent = createCurrency(config, stored.tools, env);
  const rows = stored.tools.filter(isCurrent);
  const isOurs = (key: ToolKey): boolean => config.servers.some(({ source }) => isOf(key, source));
  const later = rows.filter(({ tool, state }) => state === "new" && isOurs(tool));
  const snapshot = snapshotOf(withTools(config, later), { lock: await givenNamesIn(store, config), today });
  /** By a declared rename it is a tool that was known (LOCK-5). */
  const wasKnown = (key: ToolKey): boolean => {
    const tool = snapshot.catalog.toolWithKey(key);
    const former = tool === undefined ? [] : snapshot.lineageOf(tool).former.map((each) => each.key);
    return rows.some(({ tool: seen, state }) => state === "known" && former.includes(seen));
  };
  const fresh = later.filter(({ tool }) => !wasKnown(tool));
  const list = fresh
    .map(({ tool: key, launch, seenAt }) => {
      const canonical = snapshot.catalog.toolWithKey(key)?.canonical;
      return { key, launch, seenAt, canonical, ...partsOf(key) };
    })
    .sort((a, b) => a.seenAt - b.seenAt);
  return {
    list,
    named(text) {
      const keys = keysOf(snapshot.resolve(text));
      const meant = list.filter(({ key }) => keys.includes(key));
      return meant.length > 0 ? meant : list.filter(({ raw }) => raw === text);
    },
    isNew({ key, server, toolbox }) {
      const own = rows.filter(({ tool }) => tool === key);
      if (own.length > 0) return own.every(({ state }) => state === "new") && !wasKnown(key);
      const isSeen = stored.servers.some((each) => isSame(each, { server, toolbox }));
      return isSeen ? true : undefined;
    },
  };
}

/**
 * What was seen of a server while it was reached in another way than now is left out, where that can be told: the
 * gateway may run in another folder and with another environment than this command.
 */
function createCurrency(
  config: Config,
  tools: readonly SeenTool[],
  env: Environment,
): (seen: SeenTool) => boolean {
  const seen = new Set(tools.map(({ launch }) => launch));
  const current = [...launchesOf(config, env)].filter(([, launch]) => seen.has(launch));
  return ({ tool, launch }) => current.every(([{ source }, now]) => now === launch || !isOf(tool, source));
}

/** How each server is reached; nothing where some entry cannot be read. */
export function launchesOf(config: Config, env: Environment): ReadonlyMap<ConfigServer, string> {
  try {
    const launches = writtenLaunches(config, env);
    return new Map([...launches].map(([server, launch]) => [server, launchFingerprint(launch)]));
  } catch {
    return new Map();
  }
}

/** The config as if its servers listed these tools, so that they have names. */
function withTools(config: Config, fresh: readonly SeenTool[]): Config {
  const servers = config.servers.map((server) => {
    const own = fresh.filter(({ tool }) => isOf(tool, server.source));
    const raws = new Set(own.map(({ tool }) => partsOf(tool).raw));
    for (const tool of server.source.tools) raws.delete(typeof tool === "string" ? tool : tool.name);
    if (raws.size === 0) return server;
    const source = { ...server.source, tools: [...server.source.tools, ...raws] };
    return { ...server, isStatic: true, source };
  });
  return { ...config, servers };
}

function isOf(key: ToolKey, owner: Owner): boolean {
  return isSame(partsOf(key), owner);
}

function isSame(one: Owner, other: Owner): boolean {
  return one.server === other.server && one.toolbox === other.toolbox;
}

function keysOf(resolution: Resolution): readonly ToolKey[] {
  if (resolution.outcome === "resolved") return [resolution.tool.key];
  return resolution.outcome === "ambiguous" ? resolution.candidates.map(({ key }) => key) : [];
}
