// Where the time of a gateway goes while it forwards small calls: its own CPU profile, by function.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startLoad } from "./load/start-load.mjs";
import { startServers } from "./servers/start-servers.mjs";

const LINES = 25;

export async function visitProfile({ scenario, target, folder, options }, onSample) {
  const { tools } = scenario;
  const profiles = join(folder, "profile");
  mkdirSync(profiles, { recursive: true });
  const nodeArgs = ["--cpu-prof", "--cpu-prof-dir", profiles];
  const servers = await startServers({ via: "http", tools });
  const load = await startLoad();
  const gateway = await target.start({ folder, servers: servers.servers, via: "http", tools, nodeArgs });
  const ms = options.ms * 3;
  try {
    const { pid, url } = gateway;
    await load.ask("open", { via: "http", era: "legacy", url });
    const { name } = await load.ask("list", { wanted: "search_issues_0" });
    await load.ask("call", { concurrency: 64, name, pid, ms, warmMs: options.firstWarmMs });
  } finally {
    await load.close();
    await gateway.close();
    await servers.close();
  }
  const [file] = readdirSync(profiles).filter((name) => name.endsWith(".cpuprofile"));
  if (file === undefined) throw new Error("it wrote no profile when it ended");
  const profile = JSON.parse(readFileSync(join(profiles, file), "utf8"));
  onSample({ id: "self-time" }, { top: topOf(profile, ms * 1000, options.root) });
}

/** Self time by function, over the last stretch before the end of the load. */
function topOf({ nodes, samples, timeDeltas, endTime, startTime }, stretchUs, root) {
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const shares = new Map();
  let at = startTime;
  let total = 0;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index];
    const { functionName, url } = byId.get(id);
    if (at < endTime - stretchUs * 1.2 || functionName === "(idle)") continue;
    const key = `${functionName || "(anonymous)"} ${placeOf(url, root)}`;
    shares.set(key, (shares.get(key) ?? 0) + timeDeltas[index]);
    total += timeDeltas[index];
  }
  return [...shares]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LINES)
    .map(([key, time]) => ({ name: key.trim(), share: time / total }));
}

/** From the project or package on, since paths of a machine belong in no report. */
function placeOf(url, root) {
  const path = url.replace(/^file:\/\//, "");
  const inModules = /.*\/node_modules\/(.*)$/.exec(path)?.[1];
  const inPackages = /.*\/(packages\/.*)$/.exec(path)?.[1];
  return inModules ?? inPackages ?? path.replace(root, "");
}
