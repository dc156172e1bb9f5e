import { describe, expect, it } from "vitest";
import type { Clock } from "../../model/clock.js";
import { createRelisting } from "./relisting.js";

interface Stage {
  readonly request: () => void;
  readonly stop: () => void;
  /** When each listing began. */
  readonly begun: number[];
  /** Ends the listing that runs. */
  readonly end: () => Promise<void>;
  /** Moves time on, and fires what is due on the way, in order. */
  readonly pass: (ms: number) => Promise<void>;
}

function createStage(fails = false): Stage {
  let now = 1_000_000;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const begun: number[] = [];
  let end: (() => void) | undefined;
  const relisting = createRelisting(() => {
    begun.push(now - 1_000_000);
    return new Promise((resolve, reject) => {
      end = fails ? () => reject(new Error("no list")) : resolve;
    });
  }, clock);
  return {
    ...relisting,
    begun,
    async end() {
      end?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    async pass(ms) {
      const until = now + ms;
      for (;;) {
        const [due] = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = due.at;
        due.call();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
    },
  };
}

describe("listing again after changes", () => {
  it("happens at once for the first, and once for all that come while it runs (GW-7)", async () => {
    const stage = createStage();
    stage.request();
    expect(stage.begun).toEqual([0]);
    for (let count = 0; count < 100; count += 1) stage.request();
    await stage.end();
    await stage.pass(1000);
    expect(stage.begun).toEqual([0, 50]);
    await stage.end();
    await stage.pass(1_000_000);
    expect(stage.begun).toHaveLength(2);
  });

  it("happens ever more slowly for a server that does nothing but change, up to once in ten seconds: not one below, at it, and never one above (limits: MAX_PAUSE_MS of relisting) (GW-7) (SAFE-5)", async () => {
    const stage = createStage();
    const listings: number[] = [];
    stage.request();
    for (let pause = 50; listings.length < 14; pause = Math.min(pause * 2, 10_000)) {
      stage.request();
      await stage.end();
      const before = stage.begun.length;
      await stage.pass(pause - 1);
      expect(stage.begun).toHaveLength(before);
      await stage.pass(1);
      expect(stage.begun).toHaveLength(before + 1);
      listings.push(pause);
    }
    expect(listings.slice(6, 11)).toEqual([3_200, 6_400, 10_000, 10_000, 10_000]);
  });

  it("waits as long where the server tells of a change just after it was listed (GW-7) (SAFE-5)", async () => {
    const stage = createStage();
    stage.request();
    for (const pause of [50, 100, 200, 400]) {
      await stage.end();
      stage.request();
      const before = stage.begun.length;
      await stage.pass(pause - 1);
      stage.request();
      expect(stage.begun).toHaveLength(before);
      await stage.pass(1);
      expect(stage.begun).toHaveLength(before + 1);
    }
  });

  it("happens at once again for a server that has calmed down for a minute (GW-7)", async () => {
    const stage = createStage();
    stage.request();
    for (const pause of [50, 100, 200, 400, 800]) {
      stage.request();
      await stage.end();
      await stage.pass(pause);
    }
    await stage.end();
    // The next pause would be 1,600 ms: every ten seconds halve it.
    await stage.pass(60_000);
    stage.request();
    stage.request();
    await stage.end();
    const [before = 0] = stage.begun.slice(-1);
    await stage.pass(50);
    expect(stage.begun.slice(-1)).toEqual([before + 50]);
  });

  it("happens at once for a server that changes twice (GW-7)", async () => {
    const stage = createStage();
    stage.request();
    await stage.end();
    await stage.pass(60);
    stage.request();
    expect(stage.begun).toEqual([0, 60]);
  });

  it.each([520, 600, 3_000, 5_000, 9_999])(
    "happens ever more slowly for a server that changes once in %i ms, and not for each pause anew (SAFE-5)",
    async (every) => {
      const stage = createStage();
      const until = 5 * 60_000;
      for (let at = 0; at < until; at += every) {
        stage.request();
        await stage.end();
        await stage.pass(every);
      }
      // What it changed last is listed in the end, too.
      stage.request();
      await stage.pass(10_000);
      const { length } = stage.begun.filter((at) => at > until - 100_000);
      expect(length).toBeGreaterThanOrEqual(4);
      expect(length).toBeLessThanOrEqual(13);
      expect(stage.begun.at(-1)).toBeGreaterThanOrEqual(until - every);
    },
  );

  it("goes on after a listing that failed, and ends with the connection", async () => {
    const stage = createStage(true);
    stage.request();
    stage.request();
    await stage.end();
    await stage.pass(50);
    expect(stage.begun).toEqual([0, 50]);
    stage.request();
    await stage.end();
    stage.stop();
    await stage.pass(1_000_000);
    expect(stage.begun).toHaveLength(2);
  });
});
