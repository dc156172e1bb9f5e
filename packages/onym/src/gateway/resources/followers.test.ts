import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Followers, MAX_CALLER_SUBSCRIPTIONS } from "./followers.js";

const ADDRESSES = ["a://1", "a://2", "onym://fs/a://1", "__proto__"];

describe("followers of an address", () => {
  it("are counted as clients come and go, in any order, and come to zero when all have left (SAFE-4)", () => {
    const change = fc.record({
      client: fc.nat(3),
      address: fc.constantFrom(...ADDRESSES),
      does: fc.constantFrom("add", "delete", "clear"),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const followers = new Followers();
        const counted = Array.from({ length: 4 }, (_, n) => followers.createSetOf(`caller ${n % 2}`));
        const model = counted.map(() => new Set<string>());
        const check = () => {
          for (const address of ADDRESSES)
            expect(followers.count(address)).toBe(model.filter((each) => each.has(address)).length);
          for (const n of [0, 1]) {
            const held = model
              .filter((_, client) => client % 2 === n)
              .reduce((sum, { size }) => sum + size, 0);
            expect(followers.roomOf(`caller ${n}`)).toBe(MAX_CALLER_SUBSCRIPTIONS - held);
          }
        };
        for (const { client, address, does } of changes) {
          for (const each of [counted[client], model[client]])
            if (does === "clear") each?.clear();
            else each?.[does](address);
          check();
        }
        for (const each of [...counted, ...model]) each.clear();
        check();
      }),
    );
  });

  it("count for a caller only where they are held for it", () => {
    const followers = new Followers();
    followers.createSet().add("a://1");
    expect([followers.count("a://1"), followers.roomOf("one")]).toEqual([1, 10_000]);
    followers.hold("one", 9_999);
    expect([followers.roomOf("one"), followers.roomOf("two")]).toEqual([1, 10_000]);
    followers.hold("one", 5);
    expect(followers.roomOf("one")).toBe(0);
    followers.release("one", 10_004);
    expect(followers.roomOf("one")).toBe(10_000);
  });
});
