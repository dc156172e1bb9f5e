// Callers, settings and views for tests.

import { type CanonicalName, EMPTY_LOCK, findProfile, type Profile, type Tool } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { createProfileSet } from "@onym/core/profiles";
import type { Downstream, Notification } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply } from "../../mcp/message.js";
import type { Caller, Session } from "../caller.js";
import { type GuardedCall, OPEN_GUARD } from "../calls/guard.js";
import { buildGatewaySnapshot, type GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { createMemoryKeeper, type LockKeeper } from "../catalog/name-lock.js";
import { serverState } from "../catalog/server-state.js";
import type { View } from "../gateway-context.js";
import { createSharedTexts } from "../listing/shared-texts.js";
import { createToolLists } from "../listing/tool-lists.js";
import type { RequestContext } from "../router.js";
import { createViewSearch } from "../search/view-search.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { ownToolNames } from "../toolboxes/meta-tools.js";

export function profileNamed(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  return profile;
}

export function buildCaller(with_: Partial<Caller> = {}): Caller {
  return {
    id: "caller",
    principal: "local",
    callerKey: "local",
    era: "modern",
    revision: "2026-07-28",
    clientInfo: undefined,
    capabilities: {},
    profile: profileNamed("universal"),
    chosenBy: "test",
    as: undefined,
    logLevel: undefined,
    session: undefined,
    ...with_,
  };
}

export interface TestSession extends Session {
  readonly received: Notification[];
}

export function buildSession(with_: Partial<Session> = {}): TestSession {
  const received: Notification[] = [];
  const session: TestSession = {
    ...buildCaller(),
    id: "session",
    era: "legacy",
    revision: "2025-11-25",
    logLevel: undefined,
    ready: true,
    toolboxes: new Set(),
    resources: new Set(),
    approvedResources: new Map(),
    shown: undefined,
    channel: {
      notify: (notification) => void received.push(notification),
      sendRequest: async () => errorReply(-32603, "nobody"),
    },
    received,
    ...with_,
    get session() {
      return session;
    },
  };
  return session;
}

export function buildRequestContext(
  with_: Partial<RequestContext> = {},
): RequestContext & { readonly received: Notification[] } {
  const received: Notification[] = [];
  return {
    signal: new AbortController().signal,
    notify: (notification) => void received.push(notification),
    sendRequest: undefined,
    headers: undefined,
    held: undefined,
    span: undefined,
    observed: undefined,
    whileAdmitted: undefined,
    received,
    ...with_,
  };
}

/** A call of a tool `ask` as a guard let it pass. */
export function buildGuardedCall(params: JsonObject, caller = buildCaller()): GuardedCall {
  const target = { kind: "tool", identity: { ...ASK_TOOL } } as const;
  return {
    target,
    method: "tools/call",
    targetNow: () => target,
    launch: "launch",
    epoch: 0,
    caller,
    requestContext: buildRequestContext(),
    sent: "ask",
    params,
  };
}

export const ASK_TOOL: Tool = {
  key: toolKeyOf({ server: "mem", raw: "ask" }),
  server: "mem",
  toolbox: undefined,
  raw: "ask",
  canonical: "mem@1/ask@1" as CanonicalName,
  integration: "mem",
  integrationVersion: 1,
  toolName: "ask",
  toolVersion: 1,
  label: "mem",
  definition: {},
};

export function serverOf({ id, launch }: Downstream, with_: Partial<ServerSettings> = {}): ServerSettings {
  const { server, toolbox } = id;
  return {
    source: { server, ...(toolbox === undefined ? {} : { toolbox }), tools: [] },
    launch,
    admits: () => true,
    ...with_,
  };
}

export function buildSettings(with_: Partial<GatewaySettings> = {}): GatewaySettings {
  return {
    servers: [],
    toolboxes: [],
    mode: "static",
    isWorkbench: false,
    naming: {
      style: undefined,
      as: undefined,
      profile: undefined,
      detect: true,
      references: true,
      aliases: {},
      pins: {},
    },
    profiles: createProfileSet([]),
    renames: [],
    strict: false,
    passthrough: undefined,
    limits: {
      startMs: 5000,
      frameBytes: 1_000_000,
      listEntries: 100_000,
      entryBytes: 256 * 1024,
      listBytes: 16 * 1024 * 1024,
      serverBytes: 32 * 1024 * 1024,
      pending: 100,
      listMs: 5000,
      callMs: 5000,
      drainMs: 100,
      callerQuestions: 64,
      callerAliases: 16,
    },
    ...with_,
  };
}

export interface TestSnapshot {
  readonly downstreams: readonly (Downstream | undefined)[];
  readonly settings?: GatewaySettings;
  readonly tools?: LockKeeper;
  readonly prompts?: LockKeeper;
}

export function snapshotOf({ downstreams, settings, tools, prompts }: TestSnapshot): GatewaySnapshot {
  const there = downstreams.filter((each) => each !== undefined);
  const inForce = settings ?? buildSettings({ servers: there.map((each) => serverOf(each)) });
  return buildGatewaySnapshot({
    settings: inForce,
    servers: downstreams.map((each) => (each === undefined ? undefined : serverState(each))),
    locks: {
      tools: tools ?? createMemoryKeeper(EMPTY_LOCK),
      prompts: prompts ?? createMemoryKeeper(EMPTY_LOCK),
    },
    today: "2026-11-16",
    reserved: ownToolNames(inForce.naming.as),
  });
}

export function viewOf(snapshot: GatewaySnapshot): View {
  return {
    snapshot,
    known: () => snapshot,
    lists: createToolLists(snapshot),
    texts: createSharedTexts(),
    search: createViewSearch(snapshot),
    guard: OPEN_GUARD,
  };
}
