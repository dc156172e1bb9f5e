// One nasty server over stdio: node server.mjs SERVER EVENTS [DELAY_MS]. It writes down who connects and what is asked of it, one
// JSON object a line, and says once that its list has changed. It begins to read after the delay, as a slow one does.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { describeTool, resultOf, toolsOf } from "./nasty-tools.mjs";

const [server, events, delayMs = "0"] = process.argv.slice(2);
const tools = toolsOf(server);
let hasChanged = false;

const record = (event) => events && appendFileSync(events, `${JSON.stringify({ server, ...event })}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function listTools() {
  return tools.map(({ raw, marker }) => ({
    name: raw,
    description: describeTool(marker),
    // Some clients send no description, but all send the schema.
    inputSchema: { type: "object", description: describeTool(marker), properties: {} },
  }));
}

function callTool({ name }) {
  const tool = tools.find(({ raw }) => raw === name);
  record({ event: "call", name });
  if (!hasChanged) {
    hasChanged = true;
    send({ method: "notifications/tools/list_changed" });
  }
  return { content: [{ type: "text", text: tool ? resultOf(tool.marker) : `no tool ${name}` }] };
}

/** The newest revision asks for no handshake, and tells the client in each request. */
function answer({ method, params = {} }) {
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: server, version: "1.0.0" };
  switch (method) {
    case "initialize":
      record({ event: "initialize", clientInfo: params.clientInfo, protocol: params.protocolVersion });
      return { protocolVersion: params.protocolVersion ?? "2025-06-18", capabilities, serverInfo };
    case "tools/list":
      record({ event: "list" });
      return { tools: listTools() };
    case "tools/call":
      return callTool(params);
    case "ping":
      return {};
    default:
      return undefined;
  }
}

await setTimeout(Number(delayMs));
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line.trim() === "") return;
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  const result = answer(message);
  send(
    result === undefined
      ? { id: message.id, error: { code: -32601, message: `Method not found: ${message.method}` } }
      : { id: message.id, result },
  );
});
