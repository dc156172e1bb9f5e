// What clients do wrong. What they get is a status of HTTP, or the end of their connection (0); the server is well.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { modern, send } from "../edge/http-client.js";
import type { ClientPlace, Fault, Outcome } from "./fault.js";

const CLIENT_PATIENCE_MS = 10_000;

/** Sends bytes as they are, and reads the status that comes. */
async function exchange({ url }: ClientPlace, text: string | Buffer, isOver = true): Promise<Outcome> {
  const socket = await connected(url);
  socket.write(text);
  if (isOver) socket.end();
  const answer = await new Promise<string>((resolve) => {
    let heard = "";
    socket.setTimeout(CLIENT_PATIENCE_MS, () => socket.destroy());
    socket.on("data", (part) => {
      heard += String(part);
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(heard));
  });
  return { kind: "http", status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0) };
}

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

const post = ({ url }: ClientPlace, length: number, body: string): string =>
  `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: ${new URL(url).host}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** Calls, and goes away as soon as the call is on its way. */
async function leave({ url, tool, nonce }: ClientPlace): Promise<Outcome> {
  const { body, headers } = modern("tools/call", { name: tool, arguments: { nonce } });
  const stop = new AbortController();
  const came = send(url, body, { headers, signal: stop.signal }).then(
    ({ status }) => status,
    () => 0,
  );
  setImmediate(() => stop.abort());
  return { kind: "http", status: await came };
}

/** Many requests on one connection, and not a byte of the answers read. */
async function neverRead(place: ClientPlace): Promise<Outcome> {
  const socket = await connected(place.url);
  socket.pause();
  socket.on("error", () => {});
  const body = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
  for (let count = 0; count < 50; count += 1) socket.write(post(place, body.length, body));
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  return { kind: "http", status: 0 };
}

type Row = readonly [
  name: string,
  happen: (place: ClientPlace) => Promise<Outcome>,
  status: readonly number[],
];

const ROWS: readonly Row[] = [
  ["client: leaves in a call", leave, [0, 200]],
  [
    "client: half a request, then gone",
    (place) => exchange(place, post(place, 500, '{"jsonrpc":')),
    [0, 400],
  ],
  ["client: no HTTP at all", (place) => exchange(place, "\0\u0001\u0002 hello\r\n\r\n"), [400]],
  ["client: a body that is no JSON", (place) => exchange(place, post(place, 5, "{oops")), [400]],
  ["client: a body of 5 MB", (place) => exchange(place, post(place, 5_000_000, ""), false), [413]],
  [
    "client: 40 kB of headers",
    (place) => exchange(place, `GET /mcp HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(40_000)}\r\n\r\n`),
    [431],
  ],
  [
    "client: two hosts",
    (place) =>
      exchange(
        place,
        `POST /mcp HTTP/1.1\r\nhost: ${new URL(place.url).host}\r\nhost: evil.example\r\ncontent-length: 2\r\n\r\n{}`,
      ),
    [400, 403, 421],
  ],
  ["client: pipelines 50 requests and reads nothing", neverRead, [0]],
];

export const CLIENT_FAULTS: readonly Fault[] = ROWS.map(([name, happen, status]) => ({
  name,
  expect: { kind: "http", status },
  // A call whose client left may have run or not.
  ran: Number.NaN,
  cause: { kind: "client", happen },
}));
