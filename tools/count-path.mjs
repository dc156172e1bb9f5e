// Counts the files of packages/onym/src that a request passes: `node tools/count-path.mjs [--files]`.
//
// Runs the gateway from an unbundled build of its sources, over HTTP in front of one stdio server, with V8's precise coverage.
// A file is on the path of
// - tools/list, from the config: if one of its functions ran between the start (after all modules were loaded) and the first list;
// - tools/list, after a change: if one of its functions ran between a server's notice that its tools have changed and the first
//   list with the new one, and nothing ran it while the gateway was idle;
// - a warm tools/list or tools/call: if one of its functions ran in each of some requests, after others have warmed it up. What
//   a timer ran beside one of them was not part of it.
// A module's own top level does not count. Needs `npm run types` once, for the core's build.

import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const product = fileURLToPath(new URL("../packages/onym/", import.meta.url));
/** As deep as `src`: files of the product are found from there. */
const built = join(product, "dist-paths");
const SELF = fileURLToPath(import.meta.url);
const WARM_UP_REQUESTS = 20;
const COUNTED_REQUESTS = 5;
const CHANGE_DELAY_MS = 500;
/** As long as it takes every timer of the gateway that runs more than once a second. */
const IDLE_MS = 1_500;

const role = process.env.COUNT_PATH_ROLE;
if (role === "gateway") await runGateway();
else if (role === "server") runServer();
else await countPaths();

async function countPaths() {
  await buildSources();
  const folder = mkdtempSync(join(tmpdir(), "count-path-"));
  try {
    const server = { command: process.execPath, args: [SELF], env: { COUNT_PATH_ROLE: "server" } };
    writeFileSync(join(folder, "onym.json"), JSON.stringify({ mcpServers: { demo: server } }));
    const gateway = await startGateway(folder);
    try {
      await measure(gateway);
    } finally {
      await gateway.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(built, { recursive: true });
  }
}

async function measure({ url, take }) {
  const send = await connect(url);
  const { tools } = await send("tools/list");
  print("tools/list, from the config", await take());
  print("tools/list, warmed up", await filesOfEach(() => send("tools/list"), take));
  print("tools/call, warmed up", await filesOfEach(callTool, take));
  await take();
  const idle = await setTimeout(IDLE_MS).then(take);
  await send("tools/call", { name: tools[0].name, arguments: { text: "one more" } });
  await setTimeout(CHANGE_DELAY_MS / 2).then(take);
  while ((await send("tools/list")).tools.length === tools.length);
  const files = await take();
  print(
    "tools/list, after a change",
    files.filter((file) => !idle.includes(file)),
  );

  async function callTool() {
    const result = await send("tools/call", { name: tools[0].name, arguments: { text: "hello" } });
    if (result.content[0].text !== "hello") throw new Error("the call did not reach the server");
  }
}

async function filesOfEach(request, take) {
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await request();
  await take();
  let files;
  for (let count = 0; count < COUNTED_REQUESTS; count += 1) {
    await request();
    const taken = new Set(await take());
    files = files === undefined ? [...taken] : files.filter((file) => taken.has(file));
  }
  return files;
}

function print(title, files) {
  const rooms = new Map();
  for (const [room] of files.map((file) => file.split("/"))) rooms.set(room, (rooms.get(room) ?? 0) + 1);
  const counts = [...rooms].map(([room, count]) => `${room} ${count}`).join(", ");
  console.log(`${title}: ${files.length} files (${counts})`);
  if (process.argv.includes("--files")) for (const file of files) console.log(`  ${file}`);
}

async function buildSources() {
  const { build } = await import("esbuild");
  const src = join(product, "src");
  const entryPoints = readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("testing/"))
    .map((file) => join(src, file));
  await build({
    entryPoints,
    outdir: built,
    outbase: src,
    format: "esm",
    platform: "node",
    target: "node20.19",
  });
}

/** A legacy client, as most are today. */
async function connect(url) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body) => fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const clientInfo = { name: "count-path", version: "1" };
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const first = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize });
  await first.text();
  headers["mcp-session-id"] = first.headers.get("mcp-session-id");
  headers["mcp-protocol-version"] = initialize.protocolVersion;
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  let id = 0;
  return async (method, params) => {
    const response = await post({ jsonrpc: "2.0", id: ++id, method, params });
    const text = await response.text();
    return JSON.parse(text.startsWith("{") ? text : /^data: (\{.*)$/m.exec(text)[1]).result;
  };
}

async function startGateway(cwd) {
  const child = fork(SELF, ["serve", "--port", "0", "--config", "onym.json"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, COUNT_PATH_ROLE: "gateway" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The gateway ended with ${code}.`)));
    createInterface(child.stderr).on("line", (line) => {
      const [, found] = /^onym listening on (\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
      else if (process.argv.includes("--log")) console.error(line);
    });
  });
  const take = () =>
    new Promise((resolve) => {
      child.once("message", resolve);
      child.send("take");
    });
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill();
    });
  return { url, take, stop };
}

/** In the child: the command, with coverage from the moment its modules are loaded. */
async function runGateway() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (const part of ["bin-serve.js", "serve/serve.js", "gateway/create-gateway.js"])
    await import(pathToFileURL(join(built, part)).href);
  process.on("message", async () => process.send(await filesRun(session)));
  // Or the channel to the parent keeps the closed gateway alive.
  process.channel.unref();
  process.argv[1] = join(built, "bin.js");
  await import(pathToFileURL(join(built, "bin.js")).href);
}

async function filesRun(session) {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.startsWith("file:") && fileURLToPath(url).startsWith(built))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges: [range] }) => {
        const isTopLevel = functionName === "" && range.startOffset === 0;
        return !isTopLevel && range.count > 0;
      }),
    )
    .map(({ url }) => relative(built, fileURLToPath(url)).replace(/\.js$/, ".ts"))
    .sort();
}

/** One tool that says what it was told, and a second one once it was told "one more". */
function runServer() {
  const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  const tools = [{ name: "echo", description: "Says it.", inputSchema: { type: "object" } }];
  createInterface(process.stdin).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "initialize")
      reply(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "demo", version: "1" },
      });
    else if (method === "tools/list") reply(id, { tools });
    else if (method === "tools/call") {
      reply(id, { content: [{ type: "text", text: params.arguments.text }] });
      if (params.arguments.text !== "one more") return;
      tools.push({ ...tools[0], name: "echo_again" });
      const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      // The call itself is over by then.
      setTimeout(CHANGE_DELAY_MS).then(() => process.stdout.write(`${JSON.stringify(notice)}\n`));
    } else if (method === "ping") reply(id, {});
    else
      process.stdout.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })}\n`,
      );
  });
}
