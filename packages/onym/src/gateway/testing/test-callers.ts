// Callers, settings and views for tests.

import { EMPTY_LOCK, findProfile, type Profile } from "@onym/core";
import type { Downstream, Notice } from "../../downstream/downstream.js";
import { errorReply } from "../../mcp/reply.js";
import type { Caller, Session } from "../caller.js";
import { OPEN_GUARD } from "../calls/guard.js";
import { buildView, type View } from "../catalog/gateway-snapshot.js";
import { createMemoryKeeper, type LockKeeper } from "../catalog/name-lock.js";
import type { Sight } from "../gateway-context.js";
import { createToolLists } from "../listing/tool-lists.js";
import type { Exchange } from "../router.js";
import { buildSightSearch } from "../search/build-view-search.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { ownToolNames } from "../toolboxes/format-meta-tools.js";

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
  readonly told: Notice[];
}

export function buildSession(with_: Partial<Session> = {}): TestSession {
  const told: Notice[] = [];
  const session: TestSession = {
    ...buildCaller(),
    id: "session",
    era: "legacy",
    revision: "2025-11-25",
    logLevel: undefined,
    ready: true,
    toolboxes: new Set(),
    resources: new Set(),
    approvedResources: new Set(),
    shown: undefined,
    outlet: { tell: (notice) => void told.push(notice), ask: async () => errorReply(-32603, "nobody") },
    told,
    ...with_,
    get session() {
      return session;
    },
  };
  return session;
}

export function buildExchange(with_: Partial<Exchange> = {}): Exchange & { readonly told: Notice[] } {
  const told: Notice[] = [];
  return {
    signal: new AbortController().signal,
    tell: (notice) => void told.push(notice),
    ask: undefined,
    headers: undefined,
    told,
    ...with_,
  };
}

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

export interface TestView {
  readonly downstreams: readonly (Downstream | undefined)[];
  readonly settings?: GatewaySettings;
  readonly tools?: LockKeeper;
  readonly prompts?: LockKeeper;
}

export function viewOf({ downstreams, settings, tools, prompts }: TestView): View {
  const there = downstreams.filter((each) => each !== undefined);
  const inForce = settings ?? buildSettings({ servers: there.map((each) => serverOf(each)) });
  return buildView({
    settings: inForce,
    downstreams,
    locks: {
      tools: tools ?? createMemoryKeeper(EMPTY_LOCK),
      prompts: prompts ?? createMemoryKeeper(EMPTY_LOCK),
    },
    today: "2026-11-16",
    reserved: ownToolNames(inForce.naming.as),
  });
}

export function sightOf(view: View): Sight {
  return {
    view,
    known: () => view,
    lists: createToolLists(view),
    search: buildSightSearch(view),
    guard: OPEN_GUARD,
  };
}
