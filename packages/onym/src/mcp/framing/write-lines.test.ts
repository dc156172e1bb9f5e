import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLineWriter } from "./frames.js";

/** Keeps what is written in the pieces it came in, and lets nothing more in until it is told. */
function createSlowStream(highWaterMark: number) {
  const pieces: string[] = [];
  let next: (() => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark,
    write(piece, _encoding, done) {
      pieces.push(String(piece));
      next = done;
    },
  });
  return { stream, pieces, takeNext: () => next?.() };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("lines to a stream", () => {
  it("leave together where they were written in one turn, and in their order", async () => {
    const { stream, pieces, takeNext } = createSlowStream(100);
    const { write } = createLineWriter(stream);
    for (const line of ["a", "b", "c"]) write(line);
    expect(pieces).toEqual([]);
    await turn();
    expect(pieces).toEqual(["a\nb\nc\n"]);
    takeNext();
    write("d");
    await turn();
    expect(pieces).toEqual(["a\nb\nc\n", "d\n"]);
  });

  it("leave at once when they are asked to, and only once", async () => {
    const { stream, pieces } = createSlowStream(100);
    const writer = createLineWriter(stream, { format: (lines) => lines.toUpperCase() });
    writer.write("a");
    writer.flush();
    expect(pieces).toEqual(["A\n"]);
    await turn();
    expect(pieces).toEqual(["A\n"]);
  });

  it("that are large are never put together without bound", async () => {
    const { stream, pieces, takeNext } = createSlowStream(1_000_000);
    const writer = createLineWriter(stream);
    for (const line of ["a", "x".repeat(100_000), "y".repeat(100_000), "b"]) writer.write(line);
    expect(writer.length).toBe(200_006);
    await turn();
    for (let piece = 0; piece < 4; piece++) takeNext();
    await turn();
    expect(pieces.map(({ length }) => length)).toEqual([2, 100_001, 100_001, 2]);
  });

  it("that are bytes go as they are, in their place among the others", async () => {
    const { stream, pieces, takeNext } = createSlowStream(1_000_000);
    const writer = createLineWriter(stream, { format: (lines) => lines.toUpperCase() });
    writer.write("a");
    writer.writeBytes([Buffer.from("b"), Buffer.from("c")]);
    writer.write("d");
    await turn();
    for (let piece = 0; piece < 5; piece++) takeNext();
    expect(pieces.join("")).toBe("A\nbc\nD\n");
  });

  it("tell when the stream is full, and not when it has taken them", async () => {
    let full = 0;
    const { stream } = createSlowStream(10);
    const slow = createLineWriter(stream, { onFull: () => (full += 1) });
    slow.write("a".repeat(20));
    await turn();
    expect(full).toBe(1);
    const quick = new Writable({ highWaterMark: 10, write: (_piece, _encoding, done) => done() });
    createLineWriter(quick, { onFull: () => (full += 1) }).write("a".repeat(20));
    await turn();
    expect(full).toBe(1);
  });
});
