// What goes wrong between Onym and a server over HTTP, or at such a server.

import { setTimeout as wait } from "node:timers/promises";
import { TOO_DEEP } from "../../packages/onym/src/mcp/json.js";
import { type Fault, RESULT, refusal, unknown } from "./fault.js";
import type { ProxiedCall, ProxyFault } from "./fault-proxy.js";

const HTML = "<!doctype html><title>Bad gateway</title><p>nginx</p>";
const event = (data: string, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
const stream = ({ response }: ProxiedCall): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
};
const head = (length: number, type = "application/json"): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;

const BROKEN = unknown(/broke off before it answered tools\/call/);
const NESTED = unknown(new RegExp(`answered tools/call with a result ${TOO_DEEP.reason}`));
const SILENT = unknown(/did not answer tools\/call within \d+ s/);
const status = (code: number): RegExp => new RegExp(`answered HTTP ${code}`);

type Row = readonly [name: string, fault: ProxyFault, expect: Fault["expect"], ran: number];

const CONNECTION: readonly Row[] = [
  ["http: reset before the call ran", ({ socket }) => void socket.resetAndDestroy(), BROKEN, 0],
  [
    "http: reset after the call ran",
    ({ socket, run }) => {
      run();
      socket.resetAndDestroy();
    },
    BROKEN,
    1,
  ],
  ["http: closed without an answer", ({ socket }) => void socket.end(), BROKEN, 0],
  [
    "http: half closed after the head",
    ({ raw, socket }) => {
      raw(head(100));
      socket.end();
    },
    BROKEN,
    0,
  ],
  [
    "http: reset in the middle of the answer",
    ({ raw, run, socket }) => {
      const text = run();
      raw(head(text.length) + text.slice(0, 20));
      setImmediate(() => socket.resetAndDestroy());
    },
    BROKEN,
    1,
  ],
  ["http: never answers", () => {}, SILENT, 0],
  ["http: a head, and then nothing", ({ raw }) => raw(head(100)), SILENT, 0],
  [
    "http: drips its answer, a byte at a time",
    async ({ response, run, socket }) => {
      const text = run();
      socket.setNoDelay(true);
      response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
      for (const byte of text) {
        response.write(byte);
        await wait(1);
      }
      response.end();
    },
    RESULT,
    1,
  ],
  [
    "http: drips and never comes to an end",
    async ({ raw, socket }) => {
      raw(head(1_000_000));
      while (socket.writable && !socket.destroyed) {
        raw(" ");
        await wait(20);
      }
    },
    SILENT,
    0,
  ],
  [
    "http: speaks another protocol",
    ({ raw, socket }) => {
      raw("SSH-2.0-OpenSSH_9.6\r\n");
      socket.end();
    },
    BROKEN,
    0,
  ],
  [
    "http: heads of 200 kB",
    ({ raw }) => raw(`HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(200_000)}\r\n\r\n`),
    BROKEN,
    0,
  ],
  [
    "http: chunks of a wrong size",
    ({ raw, socket }) => {
      raw(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
      );
      socket.end();
    },
    BROKEN,
    0,
  ],
];

