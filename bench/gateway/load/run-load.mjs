// The load, a process of its own: takes jobs as JSON lines on stdin, answers each on stdout.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { watchOthers } from "../measure/machine-usage.mjs";
import { readCpu } from "../measure/process-usage.mjs";
import { buildBody, headersFor } from "./build-request.mjs";
import { openHttpLanes } from "./http-lanes.mjs";
import { fetchList, readList } from "./list-tools.mjs";
import { openHttpSession, openStdioSession } from "./open-session.mjs";
import { runSample } from "./run-sample.mjs";
import { openSseLanes } from "./sse-lanes.mjs";
import { createSharedLines, openStdioLanes } from "./stdio-lanes.mjs";

/** What is connected: how lanes are opened, and whom. */
let peer;

const JOBS = { open, list, lists, views, call };

process.once("SIGTERM", () => void end());
for await (const line of createInterface({ input: process.stdin })) {
  const { job, ...input } = JSON.parse(line);
  const answer = await JOBS[job](input).catch((error) => ({ problem: String(error?.message ?? error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await end();

/** A gateway that was started here must not outlive the load, whatever it does at the end of its input. */
async function end() {
  const child = peer?.child;
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    const force = setTimeout(() => child.kill("SIGKILL"), 2000);
    child.kill("SIGTERM");
    await gone;
    clearTimeout(force);
  }
  process.exit(0);
}

async function open({ via, era, url, launch }) {
  peer = via === "stdio" ? await openStdio(launch, era) : await openHttp({ via, url, era });
  return { pid: peer.child?.pid };
}

async function openHttp({ via, url, era }) {
  const { hostname, port, pathname, search } = new URL(url);
  const target = { host: hostname, port: Number(port), path: pathname + search };
  if (via === "sse") return { era, openLanes: (count) => openSseLanes(target, count) };
  const headers = await openHttpSession(url, era);
  return { era, url, openLanes: (count) => openHttpLanes({ ...target, headers }, count) };
}

async function openStdio({ command, args, cwd, env }, era) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => {});
  peer = { child };
  const readLines = createSharedLines(child.stdout);
  await openStdioSession({ child, readLines }, era);
  return { era, child, openLanes: async (count) => openStdioLanes({ child, readLines }, count) };
}

/** One list, read: whether it is complete, and the name to call. */
async function list({ wanted }) {
  const { lanes, frame, close } = await peer.openLanes(1);
  const { pages, ms } = await fetchList({ era: peer.era, lane: lanes[0], frame });
  close();
  return { ...readList(pages, wanted), ms };
}

/** The same list again and again, by a client that has seen it before. */
async function lists({ count, ms: forMs, pid = peer.child?.pid, root }) {
  const { lanes, frame, close } = await peer.openLanes(1);
  await fetchList({ era: peer.era, lane: lanes[0], frame });
  const others = watchOthers(root);
  const cpu = readCpu(pid) ?? 0;
  const times = [];
  const stop = performance.now() + forMs;
  while (times.length < count && (times.length < 3 || performance.now() < stop)) {
    times.push((await fetchList({ era: peer.era, lane: lanes[0], frame })).ms);
  }
  const result = { times, gatewayNs: (readCpu(pid) ?? 0) - cpu, others: others() };
  close();
  return result;
}

/** The first list of clients that were not there before, each at its own address. */
async function views({ urls, root }) {
  const others = watchOthers(root);
  const times = [];
  const wholeTimes = [];
  for (const url of urls) {
    const start = performance.now();
    const { openLanes, era } = await openHttp({ via: "http", url, era: peer.era });
    const { lanes, frame, close } = await openLanes(1);
    const opened = performance.now();
    const { ms } = await fetchList({ era, lane: lanes[0], frame });
    times.push(ms);
    wholeTimes.push(opened - start + ms);
    close();
  }
  return { times, wholeTimes, others: others() };
}

async function call({
  concurrency,
  name,
  wrapped,
  resultBytes,
  argumentBytes,
  pid = peer.child?.pid,
  ...rest
}) {
  const { era } = peer;
  const opened = await peer.openLanes(concurrency);
  const body = buildBody({ era, method: "tools/call", name, wrapped, resultBytes, argumentBytes });
  const bytes = opened.frame(body, headersFor({ era, method: "tools/call", name }));
  const result = await runSample({ lanes: opened.lanes, bytes, minBytes: resultBytes, pid, ...rest });
  opened.close();
  return result;
}
