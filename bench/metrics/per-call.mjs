// What a call costs with metrics on beside off: two gateways of the built program, one with --metrics, called over HTTP in turns.
// Prints the CPU time of the gateway's process a call, which other work on the machine hardly changes, and the ratio of each round.
// npm run --silent build && node bench/metrics/per-call.mjs [ROUNDS] [CALLS]

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCpu } from "../gateway/measure/process-usage.mjs";

const [rounds = 12, calls = 2_000] = process.argv.slice(2).map(Number);
const AT_ONCE = 8;
const BIN = fileURLToPath(new URL("../../packages/onym/dist/bin.js", import.meta.url));
const SERVER = fileURLToPath(new URL("../gateway/servers/stdio-server.mjs", import.meta.url));
const META = "io.modelcontextprotocol/";

const folder = mkdtempSync(join(tmpdir(), "onym-metrics-"));
const server = { command: process.execPath, args: [SERVER, "crm", "50"] };
writeFileSync(join(folder, "onym.json"), JSON.stringify({ store: "none", mcpServers: { crm: server } }));
const sides = [await start("off"), await start("on", "--metrics")];
try {
  for (const side of sides) await callMany(side, calls);
  const costs = { off: [], on: [] };
  for (let round = 0; round < rounds; round++)
    // Each is first in every other round.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const before = readCpu(side.child.pid);
      await callMany(side, calls);
      costs[side.name].push((readCpu(side.child.pid) - before) / calls / 1000);
    }
  const ratios = costs.on.map((cost, round) => cost / costs.off[round]);
  console.log(`${rounds} rounds of ${calls} calls on each side, in turns; CPU of the gateway a call`);
  for (const name of ["off", "on"])
    console.log(`metrics ${name.padEnd(4)} ${median(costs[name]).toFixed(1)} µs (${range(costs[name])})`);
  console.log(`on / off     ${median(ratios).toFixed(3)} (${range(ratios, 3)})`);
} finally {
  for (const { child, agent } of sides) {
    agent.destroy();
    child.kill();
  }
  rmSync(folder, { recursive: true, force: true });
}

async function start(name, ...flags) {
  const child = spawn(process.execPath, [BIN, "serve", "--port", "0", "--config", "onym.json", ...flags], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (part) => {
      text += part;
      const [, found] = /^onym listening on (\S+)$/m.exec(text) ?? [];
      if (found !== undefined && /1 server/.test(text)) resolve(found);
    });
    child.once("exit", () => reject(new Error(`onym ended:\n${text}`)));
  });
  const side = { name, child, url, agent: new Agent({ keepAlive: true, maxSockets: AT_ONCE }) };
  side.tools = (await ask(side, "tools/list")).result.tools.map((tool) => tool.name);
  return side;
}

async function callMany(side, count) {
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      const name = side.tools[begun++ % side.tools.length];
      const answer = await ask(side, "tools/call", { name, arguments: {} });
      if (answer.result === undefined) throw new Error(`a call failed: ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function ask({ url, agent }, method, params = {}) {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        [`${META}protocolVersion`]: "2026-07-28",
        [`${META}clientCapabilities`]: {},
        [`${META}clientInfo`]: { name: "bench", version: "1.0.0" },
      },
    },
  });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(params.name === undefined ? {} : { "mcp-name": params.name }),
  };
  return new Promise((resolve, reject) => {
    request(`${url}/openai`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.on("end", () => resolve(JSON.parse(text)));
    })
      .on("error", reject)
      .end(body);
  });
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function range(values, digits = 1) {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}