const CONTENT: readonly Row[] = [
  ["http: garbage that claims to be JSON", ({ answer }) => answer(200, "\0\u0001 not json"), BROKEN, 0],
  ["http: JSON that is cut off", ({ answer, run }) => answer(200, run().slice(0, -10)), BROKEN, 1],
  [
    "http: JSON nested 100,000 deep",
    ({ answer, id }) =>
      answer(200, `{"jsonrpc":"2.0","id":${id},"result":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`),
    NESTED,
    0,
  ],
  ["http: an empty answer", ({ answer }) => answer(200, ""), BROKEN, 0],
  [
    "http: an answer to another id",
    ({ answer }) => answer(200, '{"jsonrpc":"2.0","id":98765,"result":{}}'),
    BROKEN,
    0,
  ],
  [
    "http: an answer of 3 MB, over the limit",
    ({ answer }) => answer(200, " ".repeat(3_000_000)),
    unknown(/sent a message of more than/),
    0,
  ],
  [
    "http: a page with status 200",
    ({ answer }) => answer(200, HTML, { "content-type": "text/html" }),
    unknown(/text\/html instead of JSON/),
    0,
  ],
  [
    "http: JSON that claims to be text",
    ({ answer, run }) => answer(200, run(), { "content-type": "text/plain" }),
    RESULT,
    1,
  ],
  [
    "http: packed, though nobody asked for it",
    ({ answer }) => answer(200, "\u001f\u008b\b", { "content-encoding": "gzip" }),
    BROKEN,
    0,
  ],
  [
    "http: accepted, without an answer",
    ({ answer }) => answer(202, ""),
    unknown(/accepted tools\/call without an answer/),
    0,
  ],
  [
    "http: a stream that ends without the answer",
    (call) => {
      stream(call);
      call.response.end(event("{}"));
    },
    BROKEN,
    0,
  ],
  [
    "http: a stream with rubbish before the answer",
    (call) => {
      stream(call);
      call.response.end(`: hi\n\nfoo\n\n${event("{oops")}${event("[]")}${event(call.run())}`);
    },
    RESULT,
    1,
  ],
  [
    "http: a stream that answers twice",
    (call) => {
      stream(call);
      call.response.end(event(call.run()) + event(`{"jsonrpc":"2.0","id":${call.id},"result":{}}`));
    },
    RESULT,
    1,
  ],
  [
    "http: a stream with one event beyond the limit",
    (call) => {
      stream(call);
      call.response.end(event("x".repeat(3_000_000)));
    },
    unknown(/sent a message of more than/),
    0,
  ],
];

const STATUS: readonly Row[] = [
  [
    "http: 400",
    ({ answer }) => answer(400, '{"error":"bad request"}'),
    refusal(status(400), { httpStatus: 400 }),
    0,
  ],
  [
    "http: 400 that speaks of a session, after the call ran",
    ({ answer, run }) => {
      run();
      answer(400, "unknown browser session");
    },
    refusal(status(400)),
    1,
  ],
  ["http: 401", ({ answer }) => answer(401, ""), refusal(status(401), { httpStatus: 401 }), 0],
  ["http: 403", ({ answer }) => answer(403, "forbidden"), refusal(status(403), { httpStatus: 403 }), 0],
  [
    "http: 429 with Retry-After",
    ({ answer }) => answer(429, "", { "retry-after": "7" }),
    refusal(status(429), { httpStatus: 429, retryAfterMs: 7_000 }),
    0,
  ],
  [
    "http: 500",
    ({ answer }) => answer(500, '{"error":"boom"}'),
    unknown(status(500), { httpStatus: 500 }),
    0,
  ],
  [
    "http: 500 after the call ran",
    ({ answer, run }) => {
      run();
      answer(500, "boom");
    },
    unknown(status(500), { httpStatus: 500 }),
    1,
  ],
  [
    "http: 502 with a page",
    ({ answer }) => answer(502, HTML, { "content-type": "text/html" }),
    unknown(/answered HTTP 502\. The call may have run/),
    0,
  ],
  [
    "http: 503 with Retry-After",
    ({ answer }) => answer(503, "", { "retry-after": "3" }),
    unknown(status(503), { httpStatus: 503, retryAfterMs: 3_000 }),
    0,
  ],
  [
    "http: leads elsewhere",
    ({ answer }) => answer(302, "", { location: "http://127.0.0.1:9/" }),
    unknown(status(302), { httpStatus: 302 }),
    0,
  ],
];

/** The fault of every call to a server that is connected and only fails. */
const SICK = "http: 500 to every call";

const HTTP_ROWS = [...CONNECTION, ...CONTENT, ...STATUS];

export const PROXY_FAULTS: ReadonlyMap<string, ProxyFault> = new Map([
  ...HTTP_ROWS.map(([name, fault]): [string, ProxyFault] => [name, fault]),
  [SICK, ({ answer }: ProxiedCall) => answer(500, "")],
]);

export const HTTP_FAULTS: readonly Fault[] = [
  ...HTTP_ROWS.map(([name, , expect, ran]): Fault => ({ name, expect, ran, cause: { kind: "http" } })),
  {
    name: "http: nothing listens",
    expect: refusal(/could not be asked: .* nothing listens there|is down since/),
    ran: 0,
    cause: { kind: "refused" },
  },
  {
    name: SICK,
    expect: refusal(/is unhealthy since .* Nothing was sent/, { state: "unhealthy" }),
    ran: 0,
    cause: { kind: "sick", failures: 5 },
  },
];
