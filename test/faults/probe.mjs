// Loaded into the gateway's process (`node --import`): tells how long its turns take and what it holds, over a socket.

import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const { ONYM_PROBE } = process.env;
const TICK_MS = 5;

if (ONYM_PROBE !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  let worst = { wallMs: 0, cpuMs: 0 };
  let last = now();
  setInterval(() => {
    const next = now();
    worst = {
      wallMs: Math.max(worst.wallMs, next.wall - last.wall - TICK_MS),
      // A turn that waited for a busy machine used no CPU meanwhile.
      cpuMs: Math.max(worst.cpuMs, Math.min(next.cpu - last.cpu, next.wall - last.wall)),
    };
    last = next;
  }, TICK_MS).unref();

  createServer((socket) => {
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (word) => {
      const turns = worst;
      if (word.startsWith("held")) collect();
      const { heapUsed, rss } = process.memoryUsage();
      const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
      last = now();
      worst = { wallMs: 0, cpuMs: 0 };
      socket.end(JSON.stringify({ ...turns, heapBytes: heapUsed, rssBytes: rss, timers }));
    });
  })
    .listen(ONYM_PROBE)
    .unref();
}

function now() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1000 };
}
