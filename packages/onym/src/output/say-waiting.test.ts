import { describe, expect, it } from "vitest";
import { sayWaiting } from "./say-waiting.js";

/** A terminal, and a clock that goes on when it is told to. */
function newWait(isTTY: boolean) {
  const said: string[] = [];
  const left = new Set(["docs", "dev / crm"]);
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  let now = 0;
  const clock = {
    now: () => now,
    after: (ms: number, call: () => void) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const goTo = (ms: number): void => {
    now = ms;
    for (const timer of [...timers].filter(({ at }) => at <= now)) {
      timers.delete(timer);
      timer.call();
    }
  };
  const end = sayWaiting(
    { left: () => [...left], mostMs: 30_000, clock },
    { isTTY, err: (text) => void said.push(text), paintErr: (_, text) => text },
  );
  return { said, left, goTo, end, timers };
}

describe("a command that waits for servers", () => {
  it("says for whom, and again while it takes long", () => {
    const { said, left, goTo, end, timers } = newWait(true);
    goTo(1_999);
    expect(said).toEqual([]);
    goTo(2_000);
    left.delete("docs");
    goTo(12_000);
    expect(said).toEqual([
      "  waiting  docs, dev / crm  2 s of at most 30 s\n",
      "  waiting  dev / crm  12 s of at most 30 s\n",
    ]);
    end();
    expect(timers.size).toBe(0);
  });

  it("says nothing where nobody looks, or all have answered", () => {
    const piped = newWait(false);
    piped.goTo(2_000);
    expect([piped.said, piped.timers.size]).toEqual([[], 0]);
    const quick = newWait(true);
    quick.left.clear();
    quick.goTo(2_000);
    expect(quick.said).toEqual([]);
    quick.end();
  });
});
