// The far side of the pass-through: an undici pool to an HTTP server, or the pipes of a child.

import { spawn } from "node:child_process";
import { Pool } from "undici";
import { createLineReader } from "../load/line-reader.mjs";

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "pass-through", version: "1.0.0" },
};

/** `call(message, onBody)` hands the bytes of the answer on as they come; only one answer is made of each call. */
export async function openHttpOut({ url }) {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin);
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const legacy = { ...base, "mcp-protocol-version": "2025-11-25" };

  const call = (message, onBody) => {
    const modern = message.params?._meta !== undefined;
    const headers = modern
      ? {
          ...base,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": message.method,
          "mcp-name": message.params.name,
        }
      : legacy;
    const parts = [];
    pool.dispatch(
      { path, method: "POST", headers, body: JSON.stringify(message) },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_controller, part) {
          parts.push(part);
        },
        onResponseEnd() {
          onBody(parts.length === 1 ? parts[0] : Buffer.concat(parts));
        },
        onResponseError(_controller, error) {
          throw error;
        },
      },
    );
  };
  const ask = (method, params) =>
    new Promise((resolve) =>
      call({ jsonrpc: "2.0", id: 0, method, params }, (body) => resolve(JSON.parse(body.toString()).result)),
    );
  await ask("initialize", HELLO);
  return { call, listTools: async () => (await ask("tools/list", {})).tools };
}

export async function openStdioOut({ command, args, env, cwd }) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    cwd,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map();
  let lastId = 0;
  let pending = "";
  const flush = () => {
    child.stdin.write(pending);
    pending = "";
  };
  const call = (message, onBody) => {
    lastId += 1;
    waiting.set(lastId, { id: message.id, onBody });
    message.id = lastId;
    if (pending === "") queueMicrotask(flush);
    pending += `${JSON.stringify(message)}\n`;
  };
  child.stdout.on(
    "data",
    createLineReader((line) => {
      const reply = JSON.parse(line.toString());
      const { id, onBody } = waiting.get(reply.id);
      waiting.delete(reply.id);
      reply.id = id;
      onBody(Buffer.from(JSON.stringify(reply)));
    }),
  );
  const ask = (method, params) =>
    new Promise((resolve) =>
      call({ jsonrpc: "2.0", id: 0, method, params }, (body) => resolve(JSON.parse(body.toString()).result)),
    );
  await ask("initialize", HELLO);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { call, listTools: async () => (await ask("tools/list", {})).tools };
}
