// R, the floor: node:http in, undici out; parse, take the prefix off the name, forward. No sessions, limits, deadlines.
// node pass-through.mjs CONFIG, where CONFIG is the JSON of {"in": "http" | "stdio", "servers": {ID: {url} | {command, args}}}.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createLineReader } from "../load/line-reader.mjs";
import { openHttpOut, openStdioOut } from "./pass-through-out.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const outs = new Map();
await Promise.all(
  Object.entries(config.servers).map(async ([id, server]) => {
    outs.set(id, await (server.url === undefined ? openStdioOut(server) : openHttpOut(server)));
  }),
);
const lists = await readLists();

if (config.in === "stdio") serveStdio();
else serveHttp();

/** The list of all servers as ready bytes, one for each era. */
async function readLists() {
  const all = [];
  for (const id of Object.keys(config.servers)) {
    for (const tool of await outs.get(id).listTools()) all.push({ ...tool, name: `${id}_${tool.name}` });
  }
  const tools = `"tools":${JSON.stringify(all)}`;
  return {
    legacy: Buffer.from(`{${tools}}}`),
    modern: Buffer.from(`{${tools},"resultType":"complete","ttlMs":60000,"cacheScope":"public"}}`),
  };
}

/** The answer to what is not forwarded; undefined for a notification. */
function answerSelf(message) {
  if (message.id === undefined) return undefined;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
  if (message.method === "tools/list") {
    const list = message.params?._meta === undefined ? lists.legacy : lists.modern;
    return Buffer.concat([Buffer.from(head), list]);
  }
  if (message.method !== "initialize") return Buffer.from(`${head}{}}`);
  const { protocolVersion } = message.params;
  const result = {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "pass-through", version: "1.0.0" },
  };
  return Buffer.from(`${head}${JSON.stringify(result)}}`);
}

/** Whom a call is for; the name in the message becomes the server's own. */
function routeCall(message) {
  const { name } = message.params;
  const end = name.indexOf("_");
  message.params.name = name.slice(end + 1);
  return outs.get(name.slice(0, end));
}

function serveHttp() {
  const server = createServer((req, res) => {
    const parts = [];
    req.on("data", (part) => parts.push(part));
    req.on("end", () => {
      if (req.method !== "POST") return void res.writeHead(405).end();
      const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      const message = JSON.parse(bytes.toString());
      if (message.method === "tools/call") {
        routeCall(message).call(message, (body) => writeBody(res, body));
        return;
      }
      const body = answerSelf(message);
      if (body === undefined) res.writeHead(202).end();
      else writeBody(res, body);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(config.port ?? 0, "127.0.0.1", () => {
    process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`);
  });
}

function writeBody(res, body) {
  res.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
}

function serveStdio() {
  let waiting = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    process.stdout.write(all.length === 1 ? all[0] : Buffer.concat(all));
  };
  const write = (body) => {
    if (waiting.length === 0) queueMicrotask(flush);
    waiting.push(body, NEWLINE);
  };
  process.stdin.on(
    "data",
    createLineReader((line) => {
      const message = JSON.parse(line.toString());
      if (message.method === "tools/call") return routeCall(message).call(message, write);
      const body = answerSelf(message);
      if (body !== undefined) write(body);
    }),
  );
  process.stdin.once("end", () => process.exit(0));
}

const NEWLINE = Buffer.from("\n");
