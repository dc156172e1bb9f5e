// One configured downstream through all its lives: started, listed, asked, lost, tried again, closed.

import { hash } from "node:crypto";
import { escapeText, quoteText } from "@onym/core";
import type { JsonObject } from "../mcp/json.js";
import type { RpcNotification } from "../mcp/message.js";
import { type Era, MODERN_REVISION } from "../mcp/protocol.js";
import type { Reply } from "../mcp/reply.js";
import { type Clock, systemClock } from "../model/clock.js";
import type { Launch } from "../model/launch.js";
import { backoffMs, MAX_BACKOFF_MS } from "./backoff.js";
import type { Connection, ConnectionContext } from "./connection.js";
import type {
  Down,
  Downstream,
  DownstreamEvents,
  DownstreamId,
  DownstreamLimits,
  DownstreamRequest,
  DownstreamStatus,
  Inventory,
  UnsolicitedReceiver,
} from "./downstream.js";
import type { DownstreamLog } from "./downstream-log.js";
import { explainDown, explainUnhealthy } from "./explain-down.js";
import { createFlapping, MAX_FALLS, SUSPENDED_MS } from "./flapping.js";
import { createHealth } from "./health.js";
import { createHideSecrets } from "./hide-secrets.js";
import type { Credentials } from "./http/credentials.js";
import { EMPTY_INVENTORY } from "./inventory/empty-inventory.js";
import { LIST_CHANGES, type ListedInventory, listInventory } from "./inventory/list-inventory.js";
import { packInventory } from "./inventory/pack-inventory.js";
import { createRelisting } from "./inventory/relisting.js";
import { isSameInventory } from "./inventory/same-inventory.js";
import { openConnection } from "./open-connection.js";
import { createFairQueue } from "./protocol/fair-queue.js";
import { Pace, UNASKED_RATE } from "./protocol/pace.js";
import { untilAborted } from "./until-aborted.js";

export interface DownstreamOptions {
  readonly id: DownstreamId;
  readonly launch: Launch;
  readonly limits: DownstreamLimits;
  readonly events: DownstreamEvents;
  readonly log: DownstreamLog;
  /** How Onym introduces itself: `name` and `version`. */
  readonly clientInfo: JsonObject;
  /** For one that is reached over HTTP and may want a sign-in. Closed with it. */
  readonly credentials?: Credentials | undefined;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
}

