import { describe, expect, it } from "vitest";
import { handoffNameOf } from "./handoff-name.js";

describe("handoff names", () => {
  it.each([
    ["Refunds & Credits", "transfer_to_refunds___credits"],
    ["tier-2.support", "transfer_to_tier_2_support"],
    ["already_snake", "transfer_to_already_snake"],
    ["Größe", "transfer_to_gr__e"],
    ["a😀b", "transfer_to_a_b"],
    ["\u212aelvin \u0130", "transfer_to__elvin__"],
    ["__proto__", "transfer_to___proto__"],
  ])("turn %j into %s (ID-9)", (agent, expected) => {
    expect(handoffNameOf(agent)).toBe(expected);
  });

  it.each(["", undefined, null, 5, {}])("are absent for %j (ID-9)", (agent) => {
    expect(handoffNameOf(agent)).toBeUndefined();
  });
});
