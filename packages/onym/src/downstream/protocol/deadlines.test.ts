import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleServer } from "../../../../../test/edge/bundle-server.js";
import { addDeadline, Deadline, dropDeadline } from "./deadlines.js";

class TestDeadline extends Deadline {
  readonly expire: () => void;
  constructor(expire: () => void) {
    super();
    this.expire = expire;
  }
}

function expireAfter(ms: number, expire: () => void): Deadline {
  const deadline = new TestDeadline(expire);
  addDeadline(deadline, ms);
  return deadline;
}

describe("deadlines", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are told once in the order they are due, whatever the order they were added in", () => {
    const told: string[] = [];
    expireAfter(60, () => told.push("third"));
    expireAfter(5, () => told.push("first"));
    const answered = expireAfter(10, () => told.push("answered"));
    expireAfter(20, () => told.push("second"));
    dropDeadline(answered);
    vi.advanceTimersByTime(30);
    expect(told).toEqual(["first", "second"]);
    vi.advanceTimersByTime(1000);
    dropDeadline(answered);
    expect(told).toEqual(["first", "second", "third"]);
  });

  it("that share a timer are told in the order they were added in, but for those that are dropped meanwhile", () => {
    const told: string[] = [];
    expireAfter(60_000, () => {
      told.push("first");
      dropDeadline(second);
    });
    const second = expireAfter(60_000, () => told.push("second"));
    expireAfter(60_000, () => told.push("third"));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(59_999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(["first", "third"]);
  });

  it("need few timers, though thousands wait for as many lengths of time, and none is told early or late", () => {
    const begun = performance.now();
    const wrong: number[] = [];
    for (let ms = 1; ms <= 10_000; ms++)
      expireAfter(ms, () => {
        const late = performance.now() - begun - ms;
        if (late < 0 || late > Math.max(1, ms / 64)) wrong.push(ms);
      });
    expect(vi.getTimerCount()).toBeLessThan(1000);
    vi.advanceTimersByTime(11_000);
    expect(wrong).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may begin others when they have passed", () => {
    const told: string[] = [];
    expireAfter(0, () => expireAfter(0, () => told.push("both")));
    vi.advanceTimersByTime(10);
    expect(told).toEqual(["both"]);
  });

  it("are told though others fail", () => {
    const told: string[] = [];
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    expireAfter(1000, fail("one"));
    expireAfter(1000, () => told.push("first"));
    expireAfter(1000, fail("two"));
    expireAfter(1000, () => told.push("second"));
    expect(() => vi.runAllTimers()).toThrow("one");
    expect(() => vi.runAllTimers()).toThrow("two");
    vi.runAllTimers();
    expect(told).toEqual(["first", "second"]);
  });
});

describe("a deadline that is far away", () => {
  it("has not passed, also where it is farther than a timer reaches", async () => {
    const told: number[] = [];
    const far = [2 ** 31 - 1, 2 ** 31, 2 ** 40].map((ms) => expireAfter(ms, () => told.push(ms)));
    await new Promise<void>((resolve) => {
      expireAfter(20, resolve);
    });
    for (const deadline of far) dropDeadline(deadline);
    expect(told).toEqual([]);
  });

  it("does not keep the process alive", async () => {
    const bundle = await bundleServer(new URL("./deadlines.ts", import.meta.url));
    const script = `import { addDeadline, Deadline } from ${JSON.stringify(bundle.file)}; addDeadline(new Deadline(), 600_000);`;
    const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: 20_000,
    });
    await bundle.remove();
    expect(status).toBe(0);
  });
});
