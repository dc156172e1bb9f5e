import { expect, it } from "vitest";
import { nearestText } from "./near-text.js";

it.each([
  ["alais", ["alias", "tools"], "alias"],
  ["toolfilters", ["toolFilters"], "toolFilters"],
  ["speaks_for", ["speaksFor"], "speaksFor"],
  ["opnai", ["anthropic", "openai"], "openai"],
  ["command", ["alias", "names"], undefined],
  ["", ["a"], undefined],
  ["a", ["b"], undefined],
  ["x".repeat(10_000), ["x"], undefined],
])("for %s of %j it is %s", (text, candidates, expected) => {
  expect(nearestText(text, candidates)).toBe(expected);
});
