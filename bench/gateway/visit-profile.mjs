// Where the time of a gateway goes while it forwards small calls: its own CPU profile, by function.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startLoad } from "./load/start-load.mjs";
import { startServers } from "./servers/start-servers.mjs";
import { PROFILES } from "./visit-load.mjs";

const LINES = 25;

export async function visitProfile({ scenario, target, folder, options }, onSample) {
  const { in: via, out, tools, job } = scenario;
  const profiles = join(folder, "profile");
  mkdirSync(profiles, { recursive: true });
  const nodeArgs = ["--cpu-prof", "--cpu-prof-dir", profiles];
  const servers = await startServers({ via: out, tools });
  const load = await startLoad();
  const gateway = await target.start({ folder, servers: servers.servers, via, tools, nodeArgs });
  const ms = options.ms * 3;
  let stretch = [0, 0];
  try {
    const { url, launch } = gateway;
    const opened = await load.ask("open", { via, era: "legacy", url, launch });
    const { name } = await load.ask("list", { wanted: "search_issues_0" });
    const pid = gateway.pid ?? opened.pid;
    const begun = nowUs();
    if (job.kind === "views") await load.ask("views", { urls: PROFILES.map(gateway.viewOf) });
    else await load.ask("call", { ...job, name, pid, ms, warmMs: options.firstWarmMs });
    const ended = nowUs();
    stretch = [job.kind === "views" ? begun : ended - ms * 1000, ended];
  } finally {
    await load.close();
    await gateway.close?.();
    await servers.close();
  }
  const profile = readLargest(profiles);
  onSample({ id: "self-time" }, { top: topOf(profile, stretch, options.root) });
}

/** By the clock that all processes share. */
function nowUs() {
  return Number(process.hrtime.bigint() / 1000n);
}

/** The gateway's own: the smaller ones are those of Node processes that it started. */
function readLargest(folder) {
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .sort((a, b) => b.length - a.length);
  if (texts.length === 0) throw new Error("it wrote no profile when it ended");
  return JSON.parse(texts[0]);
}

/** Self time by function within a stretch of the clock that all processes share, in microseconds. */
function topOf({ nodes, samples, timeDeltas, startTime }, [from, to], root) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const shares = new Map();
  let at = startTime;
  let total = 0;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index];
    const { functionName, url } = frames.get(id);
    if (at < from || at > to || functionName === "(idle)") continue;
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
