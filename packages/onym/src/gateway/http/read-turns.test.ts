// Who is read next when not everybody can be (SAFE-4, SAFE-5).

import { describe, expect, it } from "vitest";
import { ReadTurns } from "./read-turns.js";

interface Named {
  readonly owner: string;
  readonly name: string;
}

/** `a1` is a connection of `a`. */
const named = (name: string): Named => ({ owner: name.charAt(0), name });
const namesOf = (all: readonly Named[]): string => all.map(({ name }) => name).join(" ");
/** All of them, each in its turn. */
const inTurns = (turns: ReadTurns<Named>): string => {
  const taken: Named[] = [];
  while (turns.size > 0)
    for (const next of turns.next(1)) {
      taken.push(next);
      turns.endTurn(next);
    }
  return namesOf(taken);
};

describe("turns of connections that are read", () => {
  it.each([
    ["callers take turns, however many connections one has", "a1 a2 a3 b1 c1 c2", "", "a1 b1 c1 a2 c2 a3"],
    ["those that were read before wait in their order", "a1 a2 a3", "", "a1 a2 a3"],
    ["of new ones the newest is first", "", "a1 a2 a3", "a3 a2 a1"],
    ["new ones take turns with those that were read before", "a1 a2 a3", "a4 a5 a6", "a1 a6 a2 a5 a3 a4"],
    [
      "every fourth of new ones is the oldest",
      "",
      "a1 a2 a3 a4 a5 a6 a7 a8 a9",
      "a9 a8 a7 a6 a5 a4 a3 a1 a2",
    ],
    [
      "a new one of another comes before all of who has many",
      "a1 a2 a3 a4",
      "a5 a6 b1",
      "a1 b1 a6 a2 a5 a3 a4",
    ],
  ])("%s (SAFE-5)", (_, read, fresh, expected) => {
    const turns = new ReadTurns<Named>();
    for (const name of read.split(" ").filter(Boolean)) turns.add(named(name));
    for (const name of fresh.split(" ").filter(Boolean)) turns.addNew(named(name));
    const all = turns.size;
    // Asked for all at once, they come in the same order: nobody loses a place by being asked for.
    const atOnce = new Set(turns.next(all));
    expect(atOnce.size).toBe(all);
    expect(turns.size).toBe(all);
    expect(inTurns(turns)).toBe(expected);
  });

  it("names no more than were asked for, and callers in turns (SAFE-5)", () => {
    const turns = new ReadTurns<Named>();
    for (const name of ["a1", "a2", "b1", "b2", "c1"]) turns.add(named(name));
    expect(namesOf(turns.next(2))).toBe("a1 b1");
    expect(namesOf(turns.next(4))).toBe("a1 b1 c1 a2");
    expect(namesOf(turns.next(9))).toBe("a1 b1 c1 a2 b2");
  });

  it("forgets who has left, and knows one whose caller has become another (SAFE-5)", () => {
    const turns = new ReadTurns<Named>();
    const changing = { owner: "a", name: "a1" };
    for (const each of [changing, named("b1")]) turns.add(each);
    changing.owner = "b";
    expect(turns.has(changing)).toBe(true);
    turns.remove(changing);
    expect(turns.has(changing)).toBe(false);
    expect(inTurns(turns)).toBe("b1");
  });
});
