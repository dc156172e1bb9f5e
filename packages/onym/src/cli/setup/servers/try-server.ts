// One server of a config, started once: its tools, and what they will be called in the usual clients.

import type { NamedTool } from "@onym/core";
import { clientOf } from "../../../clients/find-client.js";
import type { Config, ConfigServer } from "../../../config/config.js";
import { snapshotOf } from "../../../configured/snapshot-of.js";
import type { Terminal } from "../../../output/terminal.js";
import { buildLiveConfig } from "../../catalog/live-config.js";
import { askServers } from "../../catalog/live-servers.js";
import { loadGivenNames } from "../../names/lock/given-names.js";

/** What most people use; each stands for the others that take the same names. */
const USUAL_CLIENTS = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini-cli",
  "opencode",
] as const;

export interface TriedTool {
  readonly raw: string;
  readonly canonical: string;
  /** By client. */
  readonly names: ReadonlyMap<string, string>;
}

export type TriedServer =
  | { readonly ok: true; readonly tools: readonly TriedTool[]; readonly problems: readonly string[] }
  /** Both are for people: escaped, without secrets. */
  | { readonly ok: false; readonly reason: string; readonly hint: string };

export async function tryServer(
  config: Config,
  server: ConfigServer,
  { version, terminal }: { readonly version: string; readonly terminal: Terminal },
): Promise<TriedServer> {
  const asked = server.isStatic
    ? []
    : await askServers(config, { servers: [server], version, quiet: true }, terminal);
  const [answer] = asked;
  if (answer !== undefined && answer.state.kind === "failed") {
    const { reason, hint } = answer.state;
    // The flag is one of the gateway and of doctor.
    return { ok: false, reason, hint: hint.replace(/; --verbose shows [^.]*/, "") };
  }
  const live = buildLiveConfig(config, asked);
  const { lock } = await loadGivenNames(live.config, terminal.cwd);
  const snapshot = snapshotOf(live.config, { lock, today: terminal.today });
  const tables = USUAL_CLIENTS.map((id) => [id, snapshot.namesFor(id).tools] as const);
  const isOwn = ({ tool }: NamedTool): boolean =>
    tool.server === server.source.server && tool.toolbox === server.source.toolbox;
  const byRaw = new Map<string, TriedTool & { readonly names: Map<string, string> }>();
  for (const [client, named] of tables)
    for (const { name, tool } of named.filter(isOwn)) {
      const one = byRaw.get(tool.raw) ?? { raw: tool.raw, canonical: tool.canonical, names: new Map() };
      byRaw.set(tool.raw, one);
      one.names.set(client, name);
    }
  const about = snapshot.problems.filter(({ servers }) => servers.includes(server.source.server));
  return {
    ok: true,
    tools: [...byRaw.values()],
    problems: [...live.problems, ...about].map(({ message, fix }) => `${message} ${fix}`),
  };
}

/** Clients that call every tool alike, the most of them first. */
export function groupClients(
  tools: readonly TriedTool[],
): readonly { readonly titles: readonly string[]; readonly client: string }[] {
  const groups = new Map<string, string[]>();
  for (const client of USUAL_CLIENTS) {
    const key = JSON.stringify(tools.map(({ names }) => names.get(client) ?? null));
    groups.set(key, [...(groups.get(key) ?? []), client]);
  }
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .map((clients) => ({
      titles: clients.map((id) => clientOf(id).title),
      client: clients[0] ?? "",
    }));
}
