import { describe, expect, it } from "vitest";
import { Retries } from "./backoff.js";

describe("a server that keeps coming up and going down (SAFE-5)", () => {
  /** Whether it is left alone after so many falls, a second apart. */
  const isLeftAlone = (falls: number, apartMs = 1_000): boolean => {
    let now = 0;
    const retries = new Retries({ now: () => now }, () => 0);
    let last = false;
    for (let fall = 0; fall < falls; fall += 1) {
      now += apartMs;
      retries.succeeded();
      last = retries.next({ wasUp: true, needsSignIn: false }).isSuspended;
    }
    return last;
  };

  it.each([
    ["one below", 4, false],
    ["at", 5, true],
    // The count starts again.
    ["one above", 6, false],
  ])("is left alone after so many times: %s (limits: MAX_FALLS of backoff)", (_, falls, expected) => {
    expect(isLeftAlone(falls)).toBe(expected);
  });

  it.each([
    ["one below", 149_999, true],
    ["at", 150_000, false],
    ["one above", 150_001, false],
  ])("is left alone where five falls are within ten minutes: %s a quarter apart", (_, ms, expected) => {
    expect(isLeftAlone(5, ms)).toBe(expected);
  });
});
