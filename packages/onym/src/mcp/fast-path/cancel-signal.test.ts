import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CancelSignal, createCancelSource, toAbortSignal } from "./in-flight.js";

describe("a cancel signal", () => {
  it("tells each listener once, in order, and those that left not at all", () => {
    const { signal, cancel } = createCancelSource();
    const told: string[] = [];
    const left = () => told.push("left");
    signal.addEventListener("abort", () => told.push("first"));
    signal.addEventListener("abort", left);
    signal.addEventListener("abort", () => told.push("second"));
    signal.removeEventListener("abort", left);
    expect(signal.aborted).toBe(false);
    cancel();
    cancel();
    expect(told).toEqual(["first", "second"]);
    expect(signal.aborted).toBe(true);
  });

  it("tells nobody who comes after the end, as an AbortSignal", () => {
    const { signal, cancel } = createCancelSource();
    cancel();
    let told = 0;
    signal.addEventListener("abort", () => {
      told += 1;
    });
    cancel();
    expect(told).toBe(0);
  });

  it("lets a listener leave while others are told", () => {
    const { signal, cancel } = createCancelSource();
    const told: string[] = [];
    const late = () => told.push("late");
    signal.addEventListener("abort", () => signal.removeEventListener("abort", late));
    signal.addEventListener("abort", late);
    cancel();
    expect(told).toEqual([]);
  });

  it("does what an AbortController does, whatever comes and goes", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom("add", "remove"), listener: fc.nat(3) }),
      fc.constant({ kind: "cancel", listener: 0 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const controller = new AbortController();
        const plain = { signal: controller.signal as CancelSignal, cancel: () => controller.abort() };
        const [fast, expected] = [createCancelSource(), plain].map(({ signal, cancel }) => {
          const told: number[] = [];
          const listeners = [0, 1, 2, 3].map((n) => () => void told.push(n));
          for (const { kind, listener } of steps) {
            const own = listeners[listener] ?? (() => {});
            if (kind === "add") signal.addEventListener("abort", own, { once: true });
            else if (kind === "remove") signal.removeEventListener("abort", own);
            else cancel();
          }
          return { told, aborted: signal.aborted };
        });
        expect(fast).toEqual(expected);
      }),
    );
  });

  it("becomes an AbortSignal where one is needed", () => {
    const before = createCancelSource();
    const after = createCancelSource();
    after.cancel();
    const waiting = toAbortSignal(before.signal);
    expect([waiting.aborted, toAbortSignal(after.signal).aborted]).toEqual([false, true]);
    before.cancel();
    expect(waiting.aborted).toBe(true);
    const real = new AbortController().signal;
    expect(toAbortSignal(real)).toBe(real);
  });
});
