// A node:http server in front of a web-standard handler (Request → Response).

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Listens on the loopback; the handler's answer streams, and its request aborts when the client goes. */
export function listenWeb({ fetch, port = 0 }) {
  const server = createServer((req, res) => {
    answer(fetch, req, res).catch((error) => {
      if (!res.headersSent) res.writeHead(500);
      res.end();
      process.stderr.write(`${error?.stack ?? error}\n`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${server.address().port}`;
      const close = () =>
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ url, server, close });
    });
  });
}

async function answer(fetch, req, res) {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const response = await fetch(await toRequest(req, gone.signal));
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void res.end();
  res.flushHeaders();
  await pipeline(Readable.fromWeb(response.body), res).catch(() => {});
}

async function toRequest(req, signal) {
  const headers = new Headers();
  for (let at = 0; at < req.rawHeaders.length; at += 2)
    headers.append(req.rawHeaders[at], req.rawHeaders[at + 1]);
  const hasBody = req.method !== "GET" && req.method !== "HEAD";
  const body = hasBody ? Buffer.concat(await collect(req)) : undefined;
  return new Request(new URL(req.url, `http://${req.headers.host ?? "localhost"}`), {
    method: req.method,
    headers,
    signal,
    ...(body === undefined || body.length === 0 ? {} : { body }),
  });
}

async function collect(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  return parts;
}
