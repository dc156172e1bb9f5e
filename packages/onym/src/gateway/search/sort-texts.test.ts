import fc from "fast-check";
import { expect, it } from "vitest";
import { runAtOnce } from "../../model/run-slices.js";
import { sortTextsSteps } from "./sort-texts.js";

it("sorts like one sort would, in steps of a thousand (SAFE-4)", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 5_000, size: "max" }), (texts) => {
      expect(runAtOnce(sortTextsSteps(texts))).toEqual(texts.toSorted());
    }),
    { numRuns: 30 },
  );
  const steps = sortTextsSteps(Array.from({ length: 8_000 }, (_, n) => `${(n * 7_919) % 8_000}`));
  let count = 0;
  while (steps.next().done !== true) count += 1;
  // Eight runs, and each text three times more.
  expect(count).toBe(8 + 3 * 8);
});
