// What strangers send on each of their connections in `flood.mjs`.

export const TOKEN = "onym_flood_good_token_0123456789";

const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const post = (more = "", body = BODY) =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const get = (path, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const TINY = "GET / HTTP/1.1\r\n\r\n";
const CHUNKED = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const BYTES = 64 * 1024;
const fill = (text) => text.repeat(Math.floor(BYTES / text.length));
const BAD = "Authorization: Bearer nonsense\r\n";

/** `isOpen`: without authentication. `first` was answered before. */
export const FLOODS = [
  { name: "pipelined: 16 without a token", text: post().repeat(16) },
  { name: "pipelined: 16 with a bad token", text: post(BAD).repeat(16) },
  { name: "pipelined: 16 to /healthz", text: get("/healthz").repeat(16) },
  { name: "pipelined: 16 pings, no auth", text: post().repeat(16), isOpen: true },
  { name: "pipelined: 64 KB of posts", text: fill(post()) },
  { name: "pipelined: 64 KB of the shortest request", text: fill(TINY) },
  { name: "pipelined: 64 KB to /healthz", text: fill(get("/healthz")) },
  { name: "pipelined: 64 KB after a request", first: get("/healthz"), text: fill(TINY) },
  { name: "pipelined: 64 KB that expect nonsense", text: fill(get("/", "Expect: x\r\n")) },
  { name: "pipelined: 64 KB that expect 100-continue", text: fill(get("/", "Expect: 100-continue\r\n")) },
  { name: "pipelined: 64 KB, not read", text: fill(get("/healthz")), neverReads: true },
  { name: "pipelined: 64 KB, reset while handled", text: fill(get("/healthz")), abortsLater: true },
  { name: "single: no token", text: post() },
  { name: "single: bad token", text: post(BAD) },
  { name: "single: ping, no auth", text: post(), isOpen: true },
  { name: "single: bad host", text: post().replace("localhost", "evil.example") },
  { name: "single: 404", text: get("/nothing") },
  { name: "single: /healthz", text: get("/healthz") },
  { name: "single: /metrics", text: get("/metrics") },
  { name: "single: console page", text: get("/") },
  { name: "single: console API", text: get("/api/status") },
  { name: "single: OPTIONS", text: get("/mcp").replace("GET", "OPTIONS") },
  { name: "single: after a request", first: get("/healthz"), text: post() },
  { name: "single: HTTP/1.0", text: get("/healthz").replace("1.1", "1.0") },
  { name: "single: Upgrade", text: get("/mcp", "Connection: Upgrade\r\nUpgrade: websocket\r\n") },
  { name: "single: CONNECT", text: "CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n" },
  { name: "single: expects 100-continue", text: post("Expect: 100-continue\r\n") },
  { name: "single: reset while handled", text: post(), abortsLater: true },
  { name: "single: not read", text: post(), neverReads: true },
  { name: "single: too large", text: post().replace(/Content-Length: \d+/, "Content-Length: 999999999") },
  { name: "single: 64 KB body, no token", text: post("", " ".repeat(BYTES)) },
  { name: "single: 64 KB body, no auth", text: post("", " ".repeat(BYTES)), isOpen: true },
  { name: "single: chunks of a byte, no token", text: CHUNKED + fill("1\r\n \r\n") },
  { name: "single: chunks of a byte, no auth", text: CHUNKED + fill("1\r\n \r\n"), isOpen: true },
  {
    name: "single: 190 headers",
    text: post(Array.from({ length: 190 }, (_, at) => `X-${at}: ${at}\r\n`).join("")),
  },
  { name: "single: a header of 30 KB", text: get("/healthz", `X: ${"x".repeat(30_000)}\r\n`) },
  { name: "half: a header", text: "POST /mcp HTTP/1.1\r\nHost: loc" },
  { name: "half: a body", text: post().slice(0, -5), isOpen: true },
  { name: "garbage: 64 KB", text: "\0".repeat(BYTES) },
  { name: "opened at once: nothing", text: "", opensLate: true },
  { name: "opened at once: a request", text: post(), opensLate: true },
  { name: "opened at once: closed at once", text: "", opensLate: true, closesAtOnce: true },
  { name: "opened at once: a request, closed at once", text: post(), opensLate: true, closesAtOnce: true },
];
