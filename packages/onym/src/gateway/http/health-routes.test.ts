// Scrapes of metrics take their turn among the reads of their caller, and its share; probes do not (SAFE-5, OBS-1).

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EMPTY_LOCK } from "@onym/core";
import { afterEach, describe, expect, it } from "vitest";
import { systemEdgeClock } from "../../model/clock.js";
import { silentLog } from "../../model/log.js";
import { createMemoryKeeper } from "../catalog/name-lock.js";
import { createGateway } from "../create-gateway.js";
import { createQuotas } from "../sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../sessions/edge-limits.js";
import { createReadQueue, MAX_CALLER_READS } from "../sessions/read-queue.js";
import { buildSettings } from "../testing/test-callers.js";
import { createUnreadBytes, guardConnections } from "./guard-connections.js";
import { createHealthRoutes } from "./health-routes.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Metrics whose texts are ready when they are ended. Callers are who their `x-caller` says. */
async function start(given: Partial<EdgeLimits> & { readonly bytes?: number } = {}) {
  const { bytes = 10, ...limits } = given;
  const all = { ...DEFAULT_EDGE_LIMITS, ...limits };
  const ended: unknown[] = [];
  const gateway = createGateway({
    settings: buildSettings({ servers: [] }),
    locks: { tools: createMemoryKeeper(EMPTY_LOCK), prompts: createMemoryKeeper(EMPTY_LOCK) },
    log: silentLog,
    version: "0.0.0",
    today: () => "2026-11-19",
  });
  const texts: (() => void)[] = [];
  const stage = { isReady: false };
  const quotas = createQuotas(all, { ...systemEdgeClock, elapsed: () => 0 }, silentLog);
  const routes = createHealthRoutes({
    gateway,
    allow: ["127.0.0.1"],
    authenticator: {
      authenticate: async (headers) => {
        const principal = headers.get("x-caller");
        const proof = { until: undefined, isRenewable: false, counts: () => true };
        const known = {
          outcome: "known",
          profile: undefined,
          as: undefined,
          toolboxes: undefined,
          proof,
        } as const;
        return { ...known, isAnonymous: principal === undefined, principal: principal ?? "local" };
      },
      metadata: () => undefined,
    },
    callers: {
      quotas,
      clock: { ...systemEdgeClock, elapsed: () => 0 },
      reads: createReadQueue(),
      unread: createUnreadBytes(all, (_, __, facts) => ended.push(facts?.["limit"])),
    },
    trouble: async () => undefined,
    isDraining: () => false,
    metrics: {
      contentType: "text/plain; version=0.0.4; charset=utf-8",
      text: () =>
        new Promise((resolve) => {
          const end = (): void => resolve(new Uint8Array(bytes).fill(35));
          texts.push(end);
          if (stage.isReady) end();
        }),
    },
  });
  const server = createServer();
  guardConnections(server, { max: 1_000, unreadMs: 60_000, log: silentLog }, [routes]);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await gateway.close();
  });
  const ask = (path: string, caller?: string, method = "GET") =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: caller === undefined ? {} : { "x-caller": caller },
    });
  return {
    texts,
    ended,
    ask,
    endAll: () => {
      stage.isReady = true;
      for (const end of texts) end();
    },
    /** A client that asks and reads nothing. */
    async open(caller: string): Promise<Socket> {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      await once(socket, "connect");
      socket.write(`GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Caller: ${caller}\r\n\r\n`);
      return socket.pause();
    },
    async until(isTrue: () => boolean): Promise<void> {
      while (!isTrue()) await nextTurn();
    },
  };
}

describe("scrapes of metrics (SAFE-5, OBS-1)", () => {
  it("run one at a time of each caller, up to its share of reads, and others scrape meanwhile", async () => {
    const { ask, texts, endAll, until } = await start();
    const many = Array.from({ length: 60 }, () => ask("/metrics", "ann"));
    await until(() => texts.length > 0);
    const refused = await Promise.race(many);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    const other = ask("/metrics", "bob");
    await until(() => texts.length > 1);
    expect(texts).toHaveLength(2);
    endAll();
    expect((await other).status).toBe(200);
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1 + MAX_CALLER_READS);
  });

  it("are not begun for clients that have left", async () => {
    const { open, ask, texts, endAll, until } = await start();
    const leaving = [];
    for (let count = 0; count < 20; count += 1) leaving.push(await open("ann"));
    await until(() => texts.length > 0);
    const closed = leaving.map((socket) => once(socket, "close"));
    for (const socket of leaving) socket.destroy();
    await Promise.all(closed);
    // Behind them: their ends have arrived before it.
    const last = ask("/metrics", "ann");
    expect((await ask("/healthz")).status).toBe(200);
    endAll();
    expect((await last).status).toBe(200);
    expect(texts).toHaveLength(2);
  });

  it("count towards the rate of a caller with a name; all of this machine without one do not, nor do probes", async () => {
    const { ask, endAll } = await start({ callerRate: 3 });
    endAll();
    const asked = async (path: string, caller?: string) => {
      const answers = [];
      for (let count = 0; count < 5; count += 1) answers.push((await ask(path, caller)).status);
      return answers;
    };
    expect(await asked("/metrics", "ann")).toEqual([200, 200, 200, 429, 429]);
    expect((await ask("/metrics", "ann")).headers.get("retry-after")).toBe("1");
    expect(await asked("/metrics", "bob")).toEqual([200, 200, 200, 429, 429]);
    for (const path of ["/metrics", "/", "/healthz", "/readyz"])
      expect(await asked(path)).toEqual([200, 200, 200, 200, 200]);
    expect(await asked("/healthz", "ann")).toEqual([200, 200, 200, 200, 200]);
  });

  it("that nobody reads are bounded with what else their caller leaves unread", async () => {
    const { open, ended, endAll, until } = await start({ callerUnreadBytes: 20_000_000, bytes: 15_000_000 });
    endAll();
    const sockets = [await open("ann"), await open("ann"), await open("ann")];
    await until(() => ended.length > 0);
    expect(ended[0]).toBe("callerUnreadBytes");
    for (const socket of sockets) socket.destroy();
  });

  it("are answered as ever: their type to GET and HEAD, nothing to other methods", async () => {
    const { ask, endAll } = await start();
    endAll();
    const told = async (method: string) => {
      const answer = await ask("/metrics", "ann", method);
      return [answer.status, answer.headers.get("content-type"), await answer.text()];
    };
    const type = "text/plain; version=0.0.4; charset=utf-8";
    expect(await told("GET")).toEqual([200, type, "##########"]);
    expect(await told("HEAD")).toEqual([200, type, ""]);
    expect((await told("POST"))[0]).toBe(404);
    expect((await told("DELETE"))[0]).toBe(404);
  });
});

describe("probes (OBS-2)", () => {
  it("wait for no read: not while every place of every caller is taken", async () => {
    const { ask, texts, endAll, until } = await start();
    const scrapes = ["a", "b", "c", "d", "e"].map((caller) => ask("/metrics", caller));
    await until(() => texts.length === 4);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(200);
    endAll();
    expect((await Promise.all(scrapes)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });
});
