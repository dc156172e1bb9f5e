// One caller takes only a caller's share, over real HTTP (SAFE-5).

import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { framesOf, initialize, modern, post, send } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import type { Authenticate } from "../auth/authenticate.js";
import { createAuthenticator } from "../auth/create-authenticator.js";
import { ALL_REQUESTS, CALLER_REQUESTS } from "./edge-callers.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "./edge-limits.js";

let edge: ServedEdge;
afterEach(() => edge.close());

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** Whoever says a name is believed; whoever says none is refused. */
const byName: Authenticate = (headers) => {
  const principal = headers.get("x-caller");
  if (principal === undefined)
    return { outcome: "refused", code: "unauthenticated", challenge: "Bearer", reason: "say who you are" };
  const proof = { until: undefined, isRenewable: false, counts: () => true };
  return {
    outcome: "known",
    principal,
    isAnonymous: false,
    proof,
    profile: undefined,
    as: undefined,
    toolboxes: undefined,
  };
};

async function serve(limits: Partial<EdgeLimits>, log: string[] = []): Promise<void> {
  edge = await serveEdge({
    limits: { ...DEFAULT_EDGE_LIMITS, ...limits },
    authenticate: byName,
    log: (_, text, facts) => void log.push(`${text} ${facts?.["caller"]} ${facts?.["limit"]}`),
  });
}

async function begin(caller: string): Promise<Record<string, string>> {
  const { status, headers } = await post(edge.url, initialize(), { headers: { "x-caller": caller } });
  expect(status).toBe(200);
  return { "x-caller": caller, "mcp-session-id": headers.get("mcp-session-id") ?? "" };
}

async function open(caller: string): Promise<Record<string, string>> {
  const session = await begin(caller);
  await post(edge.url, { jsonrpc: "2.0", method: "notifications/initialized" }, { headers: session });
  return session;
}

const isOpen = async (headers: Record<string, string>) =>
  (await post(edge.url, PING, { headers })).status === 200;
const wait = (headers: Record<string, string>, id: number | string = 1) =>
  post(
    edge.url,
    { jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait", arguments: {} } },
    { headers },
  );
const waitModern = (caller: string, name = "wait") => {
  const { body, headers } = modern("tools/call", { name, arguments: {} }, "m");
  return post(edge.url, body, { headers: { ...headers, "x-caller": caller } });
};
const listen = (caller: string) => {
  const { body, headers } = modern("subscriptions/listen", { notifications: {} }, "l");
  return send(edge.url, body, { headers: { ...headers, "x-caller": caller } });
};
const stream = (headers: Record<string, string>) =>
  fetch(edge.url, { headers: { accept: "text/event-stream", ...headers } });

describe("sessions of one caller", () => {
  it("take the place of its own, never of another's: one below, at and one above its share (limits.callerSessions) (SAFE-5)", async () => {
    await serve({ sessions: 10, callerSessions: 3 });
    const bob = await open("bob");
    const ann = [await open("ann"), await open("ann")];
    expect(await Promise.all(ann.map(isOpen))).toEqual([true, true]);
    ann.push(await open("ann"));
    expect(await Promise.all(ann.map(isOpen))).toEqual([true, true, true]);
    await open("ann");
    expect((await Promise.all(ann.map(isOpen))).filter((each) => each)).toHaveLength(2);
    for (let n = 0; n < 20; n++) await open("ann");
    expect(await Promise.all(ann.map(isOpen))).toEqual([false, false, false]);
    expect(await isOpen(bob)).toBe(true);
    await open("eve");
  });

  it.each([
    ["stay while their client is in the handshake", 5_000, [false, true]],
    ["go first once they were never used for five seconds", 5_001, [true, false]],
  ])("%s (SAFE-5)", async (_, ms, stillOpen) => {
    await serve({ sessions: 10, callerSessions: 2 });
    const used = await open("ann");
    const begun = await begin("ann");
    edge.clock.pass(ms);
    await begin("ann");
    expect([await isOpen(used), await isOpen(begun)]).toEqual(stillOpen);
  });

  it("are refused with a time to try again where all of them are busy, and others are not (SAFE-5)", async () => {
    const log: string[] = [];
    await serve({ sessions: 3, callerSessions: 2 }, log);
    const ann = [await open("ann"), await open("ann")];
    const waiting = ann.map((headers) => wait(headers));
    await edge.router.until("begin wait", 2);
    const refused = await post(edge.url, initialize(), { headers: { "x-caller": "ann" } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refused.json).toMatchObject({
      id: 0,
      error: { code: -32000, data: { limit: "callerSessions", max: 2, retryAfterMs: 1000 } },
    });
    expect(refused.json.error.message).toContain("this caller has 2 sessions open");
    expect(log).toContain("a caller takes more than its share and is refused caller:ann callerSessions");
    await open("bob");
    edge.router.release();
    await Promise.all(waiting);
    await open("ann");
  });

  it("that only listen give way where all of them are taken by who has most (SAFE-5)", async () => {
    await serve({ sessions: 4, callerSessions: 4 });
    const ann = [await open("ann"), await open("ann"), await open("ann"), await open("ann")];
    const streams = await Promise.all(ann.map(stream));
    await open("bob");
    expect(edge.router.events.filter((event) => event === "leave")).toHaveLength(1);
    for (const each of streams) await each.body?.cancel();
  });

  it("of callers without a proof are counted by where they connect from (SAFE-5)", async () => {
    edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, callerSessions: 1 } });
    const first = await post(edge.url, initialize());
    const second = await post(edge.url, initialize());
    const states = [first, second].map(({ headers }) =>
      isOpen({ "mcp-session-id": headers.get("mcp-session-id") ?? "" }),
    );
    expect(await Promise.all(states)).toEqual([false, true]);
    expect(edge.router.hints.map(({ callerKey }) => callerKey)).toEqual([
      "address:127.0.0.1",
      "address:127.0.0.1",
    ]);
  });
});

