import { describe, expect, it } from "vitest";
import { callerKey } from "./edge-callers.js";

describe("the share of a caller (SAFE-5)", () => {
  it.each([
    [undefined, "127.0.0.1", "address:127.0.0.1", true],
    [undefined, "::ffff:127.0.0.2", "address:127.0.0.2", true],
    [undefined, "::1", "address:::1", true],
    [undefined, "203.0.113.7", "address:203.0.113.7", false],
    [undefined, "::ffff:203.0.113.7", "address:203.0.113.7", false],
    [undefined, "2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2", false],
    [undefined, "2001:DB8:1:2::9", "address:2001:db8:1:2", false],
    [undefined, "2001:db8::9", "address:2001:db8:0:0", false],
    [undefined, "fe80::1%eth0", "address:fe80:0:0:0", false],
    [undefined, undefined, "address:", false],
    ["ci", "127.0.0.1", "caller:ci", false],
    ["127.0.0.1", "203.0.113.7", "caller:127.0.0.1", false],
  ])("of %s at %s is counted as %s", (principal, address, key, isShared) => {
    expect(callerKey(principal, address)).toEqual({ key, isShared });
  });
});
