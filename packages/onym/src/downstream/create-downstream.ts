// One configured server through its whole life: start, listing, requests, loss, retries, close.

import { escapeText, quoteText } from "@onym/core";
import type { JsonObject } from "../mcp/json.js";
import type { Reply, RpcNotification } from "../mcp/message.js";
import { type Era, MODERN_REVISION } from "../mcp/protocol.js";
import { type Clock, formatDuration, systemClock } from "../model/clock.js";
import { type Launch, launchFingerprint } from "../model/launch.js";
import type { Log } from "../model/log.js";
import { MAX_FALLS, Retries } from "./backoff.js";
import type { Connection, ConnectionContext } from "./connection.js";
import type {
  Down,
  Downstream,
  DownstreamEvents,
  DownstreamId,
  DownstreamRequest,
  DownstreamStatus,
  Inventory,
  Unhealthy,
  UnsolicitedReceiver,
} from "./downstream.js";
import { explainDown, SLOW_START } from "./explain-down.js";
import { RequestGate } from "./gate/request-gate.js";
import { createHideSecrets, type HideSecrets } from "./hide-secrets.js";
import { EMPTY_INVENTORY, isSameInventory } from "./inventory/inventory.js";
import { LIST_CHANGES, type ListedInventory, listInventory } from "./inventory/list-inventory.js";
import { createRelisting, type Relisting } from "./inventory/relisting.js";
import { openConnection } from "./open-connection.js";
import { untilAborted } from "./pause.js";
import { LOG_RATE, Pace, UNSOLICITED_RATE } from "./protocol/pace.js";
import { MAX_BATCH } from "./protocol/read-batch.js";

export interface DownstreamOptions
  extends Pick<ConnectionContext, "limits" | "log" | "clientInfo" | "credentials"> {
  readonly id: DownstreamId;
  readonly launch: Launch;
  readonly events: DownstreamEvents;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
}

export function createDownstream(options: DownstreamOptions): Downstream {
  return new ConfiguredDownstream(options);
}

class ConfiguredDownstream implements Downstream {
  readonly id: DownstreamId;
  readonly launch: Launch;
  readonly fingerprint: string;
  readonly firstAttempt: Promise<void>;
  status: DownstreamStatus = { kind: "idle" };
  inventory: Inventory | undefined;
  down: Down | undefined;

  readonly #options: DownstreamOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #label: string;
  readonly #log: Log;
  readonly #hide: HideSecrets;
  readonly #gate: RequestGate;
  readonly #retries: Retries;
  readonly #relisting: Relisting;
  /** Digest of the inventory. */
  #digest: string | undefined;
  #connection: Connection | undefined;
  /** Lost connections with requests that may still be answered. */
  readonly #retired = new Set<Connection>();
  #opening: AbortController | undefined;
  #openings: Promise<void> = Promise.resolve();
  #attempt = 0;
  #cancelRetry: (() => void) | undefined;
  /** A list changed during the first listing. */
  #changedMeanwhile = false;
  #closing: Promise<void> | undefined;
  #endFirstAttempt: () => void = () => {};

