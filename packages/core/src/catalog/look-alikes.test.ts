import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLookAlikes } from "./look-alikes.js";

const onTwoServers = (one: string, other: string) =>
  findLookAlikes([
    { server: "docs", raw: one },
    { server: "other", raw: other },
  ]);

describe("findLookAlikes (SAFE-2)", () => {
  it.each([
    ["Cyrillic е for e", "search", "s\u0435arch"],
    ["Cyrillic Е for e, in another case", "search", "S\u0415ARCH"],
    ["full width", "search", "ｓｅａｒｃｈ"],
    ["rn for m", "get_form", "get_forrn"],
    ["rn for M", "FORM", "forrn"],
    ["1 for l", "list", "1ist"],
    ["I for l", "list", "Iist"],
    ["1 for I", "I_read", "1_read"],
    ["0 for o, in either case", "login", "l0gin"],
    ["a zero-width space", "search", "sea\u200Brch"],
    ["composed and decomposed accents", "caf\u00E9", "cafe\u0301"],
    ["the Kelvin sign", "Kelvin", "\u212Aelvin"],
    ["both spelled with look-alikes", "s\u0435arch", "se\u0430rch"],
  ])("finds %s", (_, one, other) => {
    const [finding, ...more] = onTwoServers(one, other);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ code: "look-alike", severity: "warning", servers: ["docs", "other"] });
    expect(finding?.tools).toHaveLength(2);
  });

  it.each([
    ["the same name on two servers", "search", "search"],
    ["names that differ in case only", "Search", "search"],
    ["accented names that differ in case only", "\u00C9tat", "\u00E9tat"],
    ["names that differ", "search", "research"],
    ["i and I, which do not look alike", "index", "INDEX"],
  ])("leaves %s alone", (_, one, other) => {
    expect(onTwoServers(one, other)).toEqual([]);
  });

  it("leaves look-alikes inside one server alone: they are its own business", () => {
    const tools = [
      { server: "docs", raw: "search" },
      { server: "docs", raw: "s\u0435arch" },
      { server: "other", raw: "read" },
    ];
    expect(findLookAlikes(tools)).toEqual([]);
  });

  it("tells servers of one id in two toolboxes apart", () => {
    const tools = [
      { toolbox: "dev", server: "docs", raw: "search" },
      { toolbox: "prod", server: "docs", raw: "s\u0435arch" },
    ];
    expect(findLookAlikes(tools)).toHaveLength(1);
  });

  it("names the tools, and says which characters a person cannot see", () => {
    expect(onTwoServers("search", "s\u0435a\u202Erch")).toEqual([
      {
        code: "look-alike",
        severity: "warning",
        message:
          'Tools of different servers look alike: "search" on "docs", "s\u0435a\\u{202E}rch" (with U+0435, U+202E) on "other".',
        fix: expect.any(String),
        tools: ["docs/search", "other/s\u0435a\\u{202E}rch"],
        servers: ["docs", "other"],
      },
    ]);
  });

  it("keeps the message short when many look alike, and lists them all beside it", () => {
    const tools = Array.from({ length: 40 }, (_, i) => ({
      server: `s${i}`,
      raw: i % 2 === 0 ? "list" : "1ist",
    }));
    const [finding] = findLookAlikes(tools);
    expect(finding?.message).toContain("and 35 more");
    expect(finding?.tools).toHaveLength(40);
  });

  it("finds the same whatever the order", () => {
    const raw = fc.constantFrom("list", "1ist", "List", "l\u0456st", "form", "forrn", "FORM", "__proto__");
    const tool = fc.record({ server: fc.constantFrom("a", "b", "constructor"), raw });
    const shuffled = fc
      .array(tool, { maxLength: 12 })
      .chain((tools) =>
        fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
      );
    fc.assert(
      fc.property(shuffled, ([tools, others]) => {
        expect(findLookAlikes(others)).toEqual(findLookAlikes(tools));
      }),
    );
  });
});
