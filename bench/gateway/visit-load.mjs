// One visit: a fresh gateway with fresh servers behind it and a fresh load before it, and every job done once.

import { setTimeout as pause } from "node:timers/promises";
import { ARGUMENTS } from "./load/build-request.mjs";
import { startLoad } from "./load/start-load.mjs";
import { readIdle } from "./measure/process-usage.mjs";
import { repeatUntilQuiet } from "./repeat-until-quiet.mjs";
import { startServers } from "./servers/start-servers.mjs";

/** Clients of different kinds; each is a view that the gateway has not made before. Their names are mostly the same. */
export const PROFILES = ["openai", "cursor", "claude-code", "gemini", "vscode"];
/** The tool that is called, by its own name. */
const TOOL = "search_issues_0";

export async function visitLoad({ scenario, target, jobs, folder, options }, onSample) {
  const { in: via, out, era, tools, servers: count = 1, patienceMs = 60_000 } = scenario;
  const servers = await startServers({ via: out, count, tools });
  let gateway;
  let load;
  try {
    gateway = await target.start({ folder, servers: servers.servers, via, tools, root: options.root });
    load = await startLoad({ timeoutMs: patienceMs });
    const { url, launch } = gateway;
    const opened = await load.ask("open", { via: gateway.sse ? "sse" : via, era, url, launch });
    const pid = gateway.pid ?? opened.pid;
    const listed = await waitForTools({ load, target, wanted: servers.tools, patienceMs });
    const wrapped = gateway.wrap?.("s0", TOOL, ARGUMENTS);
    const name = wrapped?.name ?? listed.name;
    if (name === undefined) throw new Error("the tool to call is not in its list");
    if (scenario.memory)
      onSample({ id: "memory" }, { ...(await readIdle(pid, options)), listBytes: listed.bytes });
    const warmUp = { first: true };
    for (const job of jobs) {
      onSample(
        job,
        await repeatUntilQuiet(options, () =>
          runJob({ job, load, gateway, name, wrapped, pid, options, warmUp }),
        ),
      );
    }
  } catch (error) {
    error.lastWords = gateway?.lastWords?.();
    throw error;
  } finally {
    await load?.close();
    await gateway?.close?.();
    await servers.close();
  }
}

/** Some gateways list what has come up so far; asked again until all is there. */
async function waitForTools({ load, target, wanted, patienceMs }) {
  const stop = Date.now() + patienceMs;
  for (;;) {
    const listed = await load.ask("list", { wanted: TOOL });
    if (listed.count >= wanted || target.listsOwn) return listed;
    if (Date.now() > stop) throw new Error(`it lists ${listed.count} of ${wanted} tools`);
    await pause(wanted > 1_000 ? 1_000 : 50);
  }
}

async function runJob({ job, load, gateway, name, wrapped, pid, options, warmUp }) {
  if (job.kind === "lists") {
    const count = options.quick ? 3 : job.count;
    const { times, gatewayNs, others } = await load.ask("lists", { count, ms: options.ms, pid });
    return { ms: medianOf(times), cpuUs: gatewayNs / times.length / 1000, lists: times.length, others };
  }
  if (job.kind === "views") {
    const urls =
      job.isNewProfile && gateway.viewOf ? PROFILES.map(gateway.viewOf) : Array(3).fill(gateway.url);
    const { times, wholeTimes, others } = await load.ask("views", { urls });
    return { ms: medianOf(times), wholeMs: medianOf(wholeTimes), times, others };
  }
  const { concurrency, resultBytes, argumentBytes } = job;
  const { ms, firstWarmMs, warmMs } = options;
  const measured = await load.ask("call", {
    concurrency,
    name,
    wrapped,
    resultBytes,
    argumentBytes,
    pid,
    ms,
    minCalls: options.quick ? 5 : 50,
    warmMs: warmUp.first ? firstWarmMs : warmMs,
  });
  warmUp.first = false;
  const { calls, seconds, gatewayNs, childrenNs, loadNs, p50, p99, max, others } = measured;
  return {
    perSecond: calls / seconds,
    cpuUs: gatewayNs / calls / 1000,
    childUs: childrenNs / calls / 1000,
    loadUs: loadNs / calls / 1000,
    p50,
    p99,
    max,
    calls,
    others,
  };
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
