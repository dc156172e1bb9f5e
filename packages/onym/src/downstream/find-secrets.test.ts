import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CutSecrets, HashedText, WholeSecrets } from "./find-secrets.js";

const WIDTH = 3;
const LENGTHS = { shortest: WIDTH, longest: 6 };
/** Few characters, so that texts have secrets in them, and secrets others. */
const text = fc.string({ unit: fc.constantFrom("a", "a", "b", "\0"), maxLength: 30 });
const secrets = fc.array(fc.string({ unit: fc.constantFrom("a", "a", "b", "\0"), maxLength: 12 }), {
  maxLength: 6,
});

/** Where each secret stands, character by character. */
function findPlainly(searched: string, looked: readonly string[]): readonly boolean[] {
  const places = [...searched].map(() => false);
  for (const secret of looked.filter(({ length }) => length >= WIDTH))
    for (let at = 0; at < searched.length; at += 1)
      if (searched.startsWith(secret, at)) places.fill(true, at, at + secret.length);
  return places;
}

/** The longest of these by which a text begins or ends. */
function lengthOf(looked: readonly string[], isThere: (part: string) => boolean): number {
  const fitting = looked.filter(
    (part) => part.length >= LENGTHS.shortest && part.length <= LENGTHS.longest && isThere(part),
  );
  return Math.max(0, ...fitting.map(({ length }) => length));
}

const cutsOf = (secret: string, cut: (secret: string, at: number) => string) =>
  [...secret].map((_, at) => cut(secret, at + 1));

describe("secrets in a text", () => {
  it("are found as a whole where a plain search finds them (SAFE-7)", () => {
    fc.assert(
      fc.property(text, secrets, (searched, looked) => {
        const places = [...searched].map(() => false);
        for (const [start, end] of new WholeSecrets(looked, WIDTH).find(searched) ?? [])
          places.fill(true, start, end);
        expect(places).toEqual(findPlainly(searched, looked));
      }),
      { numRuns: 2_000 },
    );
  });

  it("are found where they were cut off, as by a plain search (SAFE-7)", () => {
    fc.assert(
      fc.property(text, secrets, (searched, looked) => {
        const cut = new CutSecrets(looked, LENGTHS);
        const hashed = new HashedText(searched);
        const beginnings = looked.flatMap((secret) => cutsOf(secret, (all, at) => all.slice(0, at)));
        expect(cut.endLength(hashed)).toBe(lengthOf(beginnings, (part) => searched.endsWith(part)));
        const ends = looked.flatMap((secret) => cutsOf(secret, (all, at) => all.slice(-at)));
        const start = cut.startLength(hashed);
        const isPart = searched.length >= WIDTH && looked.some((secret) => secret.includes(searched));
        if (start > 0 || cut.endLength(hashed) > 0) expect(cut.mayBeIn(searched)).toBe(true);
        if (isPart) expect(start).toBe(searched.length);
        // A text of nothing but parts of secrets is hidden, whatever their order.
        if (start !== searched.length || start === 0)
          expect(start).toBe(lengthOf(ends, (part) => searched.startsWith(part)));
        else
          for (let at = 0; at + WIDTH <= searched.length; at += 1)
            expect(looked.some((secret) => secret.includes(searched.slice(at, at + WIDTH)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["one below", 255, true],
    ["at", 256, true],
    ["one above", 257, false],
  ])(
    "are compared 32 times a character: %s (limits: MAX_COMPARED of find-secrets) (SAFE-4)",
    (_, count, isFound) => {
      const alike = Array.from({ length: count }, (_, at) => `the-same${at}`);
      expect(new WholeSecrets(alike, 8).find("the-same")).toEqual(isFound ? [] : undefined);
    },
  );
});
