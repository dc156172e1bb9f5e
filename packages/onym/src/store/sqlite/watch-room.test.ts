import { expect, it } from "vitest";
import { RESERVE_BYTES, watchRoom } from "./watch-room.js";

it.each([
  [RESERVE_BYTES - 1, false],
  [RESERVE_BYTES, true],
  [RESERVE_BYTES + 1, true],
])("with %i bytes left, something new may begin: %s (SAFE-4)", async (bytes, may) => {
  const room = watchRoom({ path: "/x/onym.db", place: "onym.db", measure: async () => bytes });
  room();
  await new Promise((resolve) => setImmediate(resolve));
  expect(room() === undefined).toBe(may);
});

it("is measured at most once a second, and begins again when there is room (SAFE-4)", async () => {
  let time = 0;
  let looks = 0;
  let left = 0;
  const measure = async (folder: string): Promise<number> => {
    expect(folder).toBe("/x");
    looks += 1;
    return left;
  };
  const room = watchRoom({ path: "/x/onym.db", place: "onym.db", now: () => time, measure });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  expect(room()).toBeUndefined();
  await settled();
  for (let calls = 0; calls < 100; calls += 1)
    expect(room()).toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("0 KiB left, and 16 MiB are kept"),
    });
  expect(looks).toBe(1);
  left = RESERVE_BYTES;
  time = 1000;
  room();
  await settled();
  expect(room()).toBeUndefined();
  expect(looks).toBe(2);
});

it("is no reason where it cannot be measured: writing finds out", async () => {
  const room = watchRoom({
    path: "/x/onym.db",
    place: "onym.db",
    measure: async () => Promise.reject(new Error()),
  });
  room();
  await new Promise((resolve) => setImmediate(resolve));
  expect(room()).toBeUndefined();
});
