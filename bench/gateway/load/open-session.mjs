// The handshake of a client, before the load begins.

import { LEGACY } from "./build-request.mjs";

const HELLO = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};
const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: HELLO };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

/** The headers that later requests need. */
export async function openHttpSession(url, era) {
  if (era === "modern") return {};
  const opened = await post(url, INITIALIZE, {});
  if (!opened.ok) throw new Error(`initialize: HTTP ${opened.status}: ${await opened.text()}`);
  await opened.text();
  const id = opened.headers.get("mcp-session-id");
  const headers = { ...(id === null ? {} : { "mcp-session-id": id }) };
  await (await post(url, INITIALIZED, { ...headers, "mcp-protocol-version": LEGACY })).text();
  return headers;
}

function post(url, body, headers) {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

export function openStdioSession({ child, readLines }, era) {
  if (era === "modern") return Promise.resolve();
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      reject(new Error(`it ended with code ${code} before it answered initialize`)),
    );
    child.once("error", reject);
    readLines.onLine = (line) => {
      const text = line.toString();
      if (!text.startsWith("{")) return;
      const { id, result } = JSON.parse(text);
      if (id !== 0) return;
      if (result === undefined) return reject(new Error(`initialize was refused: ${text}`));
      child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`);
      resolve();
    };
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  });
}
