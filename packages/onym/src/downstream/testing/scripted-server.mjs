// A stdio MCP server that does as its tools are told, and misbehaves as its first argument says.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const mode = process.argv[2] ?? "good";
const asked = new Map();
const tools = ["echo", "wait", "die", "twice", "ask", "tell", "write", "grow", "env"].map((name) => ({
  name,
  inputSchema: { type: "object" },
  "x-kept": { name },
}));
let next = 0;

const line = (text) => process.stdout.write(`${text}\n`);
const send = (message) => line(JSON.stringify({ jsonrpc: "2.0", ...message }));

if (mode === "garbage") line("Listening on http://localhost:1234 with token s3cret-token");
if (mode === "dies") {
  process.stderr.write("Error: the key s3cret-token is not valid\n    at somewhere\n");
  process.exit(7);
}
if (mode === "huge") process.stdout.write("x".repeat(2_000_000));
if (mode === "stubborn") {
  process.on("SIGTERM", () => {});
  const child = spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1000)"], {
    stdio: "ignore",
  });
  tools.push({ name: `child-${child.pid}` });
  setInterval(() => {}, 1000);
}

const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

function call(id, { name, arguments: args = {}, _meta }) {
  switch (name) {
    case "echo":
      return send({ id, result: text({ args, _meta }) });
    case "env":
      return send({ id, result: text(process.env) });
    case "wait":
      return send({ method: "notifications/test/waiting", params: { id } });
    case "die":
      process.stderr.write("fatal: out of ideas, s3cret-token\n");
      return process.exit(3);
    case "twice":
      send({ id: 999_999, result: {} });
      send({ id: String(id), result: text("string id") });
      send({ id, result: text("first") });
      return send({ id, result: text("second") });
    case "ask":
      next += 1;
      asked.set(`q-${next}`, (answer) => send({ id, result: text(answer) }));
      send({ id: `q-${next}`, method: args.method, params: args.params ?? {} });
      if (args.withdraw) send({ method: "notifications/cancelled", params: { requestId: `q-${next}` } });
      return;
    case "tell":
      for (const notification of args.notifications)
        send({
          method: notification.method,
          params: notification.method.endsWith("progress")
            ? { progressToken: _meta?.progressToken, ...notification.params }
            : notification.params,
        });
      return send({ id, result: text("told") });
    case "write":
      for (const raw of args.lines) line(raw.replaceAll("$ID", String(id)));
      if (args.bytes) process.stdout.write(Buffer.from(args.bytes, "base64"));
      return;
    case "grow":
      if (!args.nothing) tools.push({ name: `grown-${tools.length}` });
      for (let told = 0; told < (args.times ?? 1); told += 1)
        send({ method: "notifications/tools/list_changed" });
      return send({ id, result: text("grown") });
    default:
      return send({ id, error: { code: -32602, message: `Unknown tool: ${name}`, data: { name } } });
  }
}

let lists = 0;

function list(id, { cursor }) {
  lists += 1;
  if (mode === "dies-listing" && lists === 2) return process.exit(3);
  if (mode === "changes-early" && lists === 1) {
    send({ method: "notifications/tools/list_changed" });
    send({ id, result: { tools } });
    return tools.push({ name: "late" });
  }
  if (mode === "endless")
    return send({
      id,
      result: { tools: [{ name: `t${cursor ?? 0}` }], nextCursor: String(Number(cursor ?? 0) + 1) },
    });
  if (mode === "circle")
    return send({ id, result: { tools: [{ name: "t" }, "no", { title: "no name" }], nextCursor: "again" } });
  if (mode.startsWith("deep-")) {
    const levels = Number(mode.slice(5));
    const [first, ...rest] = tools.map((each) => JSON.stringify(each));
    const deep = `{"name":"deep","inputSchema":{"type":"object","not":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    return line(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${[first, deep, ...rest].join(",")}]}}`);
  }
  if (mode === "two-pages" && cursor === undefined)
    return send({ id, result: { tools: tools.slice(0, 2), nextCursor: "2" } });
  if (mode === "two-pages") return send({ id, result: { tools: tools.slice(2) } });
  return send({ id, result: { tools } });
}

function serve({ id, method, params = {}, result, error }) {
  if (method === undefined) {
    asked.get(id)?.(result ?? { error });
    return asked.delete(id);
  }
  if (mode === "silent" || mode === "garbage" || mode === "huge") return;
  const modern = params._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (mode === "modern" && id !== undefined && modern === undefined)
    return send({
      id,
      error: { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28"] } },
    });
  if (mode === "refuses" && method === "initialize")
    return send({ id, error: { code: -32603, message: "no licence" } });
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true }, prompts: {}, logging: {} },
          serverInfo: { name: "scripted", version: "1" },
          instructions: "Do as told.",
        },
      });
    case "server/discover":
      return send({
        id,
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: { listChanged: true } },
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted" } },
        },
      });
    case "notifications/initialized":
      if (mode === "roots") send({ id: "r", method: "roots/list" });
      asked.set("r", (answer) => send({ method: "notifications/test/roots", params: { answer } }));
      return;
    case "notifications/cancelled":
      return send({ method: "notifications/test/cancelled", params });
    case "logging/setLevel":
      send({ method: "notifications/test/level", params });
      return send({ id, result: {} });
    case "subscriptions/listen":
      return send({
        method: "notifications/subscriptions/acknowledged",
        params: {
          notifications: params.notifications,
          _meta: { "io.modelcontextprotocol/subscriptionId": id },
        },
      });
    case "tools/list":
      return list(id, params);
    case "prompts/list":
      return send({ id, error: { code: -32603, message: "prompts are broken" } });
    case "tools/call":
      return call(id, params);
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

createInterface({ input: process.stdin }).on("line", (raw) => serve(JSON.parse(raw)));
