// From nothing to the first full list: a gateway is started with servers that it must start itself, and asked until it
// lists every tool of all of them.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { startLoad } from "./load/start-load.mjs";
import { watchOthers } from "./measure/machine-usage.mjs";
import { readIdle } from "./measure/process-usage.mjs";
import { repeatUntilQuiet } from "./repeat-until-quiet.mjs";
import { startServers } from "./servers/start-servers.mjs";

const LIMIT_MS = 30_000;

export async function visitCold({ scenario, target, folder, options }, onSample) {
  const { memory, ...sample } = await repeatUntilQuiet(options, () =>
    startOnce({ scenario, target, folder, options }),
  );
  onSample({ id: "first-list" }, sample);
  onSample({ id: "idle" }, memory);
}

async function startOnce({ scenario, target, folder, options }) {
  const { servers: count, tools } = scenario;
  const servers = await startServers({ via: "stdio", count, tools, sdk: true });
  const load = await startLoad({ timeoutMs: LIMIT_MS });
  let gateway;
  try {
    const others = watchOthers(process.pid);
    const start = performance.now();
    gateway = await target.start({
      folder,
      servers: servers.servers,
      via: "http",
      tools,
      root: options.root,
    });
    await askUntilFull({ load, gateway, wanted: servers.tools, stop: start + LIMIT_MS });
    const ms = performance.now() - start;
    return { ms, others: others(), memory: await readIdle(gateway.pid, options) };
  } finally {
    await load.close();
    await gateway?.close();
  }
}

async function askUntilFull({ load, gateway, wanted, stop }) {
  const { url, sse } = gateway;
  for (let last = "it was not asked"; ; await pause(2)) {
    if (performance.now() > stop) throw new Error(`no full list within ${LIMIT_MS} ms: ${last}`);
    try {
      await load.ask("open", { via: sse ? "sse" : "http", era: "legacy", url });
      const { count } = await load.ask("list", { wanted: "" });
      if (count >= wanted) return;
      last = `${count} of ${wanted} tools`;
    } catch (error) {
      last = error.message;
    }
  }
}
