import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexTemplates } from "./index-templates.js";
import { matchesTemplate, parseTemplate } from "./match-template.js";

const read = (template: string) => parseTemplate(template) ?? [];

describe("indexTemplates", () => {
  it("finds the owners of all templates that match, as comparing each of them does", () => {
    const start = fc.array(fc.constantFrom("a", "b", "\ud83d", "\ue000", "/"), { maxLength: 4 });
    const template = fc.tuple(start, fc.constantFrom("{x}", "{+x}", "", "{x}/b", "{?q}"));
    const owned = fc.record({
      parts: template.map(([text, rest]) => read(text.join("") + rest)),
      owners: fc.uniqueArray(fc.nat(4), { minLength: 1 }),
    });
    const uri = fc.array(fc.constantFrom("a", "b", "\ud83d", "\ue000", "/"), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(owned, { maxLength: 20 }), uri, (templates, letters) => {
        const text = letters.join("");
        const matching = templates.filter(({ parts }) => matchesTemplate(text, parts));
        const owners = new Set(matching.flatMap((each) => each.owners));
        expect(indexTemplates(templates)(text).toSorted()).toEqual([...owners].sort());
      }),
      { numRuns: 1_000 },
    );
  });

  it("counts what begins as the address does, and nothing else, where that is too much to compare (SAFE-4)", () => {
    const grown = Array.from({ length: 2_000 }, (_, length) => ({
      parts: read(`${"a".repeat(length)}{x}${length}`),
      owners: [length % 3],
    }));
    const find = indexTemplates([...grown, { parts: read("b{x}"), owners: [7] }]);
    expect(find("a".repeat(8_000)).toSorted()).toEqual([0, 1, 2]);
    // Only the first two have as short a start.
    expect(find(`ab${"c".repeat(8_000)}0`).toSorted()).toEqual([0]);
    expect(find(`b${"c".repeat(8_000)}`)).toEqual([7]);
    expect(find("c")).toEqual([]);
  });

  it.each([
    ["one below", 9, 11_111, []],
    ["at", 10, 10_000, []],
    ["one above", 11, 9_091, ["owner"]],
  ])(
    "compares as many characters times parts as may be: %s, and beyond it counts all (limits: MAX_STEPS of index-templates) (SAFE-4)",
    (_, length, parts, found) => {
      const templates = Array.from({ length: parts }, () => ({ parts: read("{x}"), owners: ["owner"] }));
      expect(indexTemplates(templates)("/".repeat(length))).toEqual(found);
    },
  );
});
