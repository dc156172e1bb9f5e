import { expect, it } from "vitest";
import { createTestClock } from "../testing/start-downstream.js";
import { createStderrTail, LOGGED_BURST } from "./stderr-tail.js";

function listen() {
  let now = 0;
  const clock = { ...createTestClock(), now: () => now };
  const lines: string[] = [];
  const dropped: number[] = [];
  let pauses = 0;
  const stderrTail = createStderrTail({
    clock,
    onLine: (line) => lines.push(line),
    onDropped: (bytes) => dropped.push(bytes),
    pause: () => {
      pauses += 1;
    },
    resume: () => {
      pauses -= 1;
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { words: stderrTail, lines, dropped, paused: () => pauses, fire: clock.fire, pass };
}

it("tells every line of a process that writes little, and what it failed for", () => {
  const { words: stderrTail, lines, dropped } = listen();
  for (const text of ["starting\n", "Error: no key\n  at x\n", "bye"]) stderrTail.push(Buffer.from(text));
  expect(stderrTail.likelyReason()).toBe("Error: no key");
  expect(lines).toEqual(["starting", "Error: no key", "  at x", "bye"]);
  expect(dropped).toEqual([]);
});

it("leaves out what is more than a burst, counts it, and reads on slowly (SAFE-5)", () => {
  const { words: stderrTail, lines, dropped, paused, fire } = listen();
  const flood = Buffer.from("x\n".repeat(500_000));
  stderrTail.push(flood);
  // Each line costs 102: its bytes, and what a line costs.
  expect(lines.length).toBeGreaterThanOrEqual(LOGGED_BURST / 102);
  expect(lines.length).toBeLessThan(LOGGED_BURST / 102 + 1024);
  expect(paused()).toBe(1);
  fire();
  expect(paused()).toBe(0);
  expect(dropped).toEqual([flood.length - lines.length * 2]);
});

it("goes on telling after a while, one line for each second's worth (SAFE-5)", () => {
  const { words: stderrTail, lines, pass } = listen();
  stderrTail.push(Buffer.from("x\n".repeat(500_000)));
  const before = lines.length;
  stderrTail.push(Buffer.from("left out\n"));
  expect(lines).toHaveLength(before);
  pass(60_000);
  stderrTail.push(Buffer.from("told again\n"));
  expect(lines.slice(before)).toEqual(["told again"]);
});

it("knows why a process failed that had flooded before, and says then what was left out (SAFE-5)", () => {
  const { words: stderrTail, dropped } = listen();
  stderrTail.push(Buffer.from("noise\n".repeat(200_000)));
  stderrTail.push(Buffer.from("noise\nfatal: the disk is full\n"));
  expect(stderrTail.likelyReason()).toBe("fatal: the disk is full");
  expect(dropped).toHaveLength(1);
});