export function createDownstream(options: DownstreamOptions): Downstream {
  const { id, launch, limits, events, log, clientInfo, clock = systemClock, random = Math.random } = options;
  const { credentials } = options;
  const label = `server ${quoteText(id.server)}`;
  const hide = createHideSecrets(launch, credentials?.secrets);
  let status: DownstreamStatus = { kind: "idle" };
  let inventory: Inventory | undefined;
  /** Of what it offers: the text itself may be megabytes. */
  let digest: string | undefined;
  let connection: Connection | undefined;
  let opening: AbortController | undefined;
  let openings: Promise<void> = Promise.resolve();
  let cancelRetry: (() => void) | undefined;
  let attempt = 0;
  let failures = 0;
  let down: Down | undefined;
  const queue = createFairQueue({ label, limit: limits.pending });
  const flapping = createFlapping(clock);
  const health = createHealth({
    clock,
    random,
    onChange: (before, now) => {
      if (status.kind !== "ready") return;
      if (before === undefined && now !== undefined)
        log("warn", `${label} is unhealthy: its last ${now.failures} requests failed`, { last: now.reason });
      else if (now === undefined) log("info", `${label} answers again`);
      setStatus({ ...status, unhealthy: now });
    },
  });
  /** A list changed while the first listing ran. */
  let changedMeanwhile = false;
  /** Requests that are not answered yet, and who waits for the last of them. */
  let running = 0;
  let onIdle: (() => void) | undefined;
  const leave = (): void => {
    running -= 1;
    if (running === 0) onIdle?.();
  };
  let closing: Promise<void> | undefined;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const setStatus = (next: DownstreamStatus): void => {
    status = next;
    events.onStatus(downstream);
  };

  const setInventory = ({ inventory: next, text }: ListedInventory): void => {
    const now = hash("sha256", text);
    if (now === digest) return;
    digest = now;
    inventory = packInventory(next, text);
    for (const problem of next.problems) log("warn", `${label}: ${hide(problem)}`);
    events.onInventory(downstream);
  };

  const isClosed = (): boolean => closing !== undefined;

  /** Connections that are lost, with requests that may still be answered. */
  const retired = new Set<Connection>();
  const retire = (dropped: Connection): void => {
    retired.add(dropped);
    void dropped.close("when-idle").finally(() => retired.delete(dropped));
  };

  const fail = (why: string, hint: string): void => {
    const dropped = connection;
    connection = undefined;
    health.reset();
    // Nothing that was begun is left running; what still gets its answer may have it.
    if (dropped !== undefined) retire(dropped);
    relisting.stop();
    if (isClosed()) return;
    failures += 1;
    const isSuspended = dropped !== undefined && flapping.fell();
    const reason = isSuspended
      ? `${why} (the ${MAX_FALLS}th time in a short while, so it is left alone)`
      : why;
    down = { since: down?.since ?? clock.now(), reason, hint };
    // Who has to be signed in to first is not asked again and again meanwhile.
    const longest = credentials?.needsSignIn() === true ? MAX_BACKOFF_MS : backoffMs(failures, random());
    const wait = isSuspended ? SUSPENDED_MS : longest;
    log("warn", `${label} is down: ${reason}`, { hint, retryMs: wait });
    cancelRetry = clock.after(wait, begin);
    setStatus({ kind: "failed", attempt, reason, hint, retryAt: clock.now() + wait });
    settle();
  };

  /** Nothing was tried, and nothing will be: only another config helps. */
  const stayDown = ({ code, variable, ...launch }: Extract<Launch, { readonly kind: "unusable" }>): void => {
    const [reason, hint] = [escapeText(launch.reason), escapeText(launch.hint)];
    log("warn", `${label} is down: ${reason}`, { hint, state: "unusable", code, variable });
    down = { since: clock.now(), reason, hint };
    setStatus({ kind: "failed", attempt: 1, reason, hint, retryAt: Number.POSITIVE_INFINITY });
    settle();
  };

  const onNotification = (notification: RpcNotification, receiver: UnsolicitedReceiver = "nobody"): void => {
    if (LIST_CHANGES.has(notification.method)) {
      if (connection === undefined) changedMeanwhile = true;
      else relisting.ask();
    } else events.onNotification(downstream, notification, receiver);
  };

  const list = (from: Connection): Promise<ListedInventory> =>
    listInventory({
      handshake: from.handshake,
      ask: from.send,
      limits,
      timeoutMs: limits.startMs,
      clock,
      before: inventory,
    });

  const relisting = createRelisting(async () => {
    const from = connection;
    if (from === undefined) return;
    const next = await list(from);
    // Another order of members is no change, and nobody is told of it (GW-7).
    const isSame = inventory !== undefined && (await isSameInventory(inventory, next.inventory));
    if (connection === from && !isSame) setInventory(next);
  }, clock);

  const open = async (): Promise<void> => {
    if (launch.kind === "static" || launch.kind === "unusable") return;
    const attempted = new AbortController();
    opening = attempted;
    const stopTimer = clock.after(limits.startMs, () => attempted.abort());
    let lost: { readonly reason: string; readonly hint: string } | undefined;
    let up: Connection | undefined;
    const pace = new Pace(clock, () =>
      log("warn", `${label} sends more than ${UNASKED_RATE} messages a second that answer nothing`, {
        what: "It is read more slowly; other servers are not.",
      }),
    );
    const context: ConnectionContext = {
      label,
      clientInfo,
      limits,
      log,
      clock,
      hide,
      pace,
      credentials,
      random,
      signal: attempted.signal,
      events: {
        onNotification: onNotification,
        onServerRequest: (serverRequest, signal, receiver) =>
          events.onServerRequest(downstream, serverRequest, signal, receiver),
        onClosed: (reason, hint) => {
          lost = { reason, hint };
          if (connection !== undefined && connection === up) fail(reason, hint);
        },
      },
    };
    const opened = await openConnection(launch, context);
    if (opened.kind === "failed") {
      stopTimer();
      return fail(opened.reason, opened.hint);
    }
    up = opened.connection;
    changedMeanwhile = false;
    const first = await untilAborted(list(up), attempted.signal);
    stopTimer();
    if (isClosed() || lost !== undefined || first === undefined) {
      await up.close();
      const slow = `it did not list what it offers within ${limits.startMs} ms`;
      return fail(lost?.reason ?? slow, lost?.hint ?? "See with --verbose what it does.");
    }
    connection = up;
    down = undefined;
    health.reset();
    const { era, revision } = up.handshake;
    inventory ??= first.inventory;
    setStatus({ kind: "ready", era, revision });
    setInventory(first);
    failures = 0;
    attempt = 0;
    settle();
    if (changedMeanwhile) relisting.ask();
  };

  const refuseUnhealthy = (): Reply =>
    health.unhealthy === undefined
      ? explainDown({ id, label, status, launch, down, now: clock.now() })
      : explainUnhealthy(id, label, health.unhealthy, clock.now());

  const send = (request: DownstreamRequest): Promise<Reply> => {
    // It may have fallen while the request waited for its turn.
    const admitted = connection === undefined ? undefined : health.admit();
    const reply =
      connection === undefined || admitted === undefined
        ? Promise.resolve(refuseUnhealthy())
        : connection.send(request);
    running += 1;
    const finish = (): void => {
      // The next one first: as long as there is one, it is not idle.
      queue.done();
      leave();
    };
    reply.then((answer) => {
      finish();
      if (admitted !== undefined) health.note(admitted, answer);
    }, finish);
    return reply;
  };

  const begin = (): void => {
    if (isClosed()) return;
    attempt += 1;
    setStatus({ kind: "starting", attempt });
    openings = open().catch((error: unknown) => {
      log(
        "error",
        `${label}: ${hide(error instanceof Error ? (error.stack ?? error.message) : String(error), 2000)}`,
      );
      fail("an internal error; the log says more", "Please report it.");
    });
  };

  const resume = (): void => {
    if (status.kind !== "failed" || !Number.isFinite(status.retryAt) || isClosed()) return;
    cancelRetry?.();
    failures = 0;
    flapping.forget();
    begin();
  };
  credentials?.onSignIn(resume);

  const downstream: Downstream = {
    id,
    launch,
    get status() {
      return status;
    },
    get inventory() {
      return inventory;
    },
    get down() {
      return down;
    },
    settled,
    resume,
    start: () => {
      if (status.kind !== "idle" || isClosed()) return;
      if (launch.kind === "unusable") return stayDown(launch);
      if (launch.kind !== "static") return begin();
      setStatus({ kind: "ready", era: "modern", revision: MODERN_REVISION });
      setInventory({ inventory: EMPTY_INVENTORY, text: JSON.stringify(EMPTY_INVENTORY) });
      settle();
    },
    eraFor: (caller: Era) => {
      const eras = connection?.eras ?? [];
      return eras.length === 0 || eras.includes(caller) ? caller : (eras[0] ?? caller);
    },
    send: (request) => {
      if (connection === undefined || isClosed())
        return Promise.resolve(explainDown({ id, label, status, launch, down, now: clock.now() }));
      return queue.run(request, () => send(request));
    },
    notify: (method, params) => connection?.notify(method, params),
    close: (drainMs = 0) => {
      closing ??= close(drainMs);
      return closing;
    },
  };

  const close = async (drainMs: number): Promise<void> => {
    cancelRetry?.();
    credentials?.close();
    relisting.stop();
    opening?.abort();
    if (drainMs > 0 && running > 0) {
      await new Promise<void>((resolve) => {
        const stop = clock.after(drainMs, resolve);
        onIdle = () => {
          stop();
          resolve();
        };
      });
    }
    await openings;
    await Promise.all([connection, ...retired].map((each) => each?.close()));
    connection = undefined;
    settle();
    setStatus({ kind: "closed" });
  };

  return downstream;
}
