// Servers asked for what they offer: started or connected to, all at once, listed, and closed again.

import type { Config, ConfigServer } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { leadsBack } from "../../config/launches/leads-back.js";
import { loadLaunches } from "../../config/launches/load-launches.js";
import { type CredentialSource, createCredentialSource } from "../../configured/credential-source.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import { createDownstream } from "../../downstream/create-downstream.js";
import type { Downstream, DownstreamEvents, Inventory } from "../../downstream/downstream.js";
import { errorReply, resultReply } from "../../mcp/message.js";
import { CODES, type Era } from "../../mcp/protocol.js";
import { formatDuration } from "../../model/clock.js";
import type { Launch } from "../../model/launch.js";
import { type Log, silentLog } from "../../model/log.js";
import { sayWaiting } from "../../output/say-waiting.js";
import type { Terminal } from "../../output/terminal.js";
import { countNoun, serverLabel } from "../../output/wording.js";
import type { LiveOptions } from "./open-live.js";

export interface LiveServer {
  readonly server: ConfigServer;
  readonly launch: Launch;
  /** How long it took to come up or to fail. */
  readonly ms: number;
  readonly state: LiveState;
}

type LiveState =
  | {
      readonly kind: "ready";
      readonly revision: string;
      readonly eras: readonly Era[];
      readonly inventory: Inventory;
    }
  /** Both are for people: escaped, one line, no secrets. */
  | { readonly kind: "failed"; readonly reason: string; readonly hint: string };

export interface LiveServersOptions {
  readonly env: Environment;
  /** Of Onym, for the handshake. */
  readonly version: string;
  readonly log?: Log;
  /** Told of each server as it comes up or fails. */
  readonly onAnswer?: (live: LiveServer) => void;
  /** Where to say which servers take long to answer. */
  readonly terminal?: Pick<Terminal, "isTTY" | "err" | "paintErr">;
}

/**
 * One attempt for each server that has a command or a url, bounded by `limits.startMs`. When this resolves every child
 * is gone; a signal ends them too, and then the program.
 *
 * @throws OnymError `config-invalid`; nothing was started then.
 */
export async function loadLiveServers(
  config: Config,
  options: LiveServersOptions,
): Promise<readonly LiveServer[]> {
  const launches = [...loadLaunches(config, options.env)].filter(([, { kind }]) => kind !== "static");
  const running = new Set<Downstream>();
  const credentials = createCredentialSource(config, options.env);
  const signals = closeOnSignal(async () => {
    endWaiting();
    await Promise.all([...running].map((downstream) => downstream.close()));
    await credentials.close();
  });
  const open = new Set(launches.map(([server]) => server));
  const waiting = {
    left: () => [...open].map(({ source }) => serverLabel(source)),
    mostMs: config.limits.startMs,
  };
  const endWaiting = options.terminal === undefined ? () => {} : sayWaiting(waiting, options.terminal);
  const ask = async ([server, launch]: readonly [ConfigServer, Launch]): Promise<LiveServer> => {
    const began = performance.now();
    const answered = (state: LiveState): LiveServer => {
      open.delete(server);
      const live = { server, launch, ms: Math.round(performance.now() - began), state };
      if (!signals.isStopping()) options.onAnswer?.(live);
      return live;
    };
    if (leadsBack(server, launch, config)) return answered(LOOP);
    const downstream = downstreamOf(server, launch, config, options, credentials);
    running.add(downstream);
    downstream.start();
    await downstream.firstAttempt;
    const live = answered(stateOf(downstream));
    await downstream.close();
    return live;
  };
  const lives = await Promise.all(launches.map(ask));
  endWaiting();
  // The program is about to end; a report of what was cut short helps nobody.
  if (signals.isStopping()) return new Promise(() => {});
  await credentials.close();
  signals.release();
  return lives;
}

const LOOP: LiveState = {
  kind: "failed",
  reason: "it is Onym itself with this config, which would start itself again and again",
  hint: "Take it out of this config: it belongs into those of clients.",
};

function downstreamOf(
  { source }: ConfigServer,
  launch: Launch,
  { limits }: Config,
  { version, log = silentLog }: LiveServersOptions,
  credentials: CredentialSource,
): Downstream {
  const id = { server: source.server, toolbox: source.toolbox };
  return createDownstream({
    id,
    launch,
    credentials: credentials.credentialsFor(id, launch),
    limits,
    events: EVENTS,
    log,
    clientInfo: { name: "onym", title: "Onym", version },
  });
}

/** There is no client behind this. */
const EVENTS: DownstreamEvents = {
  onStatus: () => {},
  onInventory: () => {},
  onNotification: () => {},
  onServerRequest: async (_, { method }) =>
    method === "roots/list"
      ? resultReply({ roots: [] })
      : errorReply(CODES.methodNotFound, `${method} cannot be answered: no client is connected.`),
};

function stateOf({ status, inventory, eraFor }: Downstream): LiveState {
  if (status.kind === "ready" && inventory !== undefined) {
    const eras = new Set([eraFor("legacy"), eraFor("modern")]);
    return { kind: "ready", revision: status.revision, eras: [...eras], inventory };
  }
  if (status.kind === "failed") return { kind: "failed", reason: status.reason, hint: status.hint };
  return { kind: "failed", reason: "it was closed", hint: "Try again." };
}

// Servers started or connected to for one command, with progress on stderr.

export interface AskServersOptions extends Pick<LiveOptions, "quiet" | "version"> {
  /** Some of those of the config. */
  readonly servers: readonly ConfigServer[];
}

/** @throws OnymError for a config that cannot be used; nothing was started then (CFG-2). */
export async function askServers(
  config: Config,
  { servers, quiet, version }: AskServersOptions,
  terminal: Terminal,
): Promise<readonly LiveServer[]> {
  snapshotOf(config, { lock: undefined, today: terminal.today });
  return loadLiveServers(
    { ...config, servers },
    {
      env: terminal.env,
      version,
      terminal,
      ...(quiet === true ? {} : { onAnswer: createLiveProgress(terminal) }),
    },
  );
}

// Progress while servers are asked: one line for each on stderr, as it comes up or fails.

/** Why a server failed stands in the report. */
function createLiveProgress({
  err,
  paintErr,
}: Pick<Terminal, "err" | "paintErr">): (live: LiveServer) => void {
  return ({ server: { source }, state, ms }) => {
    const name = serverLabel(source);
    const took = paintErr("dim", formatDuration(ms));
    if (state.kind === "failed") err(`  ${paintErr("red", "down")}   ${name}  ${took}\n`);
    else
      err(
        `  ${paintErr("green", "ready")}  ${name}  ${countNoun(state.inventory.tools.length, "tool")}  ${took}\n`,
      );
  };
}

export { formatDuration };

// Ctrl+C while servers run: they are closed first, then the program ends by the signal it got.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SignalWatch {
  /** A signal came; nothing more should be printed. */
  readonly isStopping: () => boolean;
  readonly release: () => void;
}

/** A second signal ends the program at once; children that are still there are killed on the way out. */
export function closeOnSignal(close: () => Promise<unknown>): SignalWatch {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void close().finally(() => {
      release();
      process.kill(process.pid, signal);
    });
  };
  const release = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return { isStopping: () => stopping, release };
}
