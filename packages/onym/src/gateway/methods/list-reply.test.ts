import { expect, it } from "vitest";
import { joinEntries } from "./list-reply.js";

/** How often others got their turn while so many entries of this size were written. */
async function turnsOf(count: number, length: number): Promise<number> {
  let turns = 0;
  let isDone = false;
  const take = (): void => {
    if (isDone) return;
    turns += 1;
    setImmediate(take);
  };
  const text = JSON.stringify("a".repeat(length));
  setImmediate(take);
  const joined = joinEntries(Array(count).fill(text), (each) => each);
  expect(JSON.parse(`[${await joined}]`)).toHaveLength(count);
  isDone = true;
  return turns;
}

it("writes the entries of a list in slices of 200, or of 256 KB where they are large (SAFE-4)", async () => {
  expect(await turnsOf(200, 1)).toBe(0);
  expect(await turnsOf(1_000, 1)).toBeGreaterThanOrEqual(4);
  expect(await turnsOf(8, 256 * 1024)).toBeGreaterThanOrEqual(7);
});

it("leaves out what is not to be listed", async () => {
  expect(await joinEntries([1, 2, 3], (each) => (each === 2 ? undefined : `${each}`))).toBe("1,3");
  expect(await joinEntries([], () => "")).toBe("");
});

it.each([200, 201, 400, 450])("leaves out the last of %i entries, too", async (count) => {
  const entries = Array.from({ length: count }, (_, at) => at);
  const joined = await joinEntries(entries, (each) => (each < 200 ? `${each}` : undefined));
  expect(JSON.parse(`[${joined}]`)).toEqual(entries.slice(0, 200));
});