describe("streams of one caller", () => {
  it("are refused beyond its share, of every kind, and others are not (SAFE-5)", async () => {
    await serve({ callerStreams: 2 });
    const [one, two] = [await open("ann"), await open("ann")];
    const first = await stream(one);
    const second = await listen("ann");
    expect([first.status, second.status]).toEqual([200, 200]);
    const refused = [await stream(two), await listen("ann")];
    refused.push(await fetch(`${edge.origin}/sse`, { headers: { "x-caller": "ann" } }));
    for (const each of refused) {
      expect([each.status, each.headers.get("retry-after")]).toEqual([429, "1"]);
      expect(JSON.parse(await each.text()).error.data.limit).toBe("callerStreams");
    }
    const others = await stream(await open("bob"));
    expect(others.status).toBe(200);
    await first.body?.cancel();
    await edge.router.until("listen");
    for (let status = 0; status !== 200; ) {
      const again = await stream(two);
      ({ status } = again);
      await again.body?.cancel();
    }
    await second.body?.cancel();
    await others.body?.cancel();
  });
});

describe("streams of all callers", () => {
  it("at the limit: the oldest of the caller with the most gives way to one who has fewer (SAFE-5)", async () => {
    await serve({ streams: 5 });
    const ann = [await listen("ann"), await stream(await open("ann")), await listen("ann")];
    const bob = [await listen("bob"), await listen("bob")];
    const late = await listen("cyd");
    expect(late.status).toBe(200);
    // Ends with its result; the others go on.
    expect(await ann[0]?.text()).toContain('"result"');
    const another = await stream(await open("dan"));
    expect(another.status).toBe(200);
    expect(await ann[1]?.text()).toBeDefined();
    // Nobody has two more than a second of this one would be.
    const refused = await listen("dan");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    // The place of one that left is free once, as are those of the ones that gave way.
    await late.body?.cancel();
    const left = [ann[2], ...bob, another];
    for (let status = 0; status !== 200; ) {
      const again = await listen("ann");
      ({ status } = again);
      left.push(again);
    }
    expect((await listen("dan")).status).toBe(503);
    for (const each of left) await each?.body?.cancel();
  });
});

describe("requests of one caller in flight", () => {
  it("are refused beyond its share, over sessions and eras, and others are not (SAFE-5)", async () => {
    await serve({ callerPending: 3 });
    const [one, two] = [await open("ann"), await open("ann")];
    const waiting = [wait(one), wait(two)];
    await edge.router.until("begin wait", 2);
    expect((await post(edge.url, PING, { headers: one })).status).toBe(200);
    waiting.push(waitModern("ann"));
    await edge.router.until("begin wait", 3);
    for (const refused of [await wait(one, "x"), await waitModern("ann", "echo")]) {
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      expect(refused.json.error).toMatchObject({ code: -32000, data: { limit: "callerPending", max: 3 } });
      expect(refused.json.id).toMatch(/^[xm]$/);
    }
    expect((await waitModern("bob", "echo")).status).toBe(200);
    edge.router.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await waitModern("ann", "echo")).status).toBe(200);
  });

  it("still count when the client has gone while the server works (SAFE-5)", async () => {
    await serve({ callerPending: 1 });
    const session = await open("ann");
    const leaving = new AbortController();
    const gone = send(
      edge.url,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", arguments: {} } },
      { headers: session, signal: leaving.signal },
    );
    await edge.router.until("begin wait");
    leaving.abort();
    await expect(gone).rejects.toThrow();
    expect((await post(edge.url, PING, { headers: session })).status).toBe(429);
    edge.router.release();
    expect((await post(edge.url, PING, { headers: session })).status).toBe(200);
  });
});

