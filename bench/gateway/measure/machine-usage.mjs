// How busy the whole machine was, and how much of that was not ours: a sample counts only while the rest is quiet.

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { findFamily, readEndedCpu, sumCpu } from "./process-usage.mjs";

const TICK_NS = 1e7;

/** Begin of a stretch of time; the function returned ends it and says which share of the machine others used. */
export function watchOthers(root) {
  const family = findFamily(root);
  const busy = readBusy();
  const ours = sumCpu(family) + readEndedCpu(root);
  const start = process.hrtime.bigint();
  return () => {
    const all = new Set([...family, ...findFamily(root)]);
    const used = readBusy() - busy;
    const own = sumCpu([...all]) + readEndedCpu(root) - ours;
    const time = Number(process.hrtime.bigint() - start) * availableParallelism();
    return Math.min(1, Math.max(0, (used - own) / time));
  };
}

/** Nanoseconds in which a processor ran programs, or was taken away by the host; all processors together. */
function readBusy() {
  const [user, nice, system, , , , , steal] = readFileSync("/proc/stat", "latin1")
    .slice(5, 200)
    .trim()
    .split(" ", 8)
    .map(Number);
  return (user + nice + system + steal) * TICK_NS;
}
