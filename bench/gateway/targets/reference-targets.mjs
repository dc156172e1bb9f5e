// What gateways are compared with: the servers themselves, the floor, and a straightforward gateway on the SDK.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess } from "./start-process.mjs";

const program = (name) => fileURLToPath(new URL(name, import.meta.url));
const BOTH = ["http", "stdio"];

export const referenceTargets = [
  {
    id: "direct",
    label: "the cheap server, asked directly",
    ins: BOTH,
    outs: BOTH,
    eras: ["legacy", "modern"],
    start: startDirect,
  },
  {
    id: "D",
    label: "an SDK v2 server, asked directly",
    ins: BOTH,
    outs: BOTH,
    eras: ["legacy", "modern"],
    needs: "@modelcontextprotocol/node",
    start: startSdkServer,
  },
  {
    id: "R",
    label: "the bare pass-through",
    ins: BOTH,
    outs: BOTH,
    eras: ["legacy", "modern"],
    many: true,
    start: (setup) => startProgram("pass-through.mjs", setup),
  },
  {
    id: "N",
    label: "a straightforward SDK v2 gateway",
    ins: BOTH,
    outs: BOTH,
    eras: ["legacy", "modern"],
    many: true,
    needs: "@modelcontextprotocol/node",
    start: (setup) => startProgram("sdk-gateway.mjs", setup),
  },
];

async function startProgram(name, { folder, servers, via }) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ in: via, servers }));
  const args = [program(name), file];
  if (via === "stdio") return { launch: { command: process.execPath, args, cwd: folder } };
  const { match, pid, close, lastWords } = await startProcess({ args, ready: /listening on (\S+)/ });
  return { url: match[1], pid, close, lastWords };
}

/** The server is the one that the gateways ask, or one more of its kind where it is asked over another transport. */
async function startDirect({ via, tools }) {
  const file = program(`../servers/${via}-server.mjs`);
  if (via === "stdio") return { launch: { command: process.execPath, args: [file, "s", String(tools)] } };
  const { match, pid, close, lastWords } = await startProcess({
    args: [file, "s", String(tools)],
    ready: /^\[(\d+)/m,
  });
  return { url: `http://127.0.0.1:${match[1]}/mcp`, pid, close, lastWords };
}

async function startSdkServer({ via, tools }) {
  const args = [program(`../servers/sdk-${via}-server.mjs`), "s", String(tools)];
  if (via === "stdio") return { launch: { command: process.execPath, args } };
  const { match, pid, close, lastWords } = await startProcess({ args, ready: /listening on (\S+)/ });
  return { url: match[1], pid, close, lastWords };
}
