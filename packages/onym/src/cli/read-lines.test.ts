import { expect, it } from "vitest";
import { readLines } from "./read-lines.js";

async function linesOf(...pieces: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const lines: string[] = [];
  async function* input() {
    yield* pieces;
  }
  for await (const batch of readLines(input())) lines.push(...batch);
  return lines;
}

it.each([
  [[""], []],
  [["a"], ["a"]],
  [["a\n"], ["a"]],
  [["a\r\nb\r\n"], ["a", "b"]],
  [["\n\n"], ["", ""]],
  [
    ["a", "b\nc", "d", "\ne"],
    ["ab", "cd", "e"],
  ],
  [
    ["a\r", "\nb"],
    ["a", "b"],
  ],
])("%j gives the lines %j", async (pieces, expected) => {
  expect(await linesOf(...pieces)).toEqual(expected);
});

it("puts characters together that were cut between pieces", async () => {
  const bytes = new TextEncoder().encode("日本\n");
  expect(await linesOf(bytes.slice(0, 2), bytes.slice(2, 5), bytes.slice(5))).toEqual(["日本"]);
});
