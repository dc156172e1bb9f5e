// Servers: how each is, what it said last, what is missing; problems of the config, renames, and names that are kept for nobody.

import { renameWindow } from "@onym/core/resolve";
import type { ServerStatus } from "../../control/protocol.js";
import type { DownstreamId } from "../../downstream/downstream.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { UsageStore } from "../../store/store.js";
import type { RateSeries } from "../call-log.js";
import type { Answer, ConsoleContext, Viewer } from "../console-context.js";
import type { SignInState, SignIns } from "../sign-ins.js";
import { countsCall } from "./calls.js";
import { type LockReport, readLock } from "./lock.js";
import { toolsSteps } from "./names.js";

export interface ServersReport {
  readonly servers: readonly ShownServer[];
  readonly toolboxes: readonly { readonly id: string; readonly isOpen: boolean }[];
  readonly canOpen: boolean;
  readonly problems: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
  }[];
  readonly notes: readonly string[];
  readonly renames: readonly ShownRename[];
  readonly lock?: LockReport;
}

interface ShownServer extends ServerStatus {
  readonly launch: string;
  readonly latency?: Pick<RateSeries, "calls" | "errors" | "p50" | "p95">;
  readonly log: readonly string[];
  readonly signIn?: SignInState;
}

interface ShownRename {
  readonly from: string;
  readonly to: string;
  readonly policy: string;
  readonly ends?: string;
  readonly state: string;
  readonly users: readonly { readonly caller: string; readonly count: number; readonly lastAt: number }[];
}

export async function readServers(
  context: ConsoleContext,
  viewer: Viewer,
  { signIns, signal }: { readonly signIns: Pick<SignIns, "of">; readonly signal: AbortSignal },
): Promise<ServersReport> {
  const status = context.status();
  return {
    servers: await runInSlices(serverSteps(context, viewer, signIns), { signal }),
    toolboxes: viewer.isOperator ? status.toolboxes : [],
    canOpen: status.mode !== "static",
    problems: viewer.isOperator ? status.problems : [],
    notes: viewer.isOperator ? context.config().notes : [],
    renames: viewer.isOperator ? await readRenames(context, signal) : [],
    ...(viewer.isOperator ? { lock: await readLock(context) } : {}),
  };
}

function* serverSteps(
  context: ConsoleContext,
  viewer: Viewer,
  signIns: Pick<SignIns, "of">,
): Steps<readonly ShownServer[]> {
  const { gateway, tail, calls } = context;
  const totals = new Map(calls.totals(countsCall(viewer)).map((each) => [each.name, each]));
  const launches = new Map(gateway.downstreams().map(({ id, launch }) => [ownerOf(id), launch.kind]));
  const shown: ShownServer[] = [];
  for (const server of yield* hiddenSteps(serversFor(context, viewer), context, viewer)) {
    yield;
    const { name: _, ...latency } = totals.get(server.server) ?? {};
    const id = { server: server.server, toolbox: server.toolbox };
    const signIn = viewer.isOperator && server.needsSignIn === true ? signIns.of(id) : undefined;
    shown.push({
      ...server,
      launch: launches.get(ownerOf(server)) ?? "",
      ...("calls" in latency ? { latency } : {}),
      log: viewer.isOperator ? tail.about(id) : [],
      ...(signIn === undefined ? {} : { signIn }),
    });
  }
  return shown;
}

/** Those that the viewer may reach. */
export function serversFor(
  { gateway, status }: Pick<ConsoleContext, "gateway" | "status">,
  viewer: Viewer,
): readonly ServerStatus[] {
  return status().servers.filter(
    ({ server, toolbox }) => viewer.isOperator || gateway.reaches(viewer, { server, toolbox }),
  );
}

/** To a caller, a tool that policy hides does not exist: it is neither counted nor named. */
function* hiddenSteps(
  servers: readonly ServerStatus[],
  context: ConsoleContext,
  viewer: Viewer,
): Steps<readonly ServerStatus[]> {
  if (viewer.isOperator) return servers;
  const counts = new Map<string, number>();
  for (const tool of yield* toolsSteps(context, viewer))
    counts.set(ownerOf(tool), (counts.get(ownerOf(tool)) ?? 0) + 1);
  return servers.map((server) => ({
    ...server,
    toolCount: counts.get(ownerOf(server)) ?? 0,
    listProblems: [],
  }));
}

function ownerOf({
  server,
  toolbox = "",
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): string {
  return `${toolbox}\u0000${server}`;
}

async function readRenames(context: ConsoleContext, signal: AbortSignal): Promise<readonly ShownRename[]> {
  const used = (await context.store?.usage.list().catch(() => [])) ?? [];
  return runInSlices(renameSteps(context, used), { signal });
}

function* renameSteps(
  { config, now, gateway }: ConsoleContext,
  used: Awaited<ReturnType<UsageStore["list"]>>,
): Steps<readonly ShownRename[]> {
  const today = new Date(now()).toISOString().slice(0, 10);
  const { tools } = gateway.snapshot();
  const shown: ShownRename[] = [];
  for (const rename of config().renames) {
    yield;
    const { from, to, policy = "warn" } = rename;
    const found = tools.resolve(to, { profile: "canonical" });
    const owner = tools.catalog.servers.find(
      (server) =>
        found.outcome === "resolved" &&
        server.server === found.tool.server &&
        server.toolbox === found.tool.toolbox,
    );
    const window = renameWindow(rename, { today, serverVersion: owner?.serverVersion });
    shown.push({
      from,
      to,
      policy,
      ...(window.ends === undefined ? {} : { ends: String(window.ends) }),
      state: window.state,
      users: used
        .filter(({ name }) => name === from)
        .map(({ caller, count, lastAt }) => ({ caller: caller.slice(0, 300), count, lastAt })),
    });
  }
  return shown;
}

export function restartServer(
  { gateway, log }: ConsoleContext,
  id: DownstreamId,
): Answer<{ readonly restarted: true }> {
  if (!gateway.operate.restart(id)) return { ok: false, status: 404, error: "No such server is connected." };
  log("info", "server restarted by an operator", { server: id.server, toolbox: id.toolbox });
  return { ok: true, value: { restarted: true } };
}

export async function setToolbox(
  { gateway, log }: ConsoleContext,
  { id, isOpen }: { readonly id: string; readonly isOpen: boolean },
): Promise<Answer<{ readonly isOpen: boolean }>> {
  if (!isOpen) {
    if (!gateway.operate.closeToolbox(id))
      return { ok: false, status: 409, error: "It was not opened here. Clients that hold it open close it." };
    log("info", "toolbox closed by an operator", { toolbox: id });
    return { ok: true, value: { isOpen: false } };
  }
  const outcome = await gateway.operate.openToolbox(id);
  if (outcome === "unknown") return { ok: false, status: 404, error: "There is no such toolbox." };
  if (outcome === "failed") return { ok: false, status: 503, error: "None of its servers came up." };
  log("info", "toolbox opened by an operator", { toolbox: id });
  return { ok: true, value: { isOpen: true } };
}
