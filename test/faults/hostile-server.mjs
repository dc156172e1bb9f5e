// A stdio MCP server that does with each call what the call's own arguments say: `{ nonce, steps: [{ do: … }] }`. Without
// steps it answers as it should. What it received and ran goes to a file, so that it is known after its death.

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const { SERVER = "", RECORD = "" } = process.env;
const DEFAULT_TOOLS = [{ name: "act", inputSchema: { type: "object" } }];
let tools = DEFAULT_TOOLS;
/** The next list never ends: every page names another. */
let isEndless = false;
let asked = 0;

const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const record = (what, nonce) => appendFileSync(RECORD, `${what} ${SERVER} ${nonce}\n`);

const STEPS = {
  reply: ({ id, nonce }) => {
    record("ran", nonce);
    const echo = { server: SERVER, nonce };
    return send({ id, result: { content: [{ type: "text", text: nonce }], structuredContent: echo } });
  },
  /** `$ID` and `$NONCE` stand for those of the call. */
  write: async ({ id, nonce }, { text, times = 1 }) => {
    const filled = text.replaceAll("$ID", JSON.stringify(id)).replaceAll("$NONCE", nonce);
    for (let count = 0; count < times; count += 1) await write(filled);
  },
  bytes: (_call, { base64 }) => write(Buffer.from(base64, "base64")),
  fill: (_call, { bytes }) => write("x".repeat(bytes)),
  stderr: (_call, { text, times = 1 }) => void process.stderr.write(text.repeat(times)),
  notify: async (_call, { method, params, times = 1 }) => {
    for (let count = 0; count < times; count += 1) await send({ method, params });
  },
  ask: async (_call, { method, params, times = 1 }) => {
    for (let count = 0; count < times; count += 1) await send({ id: `ask-${++asked}`, method, params });
  },
  wait: (_call, { ms }) => wait(ms),
  closeOutput: () => new Promise((resolve) => process.stdout.end(resolve)),
  stopReading: () => void process.stdin.pause(),
  /** Another process that would outlive this one. */
  offspring: () => void spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" }),
  tools: (_call, { list }) => {
    tools = list ?? DEFAULT_TOOLS;
  },
  manyTools: (_call, { count, bytes }) => {
    const description = "x".repeat(bytes);
    const more = Array.from({ length: count }, (_, n) => ({
      ...DEFAULT_TOOLS[0],
      name: `more_${n}`,
      description,
    }));
    tools = [...DEFAULT_TOOLS, ...more];
  },
  endless: (_call, { on }) => {
    isEndless = on;
  },
  exit: (_call, { code = 0 }) => process.exit(code),
  kill: (_call, { signal }) => void process.kill(process.pid, signal),
};

const PAGE_SIZE = 20;

function listPage({ cursor = "0" }) {
  if (isEndless) return { result: { tools: [], nextCursor: `endless-${++asked}` } };
  const start = Number(cursor);
  // A page of the list without end: with none after it, that list would be over, and empty.
  if (Number.isNaN(start)) return { error: { code: -32602, message: "Unknown cursor" } };
  const end = start + PAGE_SIZE;
  return { result: { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: `${end}` }) } };
}

async function call(id, { nonce = "", steps = [{ do: "reply" }] }) {
  record("got", nonce);
  for (const step of steps) await STEPS[step.do]({ id, nonce }, step);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const serverInfo = { name: SERVER, version: "1" };
  const capabilities = { tools: { listChanged: true }, logging: {} };
  if (method === "initialize")
    void send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
  else if (method === "tools/list") void send({ id, ...listPage(params) });
  else if (method === "tools/call") void call(id, params.arguments ?? {});
  else if (method === "ping") void send({ id, result: {} });
  else if (id !== undefined && method !== undefined)
    void send({ id, error: { code: -32601, message: "Method not found" } });
});
