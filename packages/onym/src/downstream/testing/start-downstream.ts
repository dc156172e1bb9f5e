// A server under test: its events are recorded, and tests can wait for them.

import type { JsonObject } from "../../mcp/json.js";
import type { Reply, RpcNotification } from "../../mcp/message.js";
import type { Clock } from "../../model/clock.js";
import type { Launch } from "../../model/launch.js";
import { createDownstream } from "../create-downstream.js";
import type {
  Downstream,
  DownstreamLimits,
  DownstreamRequest,
  RequestOrigin,
  ServerRequest,
  UnsolicitedReceiver,
} from "../downstream.js";

export interface TestDownstream {
  readonly downstream: Downstream;
  readonly statuses: string[];
  readonly inventories: number[];
  readonly notifications: RpcNotification[];
  /** Who may receive each of them. */
  readonly receivers: UnsolicitedReceiver[];
  readonly logged: string[];
  /** Resolves as soon as an event makes the condition true. */
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly call: (
    name: string,
    args?: JsonObject,
    origin?: Partial<RequestOrigin>,
    more?: Partial<DownstreamRequest>,
  ) => Promise<Reply>;
}

export interface TestOptions {
  readonly launch: Launch;
  readonly limits?: Partial<DownstreamLimits>;
  readonly clock?: Clock;
  readonly onServerRequest?: (serverRequest: ServerRequest) => Reply;
}

const LIMITS: DownstreamLimits = {
  startMs: 20_000,
  frameBytes: 1_000_000,
  listEntries: 5000,
  entryBytes: 100_000,
  listBytes: 1_000_000,
  serverBytes: 2_000_000,
  pending: 100,
};

export function startDownstream({ launch, limits, clock, onServerRequest }: TestOptions): TestDownstream {
  const statuses: string[] = [];
  const inventories: number[] = [];
  const notifications: RpcNotification[] = [];
  const receivers: UnsolicitedReceiver[] = [];
  const logged: string[] = [];
  const waiting = new Set<() => void>();
  const stir = (): void => {
    for (const look of [...waiting]) look();
  };
  const downstream = createDownstream({
    id: { server: "test", toolbox: undefined },
    launch,
    limits: { ...LIMITS, ...limits },
    clientInfo: { name: "onym", version: "0.0.0" },
    log: (severity, text, facts) => {
      logged.push(`${severity} ${text} ${JSON.stringify(facts ?? {}, readFact)}`);
      stir();
    },
    ...(clock !== undefined && { clock }),
    random: () => 0,
    events: {
      onStatus: ({ status }) => {
        statuses.push(status.kind);
        stir();
      },
      onInventory: ({ inventory }) => {
        inventories.push(inventory?.tools.length ?? -1);
        stir();
      },
      onNotification: (_, notification, receiver) => {
        notifications.push(notification);
        receivers.push(receiver);
        stir();
      },
      onServerRequest: async (_, serverRequest) =>
        onServerRequest?.(serverRequest) ?? {
          kind: "error",
          error: { code: -32601, message: "nobody to ask" },
        },
    },
  });
  downstream.start();
  return {
    downstream,
    statuses,
    inventories,
    notifications,
    receivers,
    logged,
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    call: (name, args = {}, origin = {}, more = {}) =>
      downstream.send({
        method: "tools/call",
        params: { name, arguments: args },
        origin: buildAsker(origin),
        signal: new AbortController().signal,
        timeoutMs: 30_000,
        ...more,
      }),
  };
}

/** As the log does with one that takes work. */
function readFact(_: string, value: unknown): unknown {
  return typeof value === "function" ? value() : value;
}

function buildAsker(origin: Partial<RequestOrigin>): RequestOrigin {
  return {
    id: "caller",
    callerKey: origin.id ?? "caller",
    capabilities: {},
    logLevel: undefined,
    wantsProgress: false,
    notify: () => {},
    sendRequest: undefined,
    ...origin,
  };
}

/** The JSON in the first text of a tool's result. */
export function readContent(reply: Reply): unknown {
  if (reply.kind !== "result") throw new Error(JSON.stringify(reply));
  const [first] = reply.result["content"] as { readonly text: string }[];
  return JSON.parse(first?.text ?? "null");
}

/** A clock whose timers fire when the test says so. */
export function createTestClock(): Clock & { readonly fire: () => void; readonly waits: number[] } {
  let timers: { readonly ms: number; readonly call: () => void }[] = [];
  const waits: number[] = [];
  return {
    waits,
    now: () => 1_000_000,
    after: (ms, call) => {
      const timer = { ms, call };
      timers.push(timer);
      waits.push(ms);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    fire: () => {
      const due = timers;
      timers = [];
      for (const { call } of due) call();
    },
  };
}
