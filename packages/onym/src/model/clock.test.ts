import { expect, it } from "vitest";
import { formatDuration } from "./clock.js";

it.each([
  [20, "20 ms"],
  [999.4, "999 ms"],
  [1_000, "1 s"],
  [1_234, "1.2 s"],
  [30_000, "30 s"],
])("a duration of %d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
