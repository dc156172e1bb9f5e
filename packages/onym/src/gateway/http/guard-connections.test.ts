// Connections beyond the bound, over real sockets (SAFE-5).

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { initialize, modern, openSession, post } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { silentLog } from "../../model/log.js";
import type { Authenticate } from "../auth/authenticate.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";
import {
  guardConnections,
  MAX_AHEAD_UNITS,
  MAX_PIPELINED,
  MAX_SMALL_PIECES,
  MAX_TARGET_LENGTH,
  MIN_PIECE_BYTES,
} from "./guard-connections.js";

let edge: ServedEdge;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await edge.close();
});

const MAX = 8;
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** A connection from an address of this machine; with `text` sent on it. */
async function open(localAddress = "127.0.0.2", text = ""): Promise<Socket> {
  const socket = connect({ port: edge.port, host: "127.0.0.1", localAddress });
  sockets.push(socket.on("error", () => {}));
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket.resume();
}
const PAGE_BYTES = 16 * 1024 * 1024;
/** A connection that takes the beginning of a page, and no more. */
async function openUnread(address: string, more = ""): Promise<Socket> {
  const socket = connect({ port: edge.port, host: "127.0.0.1", localAddress: address });
  sockets.push(socket.on("error", () => {}));
  socket.write(`GET /page?bytes=${PAGE_BYTES} HTTP/1.1\r\nHost: localhost\r\n\r\n${more}`);
  await once(socket, "readable");
  return socket;
}
/** Whoever says a name is believed. */
const byName: Authenticate = (headers) => ({
  outcome: "known",
  principal: headers.get("x-caller") ?? "somebody",
  isAnonymous: false,
  proof: { until: undefined, isRenewable: false, counts: () => true },
  profile: undefined,
  as: undefined,
  toolboxes: undefined,
});
const closedOf = (all: readonly Socket[]) => all.map(({ closed }) => closed);
/** Sent on a connection of its own, and answered when the connections before it were looked at. */
const isServed = async (): Promise<boolean> => {
  const socket = await open(
    "127.0.0.1",
    "GET /mcpx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
  );
  const ended = once(socket, "close");
  const [answer] = await once(socket, "data");
  await ended;
  return String(answer).startsWith("HTTP/1.1 418");
};

