import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, quoteText } from "./escape-text.js";

describe("escapeText (SAFE-1)", () => {
  it.each([
    ["plain ASCII", "get_leads @ v1 ~!{}[]\"'", "get_leads @ v1 ~!{}[]\"'"],
    ["letters of any script", "поиск 搜索 café 🔎", "поиск 搜索 café 🔎"],
    ["the empty text", "", ""],
    ["a lone backslash", "C:\\users\\new", "C:\\users\\new"],
    ["C0 controls", "a\u0000b\u001B[31m\n", "a\\u{0000}b\\u{001B}[31m\\u{000A}"],
    ["DEL and C1 controls", "\u007F\u0085\u009B", "\\u{007F}\\u{0085}\\u{009B}"],
    ["bidi marks", "\u061C\u200E\u200F", "\\u{061C}\\u{200E}\\u{200F}"],
    ["bidi embeddings", "\u202A\u202B\u202C\u202D\u202E", "\\u{202A}\\u{202B}\\u{202C}\\u{202D}\\u{202E}"],
    ["bidi isolates", "\u2066\u2067\u2068\u2069", "\\u{2066}\\u{2067}\\u{2068}\\u{2069}"],
    [
      "zero-width characters",
      "\u200B\u200C\u200D\u2060\uFEFF",
      "\\u{200B}\\u{200C}\\u{200D}\\u{2060}\\u{FEFF}",
    ],
    ["the soft hyphen", "a\u00ADb", "a\\u{00AD}b"],
    ["separators", "\u2028\u2029", "\\u{2028}\\u{2029}"],
    [
      "white space beyond ASCII",
      "\u00A0\u1680\u2003\u202F\u3000",
      "\\u{00A0}\\u{1680}\\u{2003}\\u{202F}\\u{3000}",
    ],
    ["fillers and blanks", "\u115F\u3164\uFFA0\u2800", "\\u{115F}\\u{3164}\\u{FFA0}\\u{2800}"],
    ["variation selectors", "a\uFE0F\u{E0100}\u180B", "a\\u{FE0F}\\u{E0100}\\u{180B}"],
    ["tag characters", "\u{E0001}\u{E0041}", "\\u{E0001}\\u{E0041}"],
    ["interlinear marks", "\uFFF9\uFFFA\uFFFB", "\\u{FFF9}\\u{FFFA}\\u{FFFB}"],
    ["noncharacters", "\uFFFE\u{10FFFF}", "\\u{FFFE}\\u{10FFFF}"],
    ["lone surrogates", "\uD800a\uDC00", "\\u{D800}a\\u{DC00}"],
    ["text that reads like an escape", "\\u{202E}", "\\u{005C}u{202E}"],
    ["a backslash before an escape", "\\\u202E", "\\\\u{202E}"],
  ])("shows %s so that a person sees what is there", (_, text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it("never lets two texts look the same: the escapes can be read back", () => {
    const readBack = (shown: string) =>
      shown.replace(/\\u\{([0-9A-F]+)\}/g, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      );
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\\", "\\u{", "u{", "}", "202E", "\u202E", "\uD800", "\u200B", "a"),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeText(text);
        expect(readBack(shown)).toBe(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("quoteText (SAFE-1)", () => {
  it.each([
    ["get_leads", 80, '"get_leads"'],
    ["", 80, '""'],
    ["a\u202Eb", 80, '"a\\u{202E}b"'],
    ['a" is fine, "b', 80, '"a\\u{0022} is fine, \\u{0022}b"'],
    ["abcdefghij", 10, '"abcdefghij"'],
    ["abcdefghij", 5, '"ab…ij"'],
    ["abcdefghij", 6, '"abc…ij"'],
    ["abcdefghij", 0, '"…"'],
    ["ab\u202Ecdefghij", 7, '"ab…hij"'],
    ["abcdefgh\u202Eij", 9, '"abcd…ij"'],
    ["🔎🔎🔎🔎🔎", 4, '"🔎…"'],
    ["\u{10FFFF}\u{E0041}\u{E0041}", 12, '"…"'],
    ["\u{E0041}abc\u{E0041}", 20, '"\\u{E0041}a…\\u{E0041}"'],
  ])("quotes text number %# whole or cut between characters", (text, max, quoted) => {
    expect(quoteText(text, max)).toBe(quoted);
  });

  it("cuts between characters and keeps to the limit", () => {
    const unit = fc.constantFrom("a", "\u202E", "\u{E0041}", "🔎", '"', "\\", "\\u{");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 1, max: 60 }), (text, max) => {
        const inside = quoteText(text, max).slice(1, -1);
        expect(inside.length).toBeLessThanOrEqual(max);
        expect(inside).not.toMatch(/\p{Cs}/u);
        expect(inside.replace(/\\u\{[0-9A-F]{4,6}\}/g, "-")).not.toMatch(/\\u\{|[0-9}]/);
      }),
      { numRuns: 2000 },
    );
  });

  it("shows the start and the end of a long text, as the whole escaped text has them", () => {
    const unit = fc.constantFrom("a", "\u202E", "\u{E0041}", "🔎", '"', "\\", "u{", "\uD83D", "\uDC00");
    const text = fc.string({ unit, minLength: 40, maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (each, max) => {
        const whole = escapeText(each).replaceAll('"', "\\u{0022}");
        const [head = "", tail = ""] = quoteText(each, max).slice(1, -1).split("…");
        if (whole.length <= max) return expect(head).toBe(whole);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        // Nothing is left out but what a cut between characters costs.
        expect(head.length + tail.length).toBeGreaterThan(max - 20);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads no more of a long text than it shows (SAFE-4)", () => {
    // Escaped as a whole, it would be longer than a string can be.
    const quoted = quoteText(`${"\u0001".repeat(70_000_000)}z`);
    expect(quoted).toMatch(/^"(?:\\u\{0001\})+…(?:\\u\{0001\})+z"$/u);
  });
});
