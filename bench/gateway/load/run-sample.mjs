// One sample: a closed loop over all lanes, first to warm up, then measured. Every answer must belong to its request.

import { performance } from "node:perf_hooks";
import { watchOthers } from "../measure/machine-usage.mjs";
import { findFamily, readCpu, sumCpu } from "../measure/process-usage.mjs";
import { createStamp } from "./build-request.mjs";

let sequence = 0;

/**
 * `bytes` is the request as it goes over the wire. Ends after `ms` (and at least `minCalls`, at most five times as long),
 * or after exactly `calls`.
 */
export function runSample({ lanes, bytes, warmMs, ms, minCalls = 1, calls, minBytes = 0, pid, root }) {
  return new Promise((resolve) => {
    const latencies = [];
    const early = [];
    let state = "warm";
    let begun = performance.now();
    let done = 0;
    let active = lanes.length;
    let problem;
    let measured;
    let begin;

    const startMeasuring = (now) => {
      state = "measure";
      begun = now;
      const children = findFamily(pid).slice(1);
      begin = {
        others: watchOthers(root),
        gateway: readCpu(pid) ?? 0,
        children,
        childCpu: sumCpu(children),
        load: process.cpuUsage(),
      };
      begun = performance.now();
    };
    const stopMeasuring = (now) => {
      state = "stop";
      const load = process.cpuUsage(begin.load);
      measured = {
        seconds: (now - begun) / 1000,
        calls: done,
        gatewayNs: (readCpu(pid) ?? 0) - begin.gateway,
        childrenNs: sumCpu(begin.children) - begin.childCpu,
        loadNs: (load.user + load.system) * 1000,
        others: begin.others(),
      };
    };
    const fail = (why) => {
      problem ??= why;
      state = "stop";
    };
    const end = () => {
      active -= 1;
      if (active > 0) return;
      for (const lane of lanes) {
        lane.onAnswer = () => {};
        lane.onLost = () => {};
      }
      if (problem !== undefined || measured === undefined) {
        resolve({ problem: problem ?? "nothing was measured" });
        return;
      }
      resolve({ ...measured, ...percentiles(latencies.length > 0 ? latencies : early) });
    };

    for (const lane of lanes) {
      const { buffer, stamp, echoes } = createStamp(bytes);
      let expected = "";
      let sentAt = 0;
      const next = () => {
        sequence += 1;
        expected = stamp(sequence);
        sentAt = performance.now();
        lane.send(buffer, expected);
      };
      lane.onLost = (why) => {
        fail(why);
        end();
      };
      lane.onAnswer = (status, parts) => {
        const now = performance.now();
        const wrong = checkAnswer({ status, parts, expected, echoes, minBytes });
        if (wrong !== undefined) fail(wrong);
        if (state === "measure") {
          done += 1;
          // What was sent while warming up says how slow a cold process is.
          if (sentAt >= begun) latencies.push(now - sentAt);
          else early.push(now - sentAt);
          const passed = now - begun;
          const enough =
            calls === undefined ? passed >= ms && (done >= minCalls || passed >= ms * 5) : done >= calls;
          if (enough) stopMeasuring(now);
        } else if (state === "warm" && now - begun >= warmMs) startMeasuring(now);
        if (state === "stop") end();
        else next();
      };
      next();
    }
  });
}

/** What is wrong with an answer, or undefined. */
function checkAnswer({ status, parts, expected, echoes, minBytes }) {
  const shown = () => Buffer.concat(parts).toString("utf8", 0, 300);
  if (status !== 200) return `HTTP ${status}: ${shown()}`;
  if (!holds(parts, `"id":${expected}`)) return `an answer without its id: ${shown()}`;
  if (echoes && !holds(parts, `t${expected} `)) return `the answer to another call, or an error: ${shown()}`;
  if (minBytes > 0 && sizeOf(parts) < minBytes) return `only ${sizeOf(parts)} bytes of ${minBytes}`;
  return undefined;
}

/** Looks at both ends first, since that is where ids are, and copies nothing there. */
function holds(parts, text) {
  if (parts.length === 0) return false;
  if (parts[0].includes(text) || parts.at(-1).includes(text)) return true;
  return parts.length > 1 && Buffer.concat(parts).includes(text);
}

function sizeOf(parts) {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function percentiles(latencies) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) };
}
