import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { BodyBytes, createLineReader, createLineWriter } from "./frames.js";

function read(chunks: readonly (string | Uint8Array)[], frameBytes = 100) {
  const lines: string[] = [];
  const broken: string[] = [];
  const reader = createLineReader({
    frameBytes,
    onLine: (line) => lines.push(line),
    onBroken: (shown) => broken.push(shown),
  });
  const problems = chunks.map((chunk) => reader.push(Buffer.from(chunk)));
  reader.end();
  return { lines, broken, problem: problems.at(-1) };
}

describe("lines of bytes", () => {
  it.each([
    ["one chunk", ["a\nb\n"], ["a", "b"]],
    ["many chunks", ["a", "b", "\n", "c\nd", "e\n"], ["ab", "c", "de"]],
    ["CRLF, also across chunks", ["a\r\nb\r", "\nc\n"], ["a", "b", "c"]],
    ["empty lines between", ["\n\r\n\na\n\n"], ["a"]],
    ["no end of the last", ["a\nb"], ["a", "b"]],
    ["a chunk of which the last is not whole", ["größe\r\n\r\n😀\nx", "y\n"], ["größe", "😀", "xy"]],
    ["line separators that are no line ends", ["a\u2028b\u0085c\rd\n"], ["a\u2028b\u0085c\rd"]],
  ])("are found in %s", (_, chunks, lines) => {
    expect(read(chunks).lines).toEqual(lines);
  });

  it("keep characters whole when every byte comes alone", () => {
    const bytes = [...Buffer.from("größe 😀\nx\n")].map((byte) => Uint8Array.of(byte));
    expect(read(bytes).lines).toEqual(["größe 😀", "x"]);
  });

  it("are handed on as bytes where they are large and came in parts, and stay as they are", () => {
    const large: Buffer[] = [];
    const lines: string[] = [];
    const reader = createLineReader({
      frameBytes: 1_000_000,
      onLine: (line) => lines.push(line),
      onLargeLine: (line) => large.push(line),
      onBroken: () => {},
    });
    const texts = ["a", "b", "c"].map((letter, index) => letter.repeat(65_536 + index));
    for (const text of texts)
      for (const part of [text.slice(0, 5), `${text.slice(5)}\r\nsmall\n`]) reader.push(Buffer.from(part));
    // At 65,536 bytes the buffer may be used again.
    expect(large.map(String)).toEqual(texts.slice(1));
    expect(lines).toEqual([texts[0], "small", "small", "small"]);
  });

  it("that are not UTF-8 are kept apart", () => {
    const { lines, broken } = read([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a])]);
    expect({ lines, broken }).toEqual({ lines: ["b"], broken: ["a\uFFFD"] });
    // The halves of two broken characters make no whole one.
    const halves = [Buffer.from("x\n"), Buffer.from([0xc3, 0x0a, 0xb6, 0x0a]), Buffer.from("y\n")];
    expect(read([Buffer.concat(halves)])).toMatchObject({ lines: ["x", "y"], broken: ["\uFFFD", "\uFFFD"] });
  });

  it("are as long as allowed and no longer, whether they end or not", () => {
    expect(read(["x".repeat(100), "\n"])).toMatchObject({ lines: ["x".repeat(100)], problem: undefined });
    const problem = { kind: "too-large", limit: 100 };
    expect(read(["x".repeat(101), "\na\n"])).toMatchObject({ lines: [], problem });
    expect(read([`ok\n${"x".repeat(101)}\na\n`])).toMatchObject({ lines: ["ok"], problem });
    expect(read(["x".repeat(60), `${"x".repeat(60)}\n`])).toMatchObject({ lines: [], problem });
  });
});

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
