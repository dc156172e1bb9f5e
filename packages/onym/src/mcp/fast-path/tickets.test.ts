import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTickets } from "./in-flight.js";

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
