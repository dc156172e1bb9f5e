// What a running gateway tells the commands of its user: its servers and their states, and the tools they list.

import { controlMachine } from "../cli/catalog/control-machine.js";
import { configPath } from "../cli/output/show-path.js";
import type { Environment } from "../config/json/expand-variables.js";
import { type Control, openControl } from "../control/open-control.js";
import type { GatewayCatalog, GatewayStatus, GatewayTransport, ServerStatus } from "../control/protocol.js";
import type { Downstream, DownstreamStatus } from "../downstream/downstream.js";
import { isPresent, ownerKey } from "../gateway/catalog/gateway-snapshot.js";
import type { Gateway } from "../gateway/create-gateway.js";
import type { GatewaySettings } from "../gateway/settings.js";
import type { Log } from "../model/log.js";
import type { InForce } from "./describe-changes.js";

export interface ServeControlOptions {
  readonly gateway: Pick<Gateway, "snapshot" | "downstreams" | "settle">;
  readonly inForce: () => InForce;
  readonly transport: GatewayTransport;
  /** Where clients connect, once that is known. */
  readonly url: () => string | undefined;
  readonly since: (downstream: Downstream) => number | undefined;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly version: string;
  readonly env: Environment;
  readonly log: Log;
}

/** Of problems that are told; their number is told, too. */
const MAX_PROBLEMS = 100;

/** Never rejects: a gateway that commands cannot ask serves its clients all the same. */
export function openServeControl(options: ServeControlOptions): Promise<Control> {
  const { gateway, inForce, transport, startedAt, log } = options;
  return openControl({
    config: configPath(inForce().config),
    transport,
    startedAt,
    machine: controlMachine(options.env),
    answers: {
      status: async () => describeStatus(options, pairsOf(options)),
      async catalog(): Promise<GatewayCatalog> {
        // As a list does for a caller: what is starting may come up first.
        await gateway.settle(inForce().config.limits.listMs);
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

/** Since when downstreams are in the state they are in; told of every change. */
export function createStateClock(now: () => number): {
  readonly note: (downstream: Downstream) => void;
  readonly since: (downstream: Downstream) => number | undefined;
} {
  const noted = new WeakMap<Downstream, { readonly kind: string; readonly at: number }>();
  return {
    note(downstream) {
      const kind = stateOf(downstream.status);
      if (noted.get(downstream)?.kind !== kind) noted.set(downstream, { kind, at: now() });
    },
    since: (downstream) => noted.get(downstream)?.at,
  };
}

interface ServerPair {
  readonly server: GatewaySettings["servers"][number];
  readonly downstream: Downstream | undefined;
}

function pairsOf({ gateway, inForce }: ServeControlOptions): readonly ServerPair[] {
  const downstreams = new Map(gateway.downstreams().map((each) => [ownerKey(each.id), each]));
  return inForce().settings.servers.map((server) => ({
    server,
    downstream: downstreams.get(ownerKey(server.source)),
  }));
}

function describeStatus(input: ServeControlOptions, pairs: readonly ServerPair[]): GatewayStatus {
  const { gateway, version, transport, startedAt } = input;
  const { config, settings } = input.inForce();
  const { mode, toolboxes } = settings;
  const { problems } = gateway.snapshot().tools;
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

function describeServer(
  { server: { source }, downstream }: ServerPair,
  input: ServeControlOptions,
): ServerStatus {
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
    toolCount: launch.kind === "static" ? source.tools.length : (inventory?.tools.length ?? 0),
    ...troubleOf(status),
    ...(typeof version === "string" ? { serverVersion: version } : {}),
    listProblems: inventory?.problems ?? [],
  };
}

function stateOf(status: DownstreamStatus): ServerStatus["state"] {
  if (status.kind === "ready" && status.unhealthy !== undefined) return "unhealthy";
  return status.kind === "idle" ? "starting" : status.kind;
}

function troubleOf(status: DownstreamStatus): Pick<ServerStatus, "reason" | "hint"> {
  if (status.kind === "failed") return { reason: status.reason, hint: status.hint };
  if (status.kind !== "ready" || status.unhealthy === undefined) return {};
  const { failures, reason } = status.unhealthy;
  return {
    reason: `its last ${failures} requests failed, the last one with ${reason}`,
    hint: "Calls are refused until one that is let through succeeds.",
  };
}

/** Tools of the config are no news to who reads the config. */
function isListed(downstream: Downstream): boolean {
  return downstream.launch.kind !== "static" && isPresent(downstream);
}
