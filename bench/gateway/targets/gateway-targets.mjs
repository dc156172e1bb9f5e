// Gateways from npm, each started as its own documentation says. Their homes are folders of the run, so that nothing of
// them stays behind.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.mjs";
import { startProcess } from "./start-process.mjs";

const LEGACY = ["legacy"];

export const gatewayTargets = [
  {
    id: "mcp-hub",
    label: "mcp-hub 4.2.1",
    needs: "mcp-hub",
    ins: ["http"],
    outs: ["http", "stdio"],
    eras: LEGACY,
    many: true,
    start: startMcpHub,
  },
  {
    id: "mcp-server-manager",
    label: "mcp-server-manager 2.6.1",
    needs: "mcp-server-manager",
    ins: ["http"],
    outs: ["http", "stdio"],
    eras: LEGACY,
    many: true,
    start: startServerManager,
  },
  {
    id: "civic-passthrough",
    label: "@civic/passthrough-mcp-server 0.12.1",
    needs: "@civic/passthrough-mcp-server",
    ins: ["http", "stdio"],
    outs: ["http"],
    eras: LEGACY,
    start: startCivic,
  },
  {
    id: "mcp-proxy",
    label: "mcp-proxy 6.7.19",
    needs: "mcp-proxy",
    ins: ["http"],
    outs: ["stdio"],
    eras: ["legacy", "modern"],
    start: startMcpProxy,
  },
  {
    id: "supergateway",
    label: "supergateway 4.0.0",
    needs: "supergateway",
    ins: ["http", "stdio"],
    outs: ["http", "stdio"],
    cannot: {
      "http-http": "bridges HTTP and stdio, not HTTP and HTTP",
      "stdio-stdio": "bridges HTTP and stdio, not stdio and stdio",
    },
    eras: LEGACY,
    start: startSupergateway,
  },
  {
    id: "mcp-broker",
    label: "mcp-broker 0.3.0",
    needs: "mcp-broker",
    native: "better-sqlite3/build/Release/better_sqlite3.node",
    ins: ["stdio"],
    outs: ["http", "stdio"],
    eras: LEGACY,
    many: true,
    /** It lists tools that find and call the others, and not the others themselves. */
    listsOwn: true,
    start: startMcpBroker,
  },
];

async function startMcpHub({ folder, servers, root }) {
  const port = await freePort();
  const file = writeConfig(folder, "servers.json", { mcpServers: servers });
  const started = await startProcess({
    args: [installed(root, "mcp-hub/dist/cli.js"), "--port", String(port), "--config", file],
    env: homeIn(folder),
    ready: /Hub endpoint ready/,
  });
  return { url: `http://127.0.0.1:${port}/mcp`, sse: true, ...ofProcess(started) };
}

async function startServerManager({ folder, servers, root }) {
  const port = await freePort();
  const entries = Object.entries(servers);
  const own = entries.filter(([, { command }]) => command !== undefined);
  const remote = entries.filter(([, { url }]) => url !== undefined);
  writeConfig(folder, "config.json", {
    servers: own.map(([id, { command, args }]) => ({ id, name: id, command, args })),
    remoteServers: remote.map(([id, { url }]) => ({ id, name: id, type: "http", url })),
    port,
  });
  writeConfig(folder, "selection-state.json", {
    local: own.map(([id]) => id),
    remote: remote.map(([id]) => `remote:${id}`),
  });
  const started = await startProcess({
    args: [installed(root, "mcp-server-manager/bin/cli.js"), "daemon", "start", "--foreground"],
    env: { ...homeIn(folder), MCP_MANAGER_CONFIG_DIR: folder },
    ready: /Gateway (listening|running) on/,
  });
  return { url: `http://127.0.0.1:${port}/mcp`, ...ofProcess(started) };
}

async function startCivic({ folder, servers, via, root }) {
  const { origin, pathname } = new URL(Object.values(servers)[0].url);
  mkdirSync(folder, { recursive: true });
  const args = [installed(root, "@civic/passthrough-mcp-server/dist/cli.js")];
  const env = { ...homeIn(folder), TARGET_SERVER_URL: origin, TARGET_SERVER_MCP_PATH: pathname };
  if (via === "stdio")
    return { launch: { command: process.execPath, args: [...args, "--stdio"], env, cwd: folder } };
  const port = await freePort();
  const started = await startProcess({
    args,
    env: { ...env, PORT: String(port) },
    ready: /listening|running|started/i,
  });
  return { url: `http://127.0.0.1:${port}${pathname}`, ...ofProcess(started) };
}

async function startMcpProxy({ folder, servers, root }) {
  const port = await freePort();
  const { command, args } = Object.values(servers)[0];
  mkdirSync(folder, { recursive: true });
  const program = installed(root, "mcp-proxy/dist/bin/mcp-proxy.mjs");
  const started = await startProcess({
    args: [
      program,
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--server",
      "stream",
      "--",
      command,
      ...args,
    ],
    env: homeIn(folder),
    ready: /starting server|server (is )?(started|listening|running)|on port|http:\/\//i,
  });
  return { url: `http://127.0.0.1:${port}/mcp`, ...ofProcess(started) };
}

async function startSupergateway({ folder, servers, via, root }) {
  const program = installed(root, "supergateway/dist/index.js");
  const { command, args, url } = Object.values(servers)[0];
  mkdirSync(folder, { recursive: true });
  const env = homeIn(folder);
  if (via === "stdio") {
    const rest = ["--streamableHttp", url, "--logLevel", "none"];
    return { launch: { command: process.execPath, args: [program, ...rest], env, cwd: folder } };
  }
  const port = await freePort();
  const started = await startProcess({
    args: [
      program,
      ...["--stdio", [command, ...args].map((word) => `"${word}"`).join(" ")],
      ...["--outputTransport", "streamableHttp", "--stateful", "--port", String(port)],
    ],
    env,
    ready: /Listening on port/,
  });
  return { url: `http://127.0.0.1:${port}/mcp`, ...ofProcess(started) };
}

async function startMcpBroker({ folder, servers, root }) {
  writeConfig(folder, "servers.json", { mcpServers: servers });
  return {
    launch: {
      command: process.execPath,
      args: [installed(root, "mcp-broker/dist/index.js"), "serve"],
      env: { ...homeIn(folder), MCP_BROKER_HOME: folder },
      cwd: folder,
    },
    wrap: (server, tool, marker) => ({
      name: "call_tools",
      arguments: { invocations: [{ server_name: server, tool_name: tool, arguments: marker }] },
    }),
  };
}

function writeConfig(folder, name, value) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

function installed(root, path) {
  return join(root, "bench/node_modules", path);
}

function homeIn(folder) {
  return {
    HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    XDG_DATA_HOME: folder,
  };
}

function ofProcess({ pid, close, lastWords }) {
  return { pid, close, lastWords };
}
