import { describe, expect, it } from "vitest";
import { addDeadline, dropDeadline } from "./deadlines.js";

/** Returns how to take it back. */
function expireAfter(ms: number, tell: () => void): () => boolean {
  const drop = (): boolean => dropDeadline(ticket);
  const ticket = addDeadline({
    due: performance.now() + ms,
    expire: () => {
      drop();
      tell();
    },
  });
  return drop;
}

describe("deadlines", () => {
  it("are told once in the order they are due, whatever the order they were added in", async () => {
    const told: string[] = [];
    let takeBack = (): boolean => false;
    await new Promise<void>((resolve) => {
      expireAfter(60, resolve);
      expireAfter(5, () => told.push("first"));
      takeBack = expireAfter(10, () => told.push("answered"));
      expireAfter(20, () => told.push("second"));
      expect(takeBack()).toBe(true);
    });
    expect(told).toEqual(["first", "second"]);
    expect(takeBack()).toBe(false);
  });

  it("may begin others when they have passed", async () => {
    const both = new Promise<string>((resolve) => {
      expireAfter(0, () => expireAfter(0, () => resolve("both")));
    });
    expect(await both).toBe("both");
  });
});
