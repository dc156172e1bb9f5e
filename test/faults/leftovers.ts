// What a process holds, as the system tells it: open files and the processes that it started. Linux only.

import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";

export interface Held {
  readonly descriptors: number;
  readonly children: number;
  readonly timers: number;
  readonly heapMiB: number;
  readonly rssMiB: number;
}

export interface Turns {
  /** The longest turn of the event loop since it was last asked, by the clock on the wall. */
  readonly wallMs: number;
  /** The same as CPU time, which a busy machine does not add to. */
  readonly cpuMs: number;
}

interface Told extends Turns {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly timers: number;
}

/** Asks the probe in the gateway; `held` has it collect garbage first. */
function askProbe(socketPath: string, word: "turns" | "held"): Promise<Told> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(socketPath, () => socket.write(`${word}\n`));
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.once("error", reject).once("end", () => resolve(JSON.parse(text) as Told));
  });
}

export async function readTurns(probe: string): Promise<Turns> {
  const { wallMs, cpuMs } = await askProbe(probe, "turns");
  return { wallMs, cpuMs };
}

export async function readHeld(probe: string, pid: number): Promise<Held> {
  const { heapBytes, rssBytes, timers } = await askProbe(probe, "held");
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    children: listDescendants(pid).length,
    timers,
    heapMiB: Math.round((heapBytes / 1024 / 1024) * 10) / 10,
    rssMiB: Math.round(rssBytes / 1024 / 1024),
  };
}

/** Processes that came from this one, and from those. */
function listDescendants(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const each of readdirSync("/proc")) {
    if (!/^\d+$/.test(each)) continue;
    const parent = parentOf(Number(each));
    if (parent !== undefined) parents.set(Number(each), parent);
  }
  const found: number[] = [];
  for (let level = [pid]; level.length > 0; ) {
    level = [...parents].filter(([, parent]) => level.includes(parent)).map(([child]) => child);
    found.push(...level);
  }
  return found;
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** Processes of a test that are left: those whose environment has this text. */
export function listMarked(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((each) => /^\d+$/.test(each))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false;
      }
    });
}