describe("bytes of requests of one caller", () => {
  const BYTES = 1_000;
  const serveSmall = () => serve({ requestBytes: BYTES, callerPending: 1_000, callerRate: 10_000 });
  /** A request of which all bytes but the last have come. */
  const beginRequest = (caller: string) => {
    const sending = request(edge.url, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json", "content-length": BYTES, "x-caller": caller },
    });
    const answered = new Promise<number | undefined>((resolve) => {
      sending.on("response", (response) => resolve(response.statusCode));
      sending.on("error", () => resolve(undefined));
    });
    sending.write(Buffer.alloc(BYTES - 1, " "));
    return { answered, end: () => sending.destroy() };
  };
  const waitLarge = (headers: Record<string, string>, tool = "wait") => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: { a: "" } },
    };
    const room = BYTES - JSON.stringify(call).length;
    call.params.arguments.a = "x".repeat(room);
    return post(edge.url, call, { headers });
  };

  it("are refused beyond its share while they arrive, and others are not (SAFE-5)", async () => {
    await serveSmall();
    const ann = Array.from({ length: CALLER_REQUESTS + 2 }, () => beginRequest("ann"));
    expect(await Promise.race(ann.map(({ answered }) => answered))).toBe(429);
    const bob = await open("bob");
    expect((await waitLarge(bob, "echo")).status).toBe(200);
    for (const each of ann) each.end();
  });

  it("are refused beyond its share while they have no reply, also where the client has gone (SAFE-5)", async () => {
    await serveSmall();
    const session = await open("ann");
    const waiting = Array.from({ length: CALLER_REQUESTS - 1 }, () => waitLarge(session));
    await edge.router.until("begin wait", CALLER_REQUESTS - 1);
    const leaving = new AbortController();
    const gone = send(
      edge.url,
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "wait", arguments: { a: "x".repeat(850) } },
      },
      { headers: session, signal: leaving.signal },
    );
    await edge.router.until("begin wait", CALLER_REQUESTS);
    leaving.abort();
    await expect(gone).rejects.toThrow();
    const refused = await waitLarge(session, "echo");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refused.json.error.data).toEqual({
      limit: "requestBytes",
      max: CALLER_REQUESTS * BYTES,
      retryAfterMs: 1_000,
    });
    expect(await isOpen(session)).toBe(true);
    edge.router.release();
    await Promise.all(waiting);
    expect((await waitLarge(session, "echo")).status).toBe(200);
  });

  it("are an equal part where all have too many, so that who has less goes on (SAFE-5)", async () => {
    await serveSmall();
    const callers = ["ann", "bob", "cyd", "dan", "eve"];
    const many = callers.flatMap((caller) => Array.from({ length: 27 }, () => beginRequest(caller)));
    expect(callers.length * 27).toBeGreaterThan(ALL_REQUESTS);
    expect(await Promise.race(many.map(({ answered }) => answered))).toBe(429);
    expect((await waitLarge(await open("fay"), "echo")).status).toBe(200);
    for (const each of many) each.end();
  });
});

describe("server requests to one caller", () => {
  it("are refused beyond its share, over its sessions, and others are asked: one below, at and one above (limits.callerQuestions) (SAFE-5)", async () => {
    await serve({ callerQuestions: 2 });
    const ask = async (session: Record<string, string>) => {
      const params = { name: "ask", arguments: {} };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const frames = framesOf(await send(edge.url, call, { headers: session }));
      await frames.next();
      return JSON.parse((await frames.next())?.data ?? "");
    };
    const ann = [await open("ann"), await open("ann"), await open("ann")] as const;
    const serverRequest = await ask(ann[0]);
    expect(serverRequest.method).toBe("elicitation/create");
    expect((await ask(ann[1])).method).toBe("elicitation/create");
    const [, , third] = ann;
    const refused = await post(edge.url, askCall, { headers: third });
    expect(refused.json.error).toMatchObject({ code: -32000, data: { limit: "callerQuestions", max: 2 } });
    expect((await ask(await open("bob"))).method).toBe("elicitation/create");
    await post(
      edge.url,
      { jsonrpc: "2.0", id: serverRequest.id, result: { action: "accept" } },
      { headers: ann[0] },
    );
    expect((await ask(third)).method).toBe("elicitation/create");
  });
});

