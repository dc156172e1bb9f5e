// Connections beyond the bound, over real sockets (SAFE-5).

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { initialize, openSession, post } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";

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
  it("give way to those that come: one below, at and above the bound (SAFE-5)", async () => {
    const told: unknown[] = [];
    edge = await serveEdge({
      connections: MAX,
      log: (_, text, facts) => void told.push([text, facts?.["max"]]),
    });
    const idle: Socket[] = [];
    for (let n = 0; n < MAX - 1; n++) idle.push(await open());
    expect(await isServed()).toBe(true);
    expect(closedOf(idle)).not.toContain(true);
    idle.push(await open());
    expect(told).toEqual([]);
    const [first] = idle;
    const ended = once(first as Socket, "close");
    expect(await isServed()).toBe(true);
    await ended;
    expect(closedOf(idle)).toEqual([true, ...new Array(MAX - 1).fill(false)]);
    expect(told).toEqual([["too many connections are open; one that does nothing is ended", MAX]]);
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