describe("connections that do nothing", () => {
  it("give way to those that come: one below, at and one above the bound (limits.connections) (SAFE-5)", async () => {
    const logged: unknown[] = [];
    edge = await serveEdge({
      connections: MAX,
      log: (_, text, facts) => void logged.push([text, facts?.["max"]]),
    });
    const idle: Socket[] = [];
    for (let n = 0; n < MAX - 1; n++) idle.push(await open());
    expect(await isServed()).toBe(true);
    expect(closedOf(idle)).not.toContain(true);
    idle.push(await open());
    expect(logged).toEqual([]);
    const [first] = idle;
    const ended = once(first as Socket, "close");
    expect(await isServed()).toBe(true);
    await ended;
    expect(closedOf(idle)).toEqual([true, ...new Array(MAX - 1).fill(false)]);
    expect(logged).toEqual([["too many connections are open; one that does nothing is ended", MAX]]);
  });

  it("of the address that has most give way first, and what is in flight goes on (SAFE-5)", async () => {
    edge = await serveEdge({ connections: MAX });
    const busy = await open(
      "127.0.0.3",
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    const other = await open("127.0.0.4");
    const many: Socket[] = [];
    for (let n = 0; n < 5 * MAX; n++) many.push(await open("127.0.0.5"));
    expect(await isServed()).toBe(true);
    expect(closedOf([busy, other])).toEqual([false, false]);
    expect((await post(edge.url, initialize())).status).toBe(200);
  });

  it("give way when they send a request slowly, of the caller with most, and what runs or is idle of others goes on (SAFE-5)", async () => {
    const logged: string[] = [];
    edge = await serveEdge({
      connections: MAX,
      authenticate: byName,
      log: (_, text) => void logged.push(text),
    });
    const { body, headers } = modern("tools/call", { name: "wait", arguments: {} });
    const running = post(edge.url, body, { headers });
    await edge.router.until("begin wait");
    /** Its header was read once the server tells it to go on. */
    const openSlow = async (caller: string): Promise<Socket> => {
      const head =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9";
      const socket = await open(undefined, `${head}\r\nX-Caller: ${caller}\r\nExpect: 100-continue\r\n\r\n{`);
      await once(socket, "data");
      return socket;
    };
    const single = await openSlow("ann");
    const idle = await open(undefined, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nX-Caller: ann\r\n\r\n");
    await once(idle, "data");
    for (let n = 0; n < 2 * MAX; n++) await openSlow("bob");
    expect(await isServed()).toBe(true);
    expect(closedOf([single, idle])).toEqual([false, false]);
    expect(logged).toContain("too many connections are open; one whose request does not arrive is ended");
    edge.router.release();
    expect((await running).status).toBe(200);
  });

  it("give way when they do not read their answers, longest unread first, of the address with most (SAFE-5)", async () => {
    const logged: string[] = [];
    edge = await serveEdge({ connections: MAX, log: (_, text) => void logged.push(text) });
    const { body, headers } = modern("tools/call", { name: "wait", arguments: {} });
    const running = post(edge.url, body, { headers });
    await edge.router.until("begin wait");
    const single = await openUnread("127.0.0.3");
    const many: Socket[] = [];
    for (let n = 0; n < 2 * MAX; n++) many.push(await openUnread("127.0.0.5"));
    expect(await isServed()).toBe(true);
    expect((await post(edge.url, initialize())).status).toBe(200);
    expect(logged).toContain("too many connections are open; one that does not read its answer is ended");
    for (const each of many) each.resume();
    await once(many[0] as Socket, "close");
    expect([single.closed, many.at(-1)?.closed]).toEqual([false, false]);
    edge.router.release();
    expect((await running).status).toBe(200);
  });

  it("are ended after a while where they do not read an answer, whatever route it is of (limits.unreadMs) (SAFE-5)", async () => {
    let log: (logged: unknown) => void;
    const logged = new Promise((resolve) => {
      log = resolve;
    });
    edge = await serveEdge({
      limits: { ...DEFAULT_EDGE_LIMITS, unreadMs: 100 },
      log: (_, text, facts) => log([text, facts?.["address"], facts?.["limit"]]),
    });
    const silent = await openUnread("127.0.0.3");
    const text = "a client does not read what it is sent; its connection is ended";
    expect(await logged).toEqual([text, "127.0.0.3", "unreadMs"]);
    silent.resume();
    await once(silent, "close");
  });

  it("have no time limit for the next answer, though the one before was read late (SAFE-5)", async () => {
    edge = await serveEdge();
    const server = createServer();
    const timeout = new Promise((resolve) => {
      guardConnections(server, { max: MAX, unreadMs: 60_000, log: silentLog }, [
        ({ url, socket }, res) => {
          if (url === "/next") resolve(socket.timeout);
          res.end(url === "/next" ? "" : Buffer.alloc(PAGE_BYTES));
          return true;
        },
      ]);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
    sockets.push(socket);
    const head = "HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(`GET /page ${head}GET /next ${head}`);
    expect(await timeout).toBe(0);
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ["nothing", ""],
    ["half a header", "POST /mcp HTTP/1.1\r\nHost: loc"],
  ])("because they send %s are ended after a while, and sessions go on (SAFE-5)", async (_, text) => {
    edge = await serveEdge({ settings: { headersTimeout: 50, connectionsCheckingInterval: 20 } });
    const headers = await openSession(edge.url);
    const silent = await open("127.0.0.2", text);
    await once(silent, "close");
    expect((await post(edge.url, PING, { headers })).status).toBe(200);
  });
});

describe("unread bytes", () => {
  const MB = 1024 * 1024;
  let edge: ServedEdge;

  describe("a client over HTTP", () => {
    const sockets: Socket[] = [];
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await edge.close();
    });

    const body = JSON.stringify(
      modern("tools/call", { name: "echo", arguments: { text: "x".repeat(12 * MB) } }).body,
    );
    const request = (text: string, headers = modern("tools/call", { name: "echo" }).headers) =>
      [
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
        `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      ].join("");
    /** Resolves with the limit that a connection was ended for. */
    const serve = async (
      limits: Partial<typeof DEFAULT_EDGE_LIMITS>,
    ): Promise<{ readonly logged: Promise<unknown> }> => {
      let resolve: (limit: unknown) => void;
      const logged = new Promise((settle) => {
        resolve = settle;
      });
      edge = await serveEdge({
        limits: { ...DEFAULT_EDGE_LIMITS, requestBytes: 16 * MB, ...limits },
        log: (_, text, facts) => {
          if (text.includes("its connection is ended")) resolve(facts?.["limit"] ?? facts?.["max"]);
        },
      });
      return { logged };
    };
    const connectSilently = (): Socket => {
      const socket = connect(edge.port, "127.0.0.1").on("error", () => {});
      socket.pause();
      sockets.push(socket);
      return socket;
    };

    it("that takes nothing of a large answer for long is ended, and others are served (SAFE-5)", async () => {
      const { logged } = await serve({ unreadMs: 300 });
      connectSilently().write(request(body));
      expect(await logged).toBe("unreadMs");
      expect((await post(edge.url, initialize())).status).toBe(200);
    });

    it("that is one of many which do not read is ended when they hold too much (SAFE-5)", async () => {
      const { logged } = await serve({ callerUnreadBytes: 12 * MB });
      for (let n = 0; n < 4; n++) connectSilently().write(request(body));
      expect(await logged).toBe("callerUnreadBytes");
      expect((await post(edge.url, initialize())).status).toBe(200);
    });

    it.each([
      ["one below", MAX_PIPELINED - 1],
      ["at", MAX_PIPELINED],
      ["one above", MAX_PIPELINED + 1],
    ])(
      "may send requests before the first is answered, and is ended for too many: %s the limit (limits: MAX_PIPELINED of guard-connections) (SAFE-5)",
      async (_, count) => {
        const { logged } = await serve({});
        const socket = connectSilently();
        const wait = modern("tools/call", { name: "wait" });
        const closed = new Promise((resolve) => socket.once("close", resolve));
        socket.resume();
        socket.write(request(JSON.stringify(wait.body), wait.headers).repeat(count));
        const answered = count > MAX_PIPELINED ? 0 : count;
        for (let n = 1; n <= answered; n += 1) {
          await edge.router.until("begin wait", n);
          edge.router.release();
        }
        if (answered === 0) {
          expect(await logged).toBe(MAX_PIPELINED);
          await closed;
          await edge.router.until("abort wait");
        }
        const begun = edge.router.events.filter((event) => event === "begin wait");
        expect(begun).toHaveLength(Math.max(answered, 1));
        expect((await post(edge.url, initialize())).status).toBe(200);
      },
    );
  });
});

describe("a target", () => {
  it.each([
    ["one below", -1, 200],
    ["at", 0, 200],
    ["one above", 1, 414],
  ])(
    "is refused before it is taken apart: %s the limit (limits: MAX_TARGET_LENGTH of guard-connections) (SAFE-4)",
    async (_, more, status) => {
      edge = await serveEdge();
      const start = "/mcp?as=";
      const target = start + "x".repeat(MAX_TARGET_LENGTH + more - start.length);
      const answer = await post(`${edge.origin}${target}`, initialize());
      expect(answer.status).toBe(status);
      if (status === 414) expect(answer.json.error.message).toContain("at most 8192 characters");
    },
  );
});

describe("a body", () => {
  const HEAD = "Host: localhost\r\nContent-Type: application/json\r\n";
  const CHUNKED = `POST /mcp HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  /** All that is answered until the connection ends, or the answer to a request that ends it. */
  const answerTo = async (text: string): Promise<string> => {
    const socket = connect(edge.port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    let received = "";
    socket.setEncoding("latin1").on("data", (part) => {
      received += part;
    });
    socket.write(text);
    await once(socket, "close");
    return received;
  };
  const ASKED = JSON.stringify(initialize());
  const END = `0\r\n\r\nGET /mcpx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

  it.each([
    ["one below", MAX_SMALL_PIECES - 1, 200],
    ["at", MAX_SMALL_PIECES, 200],
    ["one above", MAX_SMALL_PIECES + 1, 400],
  ])(
    "comes in so many small pieces: %s the limit (limits: MAX_SMALL_PIECES of guard-connections) (SAFE-4)",
    async (_, pieces, status) => {
      edge = await serveEdge();
      const small = chunk(" ").repeat(pieces - 1);
      expect(await answerTo(`${CHUNKED}${chunk(ASKED)}${small}${END}`)).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status} `),
      );
      expect(edge.router.hints).toHaveLength(status === 200 ? 1 : 0);
    },
  );

  it.each([
    ["one below", MIN_PIECE_BYTES - 1, 400],
    ["at", MIN_PIECE_BYTES, 200],
    ["one above", MIN_PIECE_BYTES + 1, 200],
  ])(
    "comes in many pieces of enough bytes: %s the limit (limits: MIN_PIECE_BYTES of guard-connections) (SAFE-4)",
    async (_, bytes, status) => {
      edge = await serveEdge();
      const text = ASKED.padEnd(bytes * (MAX_SMALL_PIECES + 1));
      const pieces = text.match(new RegExp(`.{1,${bytes}}`, "g")) ?? [];
      const answer = await answerTo(`${CHUNKED}${pieces.map(chunk).join("")}${END}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      if (status === 400) expect(answer).toContain("Send larger chunks");
    },
  );

  it("in small pieces that nobody reads ends its connection, too (SAFE-4)", async () => {
    edge = await serveEdge();
    const small = chunk(" ").repeat(MAX_SMALL_PIECES + 1);
    expect(await answerTo(CHUNKED.replace("POST /mcp", "POST /never") + small)).toBe("");
  });

  it.each([
    ["one below", MAX_AHEAD_UNITS - 1, false],
    ["at", MAX_AHEAD_UNITS, false],
    ["one above", MAX_AHEAD_UNITS + 1, true],
  ])(
    "of requests that wait behind another takes so much work: %s the limit (limits: MAX_AHEAD_UNITS of guard-connections) (SAFE-4)",
    async (_, units, isEnded) => {
      edge = await serveEdge();
      const { body, headers } = modern("tools/call", { name: "wait" });
      const running = new AbortController();
      const socket = await open("127.0.0.2");
      const text = JSON.stringify(body);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `POST /mcp HTTP/1.1\r\n${HEAD}${lines.join("")}Content-Length: ${text.length}\r\n\r\n${text}`,
      );
      await edge.router.until("begin wait");
      const closed = once(socket, "close", { signal: running.signal }).catch(() => []);
      // 1 for each of the requests, and 1 for 4 pieces.
      const pieces = chunk(" ").repeat(4 * (units - 3));
      socket.write(`${CHUNKED}${pieces}0\r\n\r\n${CHUNKED}0\r\n\r\n${CHUNKED}`);
      expect(await isServed()).toBe(true);
      if (isEnded) await closed;
      expect(socket.closed).toBe(isEnded);
      running.abort();
    },
  );

  it("of a pipelined request ends its connection, too (SAFE-4)", async () => {
    edge = await serveEdge();
    const wait = modern("tools/call", { name: "wait" });
    const text = JSON.stringify(wait.body);
    const headers = Object.entries(wait.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const first = `POST /mcp HTTP/1.1\r\n${HEAD}${headers.join("")}Content-Length: ${text.length}\r\n\r\n${text}`;
    expect(await answerTo(first + CHUNKED + chunk(" ").repeat(MAX_SMALL_PIECES + 1))).toBe("");
  });

  it.each([
    ["is unknown", "POST /mcpx", 418],
    ["takes another method", "PUT /mcp", 405],
  ])(
    "that is not there yet when its target %s is not read, and the connection ends (SAFE-5)",
    async (_, start, status) => {
      edge = await serveEdge();
      expect(await answerTo(`${start} HTTP/1.1\r\n${HEAD}Content-Length: 1000\r\n\r\n{`)).toMatch(
        new RegExp(`^HTTP/1\\.1 ${status} `),
      );
    },
  );

  it("that is there when its target is refused leaves the connection as it is (SAFE-5)", async () => {
    edge = await serveEdge();
    const answer = await answerTo(
      `PUT /mcp HTTP/1.1\r\n${HEAD}Content-Length: 2\r\n\r\n{}${END.slice("0\r\n\r\n".length)}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*HTTP\/1\.1 418 /s);
  });
});
