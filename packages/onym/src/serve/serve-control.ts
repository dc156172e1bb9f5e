// What a running gateway reports to its user's commands: its servers with their states, and their tools.

import type { Lock } from "@onym/core";
import { configPath } from "../config/files/config-path.js";
import type { Environment } from "../config/json/expand-variables.js";
import { controlMachine } from "../configured/control-machine.js";
import { type Control, openControl } from "../control/open-control.js";
import type {
  GatewayActivity,
  GatewayCatalog,
  GatewayStatus,
  GatewayTransport,
  ServerStatus,
} from "../control/protocol.js";
import type { Downstream, DownstreamStatus } from "../downstream/downstream.js";
import { toolNamesOf } from "../downstream/inventory/inventory.js";
import { ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import { isPresent } from "../gateway/catalog/server-state.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { type CallTotals, clientName } from "../gateway/observe/observation.js";
import type { GatewaySettings } from "../gateway/settings.js";
import type { Log } from "../model/log.js";
import { OnymError } from "../model/onym-error.js";
import type { InForce } from "./describe-gateway.js";
import type { GuardSource } from "./parts/open-guard.js";

export interface ServeControlOptions {
  readonly gateway: Pick<Gateway, "snapshot" | "downstreams" | "waitForServers" | "operate">;
  readonly inForce: () => InForce;
  readonly transport: GatewayTransport;
  /** Where clients connect, once known. */
  readonly url: () => string | undefined;
  readonly since: (downstream: Downstream) => number | undefined;
  readonly restarts: (downstream: Downstream) => number;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly version: string;
  readonly activity: () => Promise<GatewayActivity>;
  /** Signs in the first browser that opens it; absent without a console. */
  readonly consoleLink: () => string | undefined;
  readonly env: Environment;
  readonly log: Log;
}

/** Maximum problems that are listed; their count is always reported. */
const MAX_PROBLEMS = 100;

/** Never rejects: without a control socket the gateway still serves its clients. */
export function openServeControl(options: ServeControlOptions): Promise<Control> {
  const { gateway, inForce, transport, startedAt, log } = options;
  const status = async () => ({ ...readStatus(options), activity: await options.activity() });
  return openControl({
    config: configPath(inForce().config),
    transport,
    startedAt,
    machine: controlMachine(options.env),
    answers: {
      status,
      async console() {
        const link = options.consoleLink();
        return link === undefined ? status() : { ...(await status()), console: link };
      },
      async decisions() {
        await gateway.operate.refreshDecisions();
        return status();
      },
      async catalog(): Promise<GatewayCatalog> {
        // As for a client's list: servers that are starting may come up first.
        await gateway.waitForServers(inForce().config.limits.listMs);
        const pairs = pairsOf(options);
        return {
          status: describeStatus(options, pairs),
          tools: pairs.map(({ downstream }) =>
            downstream !== undefined && isListed(downstream) ? (downstream.inventory?.tools ?? []) : [],
          ),
        };
      },
    },
    onTrouble: (reason) => log("info", `commands cannot ask this gateway: ${reason}`),
  });
}

/** Since when each server is in its current state. */
export interface StateClock {
  /** Call it on every change. */
  readonly note: (downstream: Downstream) => void;
  readonly since: (downstream: Downstream) => number | undefined;
  /** How many times it was ready again after being down. */
  readonly restarts: (downstream: Downstream) => number;
}

export function createStateClock(now: () => number): StateClock {
  const noted = new WeakMap<Downstream, { readonly kind: string; readonly at: number }>();
  /** By server: one that is restarted by an operator is another object. */
  const ups = new Map<string, number>();
  return {
    note(downstream) {
      const kind = stateOf(downstream.status);
      const before = noted.get(downstream)?.kind;
      if (before === kind) return;
      noted.set(downstream, { kind, at: now() });
      const key = ownerKey(downstream.id);
      if (kind === "ready" && before !== "unhealthy") ups.set(key, (ups.get(key) ?? 0) + 1);
    },
    since: (downstream) => noted.get(downstream)?.at,
    restarts: ({ id }) => Math.max(0, (ups.get(ownerKey(id)) ?? 0) - 1),
  };
}

interface ServerPair {
  readonly server: GatewaySettings["servers"][number];
  readonly downstream: Downstream | undefined;
}

function pairsOf({
  gateway,
  inForce,
}: Pick<ServeControlOptions, "gateway" | "inForce">): readonly ServerPair[] {
  const downstreams = new Map(gateway.downstreams().map((each) => [ownerKey(each.id), each]));
  return inForce().settings.servers.map((server) => ({
    server,
    downstream: downstreams.get(ownerKey(server.source)),
  }));
}

type StatusInput = Omit<ServeControlOptions, "log" | "env" | "activity" | "consoleLink">;

export function readStatus(input: StatusInput): GatewayStatus {
  return describeStatus(input, pairsOf(input));
}

function describeStatus(input: StatusInput, pairs: readonly ServerPair[]): GatewayStatus {
  const { gateway, version, transport, startedAt } = input;
  const { config, settings, rejection } = input.inForce();
  const { mode, toolboxes } = settings;
  const problems = [
    ...(rejection === undefined
      ? []
      : [{ code: "config-not-used", severity: "error", message: `The config is not used: ${rejection}` }]),
    ...gateway.snapshot().tools.problems,
  ];
  const open = new Set(gateway.downstreams().map(({ id }) => id.toolbox));
  const url = input.url();
  return {
    pid: process.pid,
    version,
    config: configPath(config),
    transport,
    ...(url === undefined ? {} : { url }),
    startedAt,
    mode,
    servers: pairs.map((pair) => describeServer(pair, input)),
    toolboxes: toolboxes.map(({ id }) => ({ id, isOpen: mode === "static" || open.has(id) })),
    problems: problems
      .slice(0, MAX_PROBLEMS)
      .map(({ code, severity, message }) => ({ code, severity, message })),
    problemCount: problems.length,
  };
}

function describeServer({ server: { source }, downstream }: ServerPair, input: StatusInput): ServerStatus {
  const { server, toolbox } = source;
  const about = { server, ...(toolbox === undefined ? {} : { toolbox }) };
  if (downstream === undefined)
    return {
      ...about,
      state: "closed",
      since: input.startedAt,
      isListed: false,
      toolCount: 0,
      listProblems: [],
    };
  const { status, inventory, launch } = downstream;
  const version = inventory?.serverInfo["version"];
  return {
    ...about,
    state: launch.kind === "static" ? "static" : stateOf(status),
    since: input.since(downstream) ?? input.startedAt,
    isListed: isListed(downstream),
    toolCount: launch.kind === "static" ? source.tools.length : toolNamesOf(inventory).length,
    restarts: input.restarts(downstream),
    ...troubleOf(status),
    ...(typeof version === "string" ? { serverVersion: version } : {}),
    listProblems: inventory?.problems ?? [],
  };
}

export function stateOf(status: DownstreamStatus): ServerStatus["state"] {
  if (status.kind === "ready" && status.unhealthy !== undefined) return "unhealthy";
  return status.kind === "idle" ? "starting" : status.kind;
}

function troubleOf(status: DownstreamStatus): Pick<ServerStatus, "reason" | "hint" | "needsSignIn"> {
  if (status.kind === "failed") {
    const { reason, hint, needsSignIn } = status;
    return needsSignIn === true ? { reason, hint, needsSignIn } : { reason, hint };
  }
  if (status.kind !== "ready" || status.unhealthy === undefined) return {};
  const { failures, reason } = status.unhealthy;
  return {
    reason: `its last ${failures} requests failed, the last one with ${reason}`,
    hint: "Calls are refused until one that is let through succeeds.",
  };
}

/** Tools of the config are not reported: the reader has the config. */
function isListed(downstream: Downstream): boolean {
  return downstream.launch.kind !== "static" && isPresent(downstream);
}

// The current activity of a gateway, for `onym status`: calls, clients, waiting work, and the state of its
// store and lock.

/** Maximum clients that are named. */
const MAX_CLIENTS = 100;

export async function readActivity(
  gateway: Pick<Gateway, "load" | "snapshot">,
  {
    guards,
    totals,
    lock,
  }: { readonly guards: GuardSource; readonly totals: CallTotals; readonly lock: () => Lock },
): Promise<GatewayActivity> {
  const { store } = guards;
  const [waiting, trouble] = await Promise.all([
    store?.approvals.countPending().catch(() => undefined),
    guards.trouble().catch((error: unknown) => error),
  ]);
  const { inFlight, sessions } = gateway.load();
  return {
    calls: totals.read(),
    inFlight,
    clients: sessions.slice(0, MAX_CLIENTS).map((session) => ({
      client: clientName(session),
      principal: session.principal,
      profile: session.profile.id,
      ...(session.channel.idleMs === undefined ? {} : { idleMs: session.channel.idleMs() }),
    })),
    ...(waiting === undefined ? {} : { approvalsWaiting: waiting }),
    recordsWaiting: guards.recordsWaiting(),
    store: {
      engine: store?.engine ?? "none",
      ...(trouble === undefined
        ? {}
        : { trouble: trouble instanceof OnymError ? trouble.message : "it cannot be used now" }),
    },
    lock: countNames(lock(), gateway),
  };
}

/** Counts the lock as it is now; the snapshot holds the one it was built with. */
function countNames(lock: Lock, { snapshot }: Pick<Gateway, "snapshot">): GatewayActivity["lock"] {
  const present = new Set<string>(snapshot().tools.catalog.tools.map(({ key }) => key));
  let [names, kept] = [0, 0];
  for (const profile of lock.profiles.values())
    for (const { key } of profile.names.values()) {
      names += 1;
      if (!present.has(key)) kept += 1;
    }
  return { names, kept };
}