const askCall = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "ask", arguments: {} },
};

interface Refused {
  readonly data: unknown;
  readonly message: string;
}

describe("requests of one caller in a second", () => {
  it("are refused with 429 and when to try again: one below, at and one above its share (limits.callerRate) (SAFE-5)", async () => {
    await serve({ callerRate: 4 });
    const statuses = async (caller: string, count: number) => {
      const all: number[] = [];
      for (let n = 0; n < count; n++) all.push((await waitModern(caller, "echo")).status);
      return all;
    };
    expect(await statuses("ann", 3)).toEqual([200, 200, 200]);
    expect(await statuses("ann", 2)).toEqual([200, 429]);
    const refused = await waitModern("ann", "echo");
    expect([refused.headers.get("retry-after"), refused.json.error.data]).toEqual([
      "1",
      { limit: "callerRate", max: 4, retryAfterMs: 250 },
    ]);
    expect(refused.json.error.message).toBe(
      "Too Many Requests: this caller makes more than 4 requests a second. Try again in 1 s.",
    );
    expect(await statuses("bob", 4)).toEqual([200, 200, 200, 200]);
    edge.clock.pass(249);
    expect(await statuses("ann", 1)).toEqual([429]);
    edge.clock.pass(1);
    expect(await statuses("ann", 2)).toEqual([200, 429]);
    edge.clock.pass(10_000);
    expect(await statuses("ann", 5)).toEqual([200, 200, 200, 200, 429]);
  });

  it("count one by one in a batch (SAFE-5)", async () => {
    await serve({ callerRate: 4 });
    const opened = await post(edge.url, initialize("2025-03-26"), { headers: { "x-caller": "ann" } });
    const headers = { "x-caller": "ann", "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    edge.clock.pass(10_000);
    const { json } = await post(edge.url, Array(6).fill(PING), { headers });
    const limits = json.map((each: { error?: { data: { limit: string } } }) => each.error?.data.limit);
    expect(limits).toEqual([undefined, undefined, undefined, undefined, "callerRate", "callerRate"]);
  });

  it("count one for each resource that a subscription follows: one below, at and one above (SAFE-5)", async () => {
    await serve({ callerRate: 4 });
    const follow = async (caller: string, count: number) => {
      const resourceSubscriptions = Array.from({ length: count }, (_, n) => `note://${n}`);
      const notifications = { resourceSubscriptions };
      const { body, headers } = modern("subscriptions/listen", { notifications }, `${caller} ${count}`);
      const response = await send(edge.url, body, { headers: { ...headers, "x-caller": caller } });
      const { status } = response;
      if (status === 200) await response.body?.cancel();
      else return { status, error: ((await response.json()) as { readonly error: Refused }).error };
      return { status };
    };
    const statuses = [await follow("ann", 3), await follow("bob", 4), await follow("cyd", 1)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
    // One is left, which the request itself takes.
    const { status, error } = await follow("ann", 2);
    expect([status, error?.data]).toEqual([429, { limit: "callerRate", max: 4, retryAfterMs: 250 }]);
    expect(error?.message).toContain("4 requests a second, with each resource of a subscription counted");
    edge.clock.pass(500);
    expect((await follow("ann", 2)).status).toBe(200);
    // More than a second of requests: if there were no others, and then for as long as it is worth.
    expect((await follow("dan", 10)).status).toBe(200);
    edge.clock.pass(1_749);
    expect((await follow("dan", 0)).status).toBe(429);
    edge.clock.pass(1);
    expect((await follow("dan", 0)).status).toBe(200);
  });

  it("count where nobody is let in, too: who guesses tokens is slowed down (SAFE-5)", async () => {
    await serve({ callerRate: 2 });
    const guess = async () => (await post(edge.url, initialize())).status;
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 429]);
    await open("ann");
  });

  it("have no bound without a proof on this machine, where all are one caller (SAFE-5)", async () => {
    edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, callerRate: 1 } });
    for (let n = 0; n < 5; n++) expect((await post(edge.url, initialize())).status).toBe(200);
  });

  it("have none either where the gateway was told to ask nobody for a proof (SAFE-5)", async () => {
    const { authenticate } = createAuthenticator({
      settings: undefined,
      resource: () => "http://127.0.0.1/mcp",
      log: () => {},
      now: Date.now,
    });
    edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, callerRate: 1 }, authenticate });
    for (let n = 0; n < 5; n++) expect((await post(edge.url, initialize())).status).toBe(200);
  });
});
