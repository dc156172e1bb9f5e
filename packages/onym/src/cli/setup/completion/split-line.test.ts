import { expect, it } from "vitest";
import { splitLine } from "./split-line.js";

it.each([
  ["", [""]],
  ["onym", ["onym"]],
  ["onym ", ["onym", ""]],
  ["onym  names\t--profile", ["onym", "names", "--profile"]],
  ["onym resolve dev:fs@1/re", ["onym", "resolve", "dev:fs@1/re"]],
  ["onym resolve 'search fi", ["onym", "resolve", "search fi"]],
  ['onym resolve "a \\"b" c\\ d', ["onym", "resolve", 'a "b', "c d"]],
  ["onym resolve '' x", ["onym", "resolve", "", "x"]],
  ["onym resolve $(touch x) `y`", ["onym", "resolve", "$(touch", "x)", "`y`"]],
  ["onym \\", ["onym", ""]],
])("splits %j as a shell does, and runs nothing of it", (line, words) => {
  expect(splitLine(line)).toEqual(words);
});
