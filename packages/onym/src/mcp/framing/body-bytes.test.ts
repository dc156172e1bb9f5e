import { describe, expect, it } from "vitest";
import { BodyBytes } from "./frames.js";

describe("BodyBytes", () => {
  it("hands a single piece on without a copy", () => {
    const piece = Buffer.from("whole");
    const body = new BodyBytes(10);
    expect(body.add(piece)).toBe(true);
    expect(body.take().buffer).toBe(piece.buffer);
  });

  it("keeps bytes, not pieces: each would take more than it holds (SAFE-4)", () => {
    const piece = Buffer.alloc(1);
    const body = new BodyBytes(3_000);
    for (let n = 0; n < 3_000; n++) {
      piece.fill(n % 251);
      expect(body.add(n === 0 ? Buffer.from(piece) : piece)).toBe(true);
    }
    expect(body.length).toBe(3_000);
    expect(body.take()).toEqual(Buffer.from(Array.from({ length: 3_000 }, (_, n) => n % 251)));
  });

  it("takes up to its limit: one below, at and above it, in any number of pieces", () => {
    for (const pieces of [[4], [5], [2, 3], [0, 5], [1, 1, 1, 1, 1]]) {
      const body = new BodyBytes(5);
      expect(pieces.map((length) => body.add(Buffer.alloc(length)))).toEqual(pieces.map(() => true));
    }
    for (const pieces of [[6], [5, 1], [2, 4], [1, 1, 4]]) {
      const body = new BodyBytes(5);
      expect(pieces.map((length) => body.add(Buffer.alloc(length))).at(-1)).toBe(false);
    }
    expect(new BodyBytes(5).take()).toEqual(Buffer.alloc(0));
  });
});
