import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CancelSignal, createCancelSource, createTickets, toAbortSignal } from "./in-flight.js";

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

describe("tickets", () => {
  it("lead to their value until it is dropped, and never to another", () => {
    const steps = fc.array(fc.oneof(fc.constant("take"), fc.nat(50)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (taken) => {
        const tickets = createTickets<{ readonly n: number }>();
        const model = new Map<number, { readonly n: number }>();
        const all: number[] = [];
        for (const [n, step] of taken.entries()) {
          if (step === "take") {
            const value = { n };
            const ticket = tickets.take(value);
            expect(all).not.toContain(ticket);
            all.push(ticket);
            model.set(ticket, value);
          } else {
            const ticket = all[step] ?? -1;
            expect(tickets.drop(ticket)).toBe(model.delete(ticket));
          }
        }
        for (const ticket of all) expect(tickets.get(ticket)).toBe(model.get(ticket));
        expect(tickets.size).toBe(model.size);
        expect(new Set(tickets.values())).toEqual(new Set(model.values()));
      }),
    );
  });

  it("stay small, because they are ids that others keep in 32 bits", () => {
    const tickets = createTickets<object>();
    const kept = Array.from({ length: 100 }, () => tickets.take({}));
    for (let turn = 0; turn < 10_000; turn += 1) tickets.drop(tickets.take({}));
    expect(tickets.take({})).toBeLessThan(20_000);
    expect(kept.every((ticket) => tickets.get(ticket) !== undefined)).toBe(true);
    expect(tickets.size).toBe(101);
  });

  it("are whole numbers from one up, whatever else is asked for", () => {
    const tickets = createTickets<object>();
    expect([tickets.take({}), tickets.take({})]).toEqual([1, 2]);
    for (const strange of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 3])
      expect([tickets.get(strange), tickets.drop(strange)]).toEqual([undefined, false]);
  });
});
