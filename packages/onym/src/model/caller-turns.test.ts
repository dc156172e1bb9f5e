import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallerTurns, type TurnKey } from "./caller-turns.js";

function takeAll<T>(turns: CallerTurns<T>): T[] {
  const taken: T[] = [];
  while (!turns.isEmpty) {
    expect(turns.peek()).toBe(turns.peek());
    const peeked = turns.peek();
    const item = turns.take() as T;
    expect(item).toBe(peeked);
    taken.push(item);
  }
  expect(turns.take()).toBeUndefined();
  return taken;
}

describe("callers take turns (SAFE-5)", () => {
  it.each<readonly [string, readonly (readonly [TurnKey, string])[], string]>([
    [
      "of one caller, in order",
      [
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
      ],
      "123",
    ],
    [
      "of two, in turns",
      [
        ["a", "1"],
        ["a", "2"],
        ["a", "3"],
        ["b", "x"],
        ["b", "y"],
      ],
      "1x2y3",
    ],
    [
      "of nobody, each with a turn of its own",
      [
        ["a", "1"],
        ["a", "2"],
        [undefined, "x"],
        [undefined, "y"],
      ],
      "1xy2",
    ],
  ])("%s", (_, items, order) => {
    const turns = new CallerTurns<string>();
    for (const [key, item] of items) turns.add(key, item);
    expect(takeAll(turns).join("")).toBe(order);
  });

  it("whatever comes, nothing is lost, each caller's order stays, and nobody has two turns while another waits", () => {
    const items = fc.array(fc.tuple(fc.constantFrom("a", "b", "__proto__", undefined), fc.boolean()), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(items, (added) => {
        const turns = new CallerTurns<{ readonly key: TurnKey; readonly at: number }>();
        const taken: { readonly key: TurnKey; readonly at: number }[] = [];
        const waiting = new Map<TurnKey, number>();
        /** Who had the last turn while others were waiting. */
        let last: TurnKey;
        const count = (key: TurnKey, by: number): void => {
          waiting.set(key, (waiting.get(key) ?? 0) + by);
        };
        const take = (): void => {
          const item = turns.take();
          if (item === undefined) return;
          taken.push(item);
          if (last !== undefined) expect(item.key).not.toBe(last);
          count(item.key, -1);
          last = [...waiting].some(([key, left]) => key !== item.key && left > 0) ? item.key : undefined;
        };
        for (const [at, [key, isTaking]] of added.entries()) {
          turns.add(key, { key, at });
          count(key, 1);
          if (isTaking) take();
        }
        while (!turns.isEmpty) take();
        expect(taken.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(added.map((_, at) => at));
        for (const key of ["a", "b", "__proto__"]) {
          const own = taken.filter((item) => item.key === key).map(({ at }) => at);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