  constructor(options: DownstreamOptions) {
    const { id, launch, limits, credentials, clock = systemClock, random = Math.random } = options;
    this.id = id;
    this.launch = launch;
    this.fingerprint = launchFingerprint(launch);
    this.firstAttempt = new Promise<void>((resolve) => {
      this.#endFirstAttempt = resolve;
    });
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#label = `server ${quoteText(id.server)}`;
    this.#log = (severity, text, facts) => options.log(severity, text, facts, id);
    this.#hide = createHideSecrets(launch, credentials?.secrets);
    this.#gate = new RequestGate({
      id,
      label: this.#label,
      limit: limits.pending,
      clock,
      random,
      onHealth: (...change) => this.#onHealth(...change),
      connection: () => this.#connection,
      explainDown: () => this.#explainDown(),
    });
    this.#retries = new Retries(clock, random);
    this.#relisting = createRelisting(() => this.#relist(), clock);
    credentials?.onSignIn(this.resume);
  }

  readonly start = (): void => {
    if (this.status.kind !== "idle" || this.#isClosed) return;
    if (this.launch.kind === "unusable") this.#stayDown(this.launch);
    else if (this.launch.kind === "static") this.#serveStatic();
    else this.#begin();
  };

  readonly resume = (): void => {
    if (this.status.kind !== "failed" || !Number.isFinite(this.status.retryAt) || this.#isClosed) return;
    this.#cancelRetry?.();
    this.#retries.forget();
    this.#begin();
  };

  readonly eraFor = (caller: Era): Era => {
    const eras = this.#connection?.eras ?? [];
    return eras.length === 0 || eras.includes(caller) ? caller : (eras[0] ?? caller);
  };

  readonly send = (request: DownstreamRequest): Promise<Reply> => {
    if (this.#connection === undefined || this.#isClosed) return Promise.resolve(this.#explainDown());
    return this.#gate.send(request);
  };

  readonly notify = (method: string, params?: JsonObject): void => this.#connection?.notify(method, params);

  readonly close = (drainMs = 0): Promise<void> => {
    this.#closing ??= this.#end(drainMs);
    return this.#closing;
  };

  get #isClosed(): boolean {
    return this.#closing !== undefined;
  }

  #setStatus(next: DownstreamStatus): void {
    this.status = next;
    this.#options.events.onStatus(this);
  }

  #setInventory({ inventory, digest }: ListedInventory): void {
    const { events } = this.#options;
    if (digest === this.#digest) return;
    this.#digest = digest;
    this.inventory = inventory;
    for (const { message } of inventory.problems) this.#log("warn", `${this.#label}: ${this.#hide(message)}`);
    events.onInventory(this);
  }

  #serveStatic(): void {
    this.#setStatus({ kind: "ready", era: "modern", revision: MODERN_REVISION });
    this.#setInventory({ inventory: EMPTY_INVENTORY, digest: "static" });
    this.#endFirstAttempt();
  }

  #begin(): void {
    if (this.#isClosed) return;
    this.#attempt += 1;
    this.#setStatus({ kind: "starting", attempt: this.#attempt });
    this.#openings = this.#open().catch((error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#log("error", `${this.#label}: ${this.#hide(text, 2000)}`);
      this.#fail("an internal error; the log says more", "Please report it.");
    });
  }

  /** One attempt: connect, then list. Ready once both are done within `startMs`. */
  async #open(): Promise<void> {
    const { launch } = this;
    if (launch.kind === "static" || launch.kind === "unusable") return;
    const { limits } = this.#options;
    const attempted = new AbortController();
    this.#opening = attempted;
    const stopTimer = this.#clock.after(limits.startMs, () => attempted.abort());
    let lost: { readonly reason: string; readonly hint: string } | undefined;
    let up: Connection | undefined;
    const context = this.#connectionContext(attempted.signal, (reason, hint) => {
      lost = { reason, hint };
      if (this.#connection !== undefined && this.#connection === up) this.#fail(reason, hint);
    });
    const opened = await openConnection(launch, context);
    if (opened.kind === "failed") {
      stopTimer();
      return this.#fail(opened.reason, opened.hint);
    }
    up = opened.connection;
    this.#changedMeanwhile = false;
    const first = await untilAborted(this.#list(up), attempted.signal);
    stopTimer();
    if (this.#isClosed || lost !== undefined || first === undefined) {
      await up.close();
      const slow = `it did not list what it offers within ${formatDuration(limits.startMs)}`;
      return this.#fail(lost?.reason ?? slow, lost?.hint ?? `${SLOW_START} --verbose shows what it does.`);
    }
    this.#setReady(up, first);
  }

  #connectionContext(
    signal: AbortSignal,
    onClosed: (reason: string, hint: string) => void,
  ): ConnectionContext {
    const { clientInfo, limits, credentials, events } = this.#options;
    const log = this.#log;
    const pace = new Pace(this.#clock, {
      onFlood: () =>
        log(
          "warn",
          `${this.#label} sends more than ${UNSOLICITED_RATE} messages a second that answer nothing`,
          { what: "It is read more slowly; other servers are not." },
        ),
      onDropped: (dropped) =>
        log("warn", `${this.#label} sends batches of more than ${MAX_BATCH} messages that answer nothing`, {
          dropped,
        }),
      onDroppedLog: (dropped) =>
        log("warn", `${this.#label} sends more than ${LOG_RATE} log messages a second`, { dropped }),
    });
    return {
      label: this.#label,
      clientInfo,
      limits,
      log,
      clock: this.#clock,
      hide: this.#hide,
      pace,
      credentials,
      random: this.#random,
      signal,
      events: {
        onNotification: (notification, receiver) => this.#onNotification(notification, receiver),
        onRoom: () => this.#gate.resume(),
        onServerRequest: (serverRequest, cancelled, receiver) =>
          events.onServerRequest(this, serverRequest, cancelled, receiver),
        onClosed,
      },
    };
  }

  #setReady(up: Connection, first: ListedInventory): void {
    this.#connection = up;
    this.down = undefined;
    this.#gate.changeConnection();
    const { era, revision } = up.handshake;
    this.inventory ??= first.inventory;
    this.#setStatus({ kind: "ready", era, revision });
    this.#setInventory(first);
    this.#retries.succeeded();
    this.#attempt = 0;
    this.#endFirstAttempt();
    if (this.#changedMeanwhile) this.#relisting.request();
  }

  /** The connection is lost, or could not be opened. Schedules a retry. */
  #fail(why: string, hint: string): void {
    const { credentials } = this.#options;
    const dropped = this.#connection;
    this.#connection = undefined;
    // Close the connection after the requests that can still get a reply.
    if (dropped !== undefined) {
      this.#retired.add(dropped);
      void dropped.close("when-idle").finally(() => this.#retired.delete(dropped));
    }
    this.#relisting.stop();
    if (this.#isClosed) return;
    const needsSignIn = credentials?.needsSignIn() === true;
    const { waitMs, isSuspended } = this.#retries.next({ wasUp: dropped !== undefined, needsSignIn });
    const reason = isSuspended
      ? `${why} (the ${MAX_FALLS}th time in a short while, so it is left alone)`
      : why;
    const now = this.#clock.now();
    this.down = { since: this.down?.since ?? now, reason, hint };
    this.#logDown(reason, { hint, retryMs: waitMs });
    this.#cancelRetry = this.#clock.after(waitMs, () => this.#begin());
    const failed = { kind: "failed", attempt: this.#attempt, reason, hint, retryAt: now + waitMs } as const;
    this.#setStatus(needsSignIn ? { ...failed, needsSignIn } : failed);
    this.#gate.changeConnection();
    this.#endFirstAttempt();
  }

  /** The launch is unusable: there are no attempts until the config changes. */
  #stayDown({ code, variable, ...launch }: Extract<Launch, { readonly kind: "unusable" }>): void {
    const [reason, hint] = [escapeText(launch.reason), escapeText(launch.hint)];
    this.#logDown(reason, { hint, state: "unusable", code, variable });
    this.down = { since: this.#clock.now(), reason, hint };
    this.#setStatus({ kind: "failed", attempt: 1, reason, hint, retryAt: Number.POSITIVE_INFINITY });
    this.#endFirstAttempt();
  }

  #logDown(reason: string, facts: Parameters<Log>[2]): void {
    const about = { ...this.id, event: "down" } as const;
    this.#options.log("warn", `${this.#label} is down: ${reason}`, facts, about);
  }

  /** Problems may quote what the server said; they are shown in lists, in the status and in the console. */
  async #list(from: Connection): Promise<ListedInventory> {
    const { limits } = this.#options;
    const listed = await listInventory({
      handshake: from.handshake,
      send: from.send,
      limits,
      timeoutMs: limits.startMs,
      clock: this.#clock,
      before: this.inventory,
    });
    const { inventory } = listed;
    if (inventory.problems.length === 0) return listed;
    const problems = inventory.problems.map((each) => ({ ...each, message: this.#hide(each.message, 2000) }));
    return { ...listed, inventory: { ...inventory, problems } };
  }

  async #relist(): Promise<void> {
    const from = this.#connection;
    if (from === undefined) return;
    const next = await this.#list(from);
    // A different member order is not a change, and no client is notified (GW-7).
    const isSame = this.inventory !== undefined && (await isSameInventory(this.inventory, next.inventory));
    if (this.#connection === from && !isSame) this.#setInventory(next);
  }

  #onNotification(notification: RpcNotification, receiver: UnsolicitedReceiver = "nobody"): void {
    if (LIST_CHANGES.has(notification.method)) {
      if (this.#connection === undefined) this.#changedMeanwhile = true;
      else this.#relisting.request();
    } else this.#options.events.onNotification(this, notification, receiver);
  }

  #onHealth(before: Unhealthy | undefined, now: Unhealthy | undefined): void {
    if (this.status.kind !== "ready") return;
    const log = this.#log;
    if (before === undefined && now !== undefined)
      log("warn", `${this.#label} is unhealthy: its last ${now.failures} requests failed`, {
        last: now.reason,
      });
    else if (now === undefined) log("info", `${this.#label} answers again`);
    this.#setStatus({ ...this.status, unhealthy: now });
  }

  #explainDown(): Reply {
    const { id, status, launch, down } = this;
    return explainDown({ id, label: this.#label, status, launch, down, now: this.#clock.now() });
  }

  async #end(drainMs: number): Promise<void> {
    this.#cancelRetry?.();
    this.#options.credentials?.close();
    this.#relisting.stop();
    this.#opening?.abort();
    if (drainMs > 0) await this.#gate.untilIdle(drainMs);
    await this.#openings;
    await Promise.all([this.#connection, ...this.#retired].map((each) => each?.close()));
    this.#connection = undefined;
    this.#endFirstAttempt();
    this.#setStatus({ kind: "closed" });
    this.#gate.changeConnection();
  }
}
