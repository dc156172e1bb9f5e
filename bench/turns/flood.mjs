// The longest turn of the gateway's event loop while strangers flood its HTTP port (SAFE-4, SAFE-5): npm run bench:flood --
// [--connections N] [--runs N] [--only TEXT] [--program bin.js] [--profile]. The gateway is stopped while the bytes are sent, so that
// it finds all of them at once. CPU time of the main thread, the least and the most of several runs; Linux only. Build first.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FLOODS, TOKEN } from "./floods.mjs";
import { startGateway } from "./start-gateway.mjs";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "2000" },
    runs: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    program: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});
const connections = Number(values.connections);
const here = fileURLToPath(new URL(".", import.meta.url));
/** How long the kernel gets to deliver what was sent to the stopped gateway. */
const DELIVERY_MS = 500;
/** A flood has passed when the gateway did nothing for so long. */
const QUIET_MS = 300;
const MAX_FLOOD_MS = 20_000;
const PROFILED_MS = 20;
/** The gateway has ended. */
const DEAD = { cpuMs: Number.POSITIVE_INFINITY, callMs: Number.POSITIVE_INFINITY };

const floods = FLOODS.filter(({ name }) => name.includes(values.only));
process.stdout.write(
  `${connections} connections, ${values.runs} runs: ms of CPU time of the longest turn, least and most; ms until a good call is answered, most\n`,
);
for (const flood of floods) {
  const worst = [];
  const answered = [];
  for (let run = 0; run < Number(values.runs); run += 1) {
    const { cpuMs, callMs } = await measure(flood).catch(() => DEAD);
    worst.push(cpuMs);
    answered.push(callMs);
  }
  const shown = [Math.min(...worst), Math.max(...worst), Math.max(...answered)];
  process.stdout.write(
    `${flood.name.padEnd(56)} ${shown.map((ms) => ms.toFixed(0).padStart(6)).join(" ")}\n`,
  );
}

async function measure(flood) {
  const folder = mkdtempSync(join(tmpdir(), "onym-flood-"));
  const hash = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;
  const server = join(here, "../gateway/servers/stdio-server.mjs");
  const config = {
    mcpServers: { one: { command: process.execPath, args: [server, "one", "10"] } },
    ...(flood.isOpen ? {} : { auth: { tokens: [{ name: "good", hash }] } }),
  };
  writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
  const gateway = await startGateway({ folder, program: values.program, isProfiled: values.profile });
  const sockets = [];
  try {
    const port = Number(new URL(gateway.url).port);
    await callWell(gateway.url);
    const open = () => {
      const socket = connect({ port, host: "127.0.0.1" }).on("error", () => {});
      if (!flood.neverReads) socket.resume();
      sockets.push(socket);
      return socket;
    };
    if (!flood.opensLate) {
      // As many as the queue of a listening socket takes.
      while (sockets.length < connections)
        await Promise.all(
          Array.from({ length: Math.min(250, connections - sockets.length) }, () => once(open(), "connect")),
        );
      if (flood.first !== undefined) {
        for (const socket of sockets) socket.write(flood.first);
        await quiet(gateway);
      }
    }
    await gateway.probe("arm");
    gateway.child.kill("SIGSTOP");
    if (flood.opensLate) for (let at = 0; at < connections; at += 1) open();
    const text = Buffer.from(flood.text, "latin1");
    if (text.length > 0) for (const socket of sockets) socket.write(text);
    if (flood.closesAtOnce) for (const socket of sockets) socket.destroySoon();
    await wait(DELIVERY_MS);
    const since = performance.now();
    const call = callWell(gateway.url);
    gateway.child.kill("SIGCONT");
    if (flood.abortsLater) for (const socket of sockets) socket.resetAndDestroy();
    const outcome = await Promise.race([call.then(() => true), wait(MAX_FLOOD_MS, false, { ref: false })]);
    const callMs = outcome ? performance.now() - since : Number.POSITIVE_INFINITY;
    await quiet(gateway);
    const { turns } = await gateway.probe("stop");
    tell(flood, turns);
    return { cpuMs: turns[0]?.cpuMs ?? 0, callMs };
  } finally {
    for (const socket of sockets) socket.destroy();
    gateway.child.kill("SIGCONT");
    gateway.child.kill("SIGKILL");
    if (gateway.child.exitCode === null && gateway.child.signalCode === null)
      await once(gateway.child, "exit");
    rmSync(folder, { recursive: true });
  }
}

async function quiet(gateway) {
  const end = performance.now() + MAX_FLOOD_MS;
  while (performance.now() < end && (await gateway.probe("quiet")) < QUIET_MS) await wait(100);
}

async function callWell(url) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "b", version: "1" } },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}

function tell({ name }, turns) {
  if (!values.profile) return;
  process.stdout.write(`\n# ${name}: ${turns.map(({ cpuMs }) => cpuMs.toFixed(0)).join(" ")}\n`);
  for (const { cpuMs, hot } of turns.slice(0, 2))
    if (cpuMs >= PROFILED_MS) process.stdout.write(`${cpuMs.toFixed(1)}: ${hot.join("  ")}\n`);
}
