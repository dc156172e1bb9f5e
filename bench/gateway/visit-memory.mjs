// Memory of a gateway at rest, and after many calls.

import { startLoad } from "./load/start-load.mjs";
import { readIdle } from "./measure/process-usage.mjs";
import { startServers } from "./servers/start-servers.mjs";

const LONG_MS = 30 * 60_000;

export async function visitMemory({ scenario, target, round, folder, options }, onSample) {
  const { tools } = scenario;
  const servers = await startServers({ via: "http", tools });
  const load = await startLoad({ timeoutMs: LONG_MS });
  let gateway;
  try {
    gateway = await target.start({
      folder,
      servers: servers.servers,
      via: "http",
      tools,
      root: options.root,
    });
    const { pid, url } = gateway;
    await load.ask("open", { via: "http", era: "legacy", url });
    const { name } = await load.ask("list", { wanted: "search_issues_0" });
    onSample({ id: "idle" }, await readIdle(pid, options));
    let done = 0;
    for (const calls of stepsFor(target, round, options)) {
      await load.ask("call", { concurrency: 64, name, pid, calls: calls - done, warmMs: 0 });
      done = calls;
      onSample({ id: `after-${calls}` }, await readIdle(pid, options));
    }
  } finally {
    await load.close();
    await gateway?.close();
    await servers.close();
  }
}

/** The straightforward gateway would take minutes, and only its idle memory is compared; a million calls are made once. */
function stepsFor({ id }, round, { quick, long }) {
  if (id === "N") return [];
  if (quick) return [200, 400];
  return long && round === 0 ? [50_000, 100_000, 1_000_000] : [50_000, 100_000];
}
