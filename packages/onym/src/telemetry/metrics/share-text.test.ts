import { expect, it } from "vitest";
import { shareText } from "./share-text.js";

/** Texts of so many bytes, which are ready when they are ended, on a clock of their own. */
function createStage(length: number) {
  const ends: { readonly end: () => void; readonly fail: () => void }[] = [];
  const stage = { now: 0 };
  const read = shareText({
    make: () =>
      new Promise((resolve, reject) => {
        const text = new Uint8Array(length).fill(ends.length);
        ends.push({ end: () => resolve(text), fail: () => reject(new Error("broken")) });
      }),
    elapsed: () => stage.now,
  });
  return { ends, stage, read: (signal = new AbortController().signal) => read(signal) };
}

it("scrapes of a moment share one text, and a later one gets its own (SAFE-5)", async () => {
  const { ends, read } = createStage(100);
  const scrapes = Array.from({ length: 50 }, () => read());
  expect(ends).toHaveLength(1);
  ends[0]?.end();
  expect(new Set(await Promise.all(scrapes)).size).toBe(1);
  void read();
  expect(ends).toHaveLength(2);
});

it.each([
  ["of 64 KiB", 65_536, 0, 2],
  ["of one byte more", 65_537, 0, 1],
  ["of one byte more, after 999 ms", 65_537, 999, 1],
  ["of one byte more, after a second", 65_537, 1_000, 2],
])(
  "a text %s: it is given to the next scrape if it is large, for a second (SAFE-5)",
  async (_, length, later, made) => {
    const { ends, stage, read } = createStage(length);
    const first = read();
    stage.now = 5_000;
    ends[0]?.end();
    await first;
    stage.now += later;
    void read();
    expect(ends).toHaveLength(made);
  },
);

it("who leaves gets nothing and ends nobody's text; a text that cannot be made is not kept", async () => {
  const { ends, read } = createStage(100_000);
  const leaving = new AbortController();
  const [left, stayed] = [read(leaving.signal), read()];
  leaving.abort();
  await expect(left).rejects.toThrow("aborted");
  await expect(read(AbortSignal.abort())).rejects.toThrow("aborted");
  expect(ends).toHaveLength(1);
  ends[0]?.fail();
  await expect(stayed).rejects.toThrow("broken");
  const next = read();
  expect(ends).toHaveLength(2);
  ends[1]?.end();
  expect(await next).toHaveLength(100_000);
});
