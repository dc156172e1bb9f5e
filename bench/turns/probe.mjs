// Loaded into the gateway's process (`node --import`): measures every turn of its event loop while somebody asks for it, over
// a socket. CPU time of the main thread alone: a turn that waits for a busy machine uses none (Linux only).

import { openSync, readSync } from "node:fs";
import { Session } from "node:inspector";
import { createServer } from "node:net";

const { ONYM_TURNS, ONYM_TURNS_PROFILE } = process.env;
/** Turns from here on are kept, in ms. */
const KEPT_MS = 5;
/** Shorter turns did nothing. */
const BUSY_MS = 1;

if (ONYM_TURNS !== undefined) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(64);
  const cpuMs = () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString("latin1", 0, length).split(" ", 1)[0]) / 1e6;
  };
  const now = () => ({ cpu: cpuMs(), at: Number(process.hrtime.bigint() / 1000n) });

  let isArmed = false;
  let turns = [];
  let last = now();
  /** When the last turn ended that did something. */
  let busyAt = performance.now();
  const turn = () => {
    if (!isArmed) return;
    const next = now();
    const took = next.cpu - last.cpu;
    if (took >= BUSY_MS) busyAt = performance.now();
    if (took >= KEPT_MS) turns.push({ cpuMs: took, from: last.at, to: next.at });
    last = now();
    setImmediate(turn).unref();
  };

  const session = ONYM_TURNS_PROFILE === undefined ? undefined : new Session();
  session?.connect();
  session?.post("Profiler.enable");
  session?.post("Profiler.setSamplingInterval", { interval: 250 });
  const arm = () => {
    session?.post("Profiler.start");
    isArmed = true;
    turns = [];
    last = now();
    busyAt = performance.now();
    setImmediate(turn).unref();
  };
  const disarm = () => {
    isArmed = false;
    let profile;
    session?.post("Profiler.stop", (_, stopped) => {
      profile = stopped.profile;
    });
    return {
      turns: turns
        .sort((a, b) => b.cpuMs - a.cpuMs)
        .slice(0, 8)
        .map((each) => ({
          cpuMs: each.cpuMs,
          hot: profile === undefined ? [] : hotPaths(profile, each),
        })),
    };
  };

  // The start is a phase, too.
  arm();
  createServer((socket) => {
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (word) => {
      if (word.startsWith("quiet")) socket.end(JSON.stringify(performance.now() - busyAt));
      else if (word.startsWith("stop")) socket.end(JSON.stringify(disarm()));
      else {
        arm();
        socket.end("{}");
      }
    });
  })
    .listen(ONYM_TURNS)
    .unref();
}

/** Where a turn spent its time: functions with what they called, largest first. */
function hotPaths({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const total = new Map();
  let at = startTime;
  for (const [index, sample] of samples.entries()) {
    at += timeDeltas[index];
    if (at < from || at > to) continue;
    const seen = new Set();
    for (let id = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, lineNumber } = byId.get(id).callFrame;
      seen.add(`${functionName || "anonymous"}:${lineNumber + 1}`);
    }
    for (const name of seen) total.set(name, (total.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  }
  return [...total]
    .filter(([name]) => !name.startsWith("(root)"))
    .sort(([, a], [, b]) => b - a)
    .slice(0, 24)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
}
