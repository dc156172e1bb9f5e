import { describe, expect, it } from "vitest";
import { createLineReader } from "./frames.js";

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
