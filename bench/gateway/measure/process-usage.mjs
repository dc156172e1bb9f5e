// What processes have used so far, from /proc: processor time in nanoseconds, memory in bytes.

import { readdirSync, readFileSync } from "node:fs";

/** Every thread of the process; undefined when it is gone. */
export function readCpu(pid) {
  try {
    let total = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ", 1)[0]);
    }
    return total;
  } catch {
    return undefined;
  }
}

function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const bytes = (text, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1024;
  return { rss: bytes(status, "VmRSS"), pss: bytes(rollup, "Pss") };
}

/** Its memory once it has come to rest. */
export async function readIdle(pid, { quick }) {
  await new Promise((resolve) => setTimeout(resolve, quick ? 20 : 500));
  return readMemory(pid);
}

/** The process and all that it started, and what those started. */
export function findFamily(root) {
  const children = new Map();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // It ended meanwhile.
    }
  }
  const family = [root];
  for (let index = 0; index < family.length; index++) family.push(...(children.get(family[index]) ?? []));
  return family;
}

/** Of the children of a process that are over; coarse, in hundredths of a second. */
export function readEndedCpu(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) * 1e7;
  } catch {
    return 0;
  }
}

export function sumCpu(pids) {
  return pids.reduce((sum, pid) => sum + (readCpu(pid) ?? 0), 0);
}
