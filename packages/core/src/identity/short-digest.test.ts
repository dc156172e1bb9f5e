import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { shortDigest } from "./short-digest.js";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** The definition to the letter: the first 40 bits, five at a time. */
function plainDigest(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length);
    for (let at = 0; at < part.length; at++) hash.update(Buffer.from(bytesOf(part.charCodeAt(at))));
  }
  const bits = [...hash.digest().subarray(0, 5)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join("");
}

function bytesOf(unit: number): readonly number[] {
  if (unit < 128) return [unit];
  return [224 + Math.floor(unit / 4096), 128 + (Math.floor(unit / 64) % 64), 128 + (unit % 64)];
}

describe("the short digest", () => {
  it("stays what it is, because names in locks hold it (NAME-2)", () => {
    expect(shortDigest(["docs", "search"])).toBe("mk7xocte");
    expect(shortDigest([])).toBe("4oymiquy");
  });

  it.each([
    [[""]],
    [["", ""]],
    [["a", "bc"]],
    [["ab", "c"]],
    [["\x7f\x80\u07ff\u0800\uffff"]],
    [["\ud83d\ude00", "\ud83d", "\ude00"]],
    [["x".repeat(255), "y".repeat(256)]],
    [["x".repeat(339)]],
    [["x".repeat(340), "y"]],
    [["x".repeat(2_000)]],
    [["\u4e00".repeat(70_000)]],
  ])("is base 32 of SHA-256 over parts with their lengths: case %# (NAME-2)", (parts) => {
    expect(shortDigest(parts)).toBe(plainDigest(parts));
    expect(shortDigest(parts)).toMatch(/^[a-z2-7]{8}$/);
  });

  it("is another for parts that join to the same text (NAME-2)", () => {
    expect(shortDigest(["docs", "search"])).not.toBe(shortDigest(["docss", "earch"]));
  });
});
