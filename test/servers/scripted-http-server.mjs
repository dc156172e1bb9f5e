// The scripted server over Streamable HTTP: sessions for legacy clients, single requests for modern ones, one URL.

import { createServer } from "node:http";
import { openControl } from "./scripted-control.mjs";
import { createScriptedServer, isModern } from "./scripted-core.mjs";
import { checkHeaders } from "./scripted-headers.mjs";
import { readScript } from "./scripted-script.mjs";
import { createExchange, openStream } from "./scripted-streams.mjs";

const script = readScript();
const server = createScriptedServer(script);
const sessions = new Map();
let sessionCount = 0;
/** HTTP status that everything is answered with, while it is set. */
let refusal;
/** Body that the next POST is answered with. */
let garbage;

const { directions } = server.state;
directions.extend("refuse", ({ status }) => {
  refusal = status;
});
directions.extend("garbage", ({ text = "}{ this is no JSON" }) => {
  garbage = text;
});
directions.extend("dropSessions", () => {
  for (const { peer } of sessions.values()) drop(peer);
  sessions.clear();
});
directions.extend("closeStreams", () => {
  for (const { peer } of sessions.values()) peer.stream?.end();
  for (const { end } of server.state.listens) end?.();
});

const http = createServer((req, res) => {
  if (refusal !== undefined) return void res.writeHead(refusal).end();
  if (new URL(req.url, "http://localhost").pathname !== "/mcp") return void res.writeHead(404).end();
  const answer = { POST: post, GET: openGet, DELETE: endSession }[req.method];
  if (answer === undefined) return void res.writeHead(405).end();
  Promise.resolve(answer(req, res)).catch(() => res.destroy());
});

async function post(req, res) {
  const parts = [];
  for await (const part of req) parts.push(part);
  if (garbage !== undefined) {
    const text = garbage;
    garbage = undefined;
    return void res.writeHead(200, { "content-type": "application/json" }).end(text);
  }
  const message = JSON.parse(Buffer.concat(parts).toString("utf8"));
  return isModern(message) ? postModern(req, res, message) : postLegacy(req, res, message);
}

function postModern(req, res, message) {
  const wrong = script.eras.includes("modern")
    ? checkHeaders(req.headers, message, server.state.tools)
    : undefined;
  if (wrong !== undefined) return sendError(res, 400, message.id, -32020, wrong);
  const peer = server.join({});
  res.once("close", () => server.leave(peer));
  server.receive(message, createExchange({ res, peer, headers: req.headers }));
  if (message.id === undefined) res.writeHead(202).end();
}

function postLegacy(req, res, message) {
  let id = req.headers["mcp-session-id"];
  if (message.method === "initialize" && script.eras.includes("legacy")) {
    sessionCount += 1;
    id = `session-${sessionCount}`;
    sessions.set(id, { peer: server.join({ tell: (notice) => peerOf(id)?.stream?.send(notice) }) });
  }
  const peer = peerOf(id);
  if (peer === undefined && script.eras.includes("legacy")) {
    return sendError(res, id === undefined ? 400 : 404, message.id, -32001, "Session not found");
  }
  const exchange = createExchange({
    res,
    peer: peer ?? server.join({}),
    headers: req.headers,
    session: id,
  });
  server.receive(message, exchange);
  if (message.id === undefined || message.method === undefined) res.writeHead(202).end();
}

function openGet(req, res) {
  const peer = peerOf(req.headers["mcp-session-id"]);
  if (peer === undefined) return void res.writeHead(script.eras.includes("legacy") ? 404 : 405).end();
  peer.stream = openStream(res);
  directions.wake();
}

function endSession(req, res) {
  const id = req.headers["mcp-session-id"];
  const peer = peerOf(id);
  if (peer === undefined) return void res.writeHead(404).end();
  drop(peer);
  sessions.delete(id);
  res.writeHead(200).end();
}

function peerOf(id) {
  return sessions.get(id)?.peer;
}

function drop(peer) {
  peer.stream?.end();
  server.leave(peer);
}

function sendError(res, status, id, code, message) {
  const body = { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

http.listen(0, "127.0.0.1", async () => {
  const url = `http://127.0.0.1:${http.address().port}/mcp`;
  await openControl({ script, direct: server.direct, transport: "http", url });
  process.stdout.write(`listening on ${url}\n`);
  process.stdin.resume().once("end", () => process.exit(0));
});
