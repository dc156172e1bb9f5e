import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../json.js";
import { Scan, type ScanOptions } from "./scan.js";
import { MAX_DIGITS } from "./scan-scalars.js";

/** What a scan found, if it is stopped after each of these numbers of bytes. */
function scanned(text: string, options: ScanOptions, stops: readonly number[] = []): unknown {
  const scan = new Scan(Buffer.from(text), options);
  let at = 0;
  for (const stop of stops) {
    at += stop;
    if (scan.run(at)) break;
  }
  scan.run();
  const { end, failure, left } = scan;
  return { end, failure, left: failure === undefined ? left : undefined, members: scan.members };
}

const OPTIONS: readonly ScanOptions[] = [{}, { inside: new Set(["a", "b"]) }, { values: 5 }];

describe("a scan", () => {
  it("finds the same, wherever it was stopped (SAFE-4)", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const object = fc.dictionary(fc.constantFrom("a", "b", "c", "é", "d\\"), value);
    const text = fc
      .tuple(fc.oneof(object, value), fc.constantFrom(0, 1, 9))
      .map(([each, space]) => JSON.stringify(each, undefined, space));
    const broken = fc.tuple(text, fc.nat(), fc.constantFrom("", '"', "\\", "{", "]", ",", ":", " ", "1"));
    const spoiled = broken.map(([each, place, put]) => {
      const at = place % (each.length + 1);
      return each.slice(0, at) + put + each.slice(at + 1);
    });
    fc.assert(
      fc.property(
        fc.oneof(text, spoiled),
        fc.constantFrom(...OPTIONS),
        fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 200 }),
        (each, options, stops) => {
          expect(scanned(each, options, stops)).toEqual(scanned(each, options));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("takes as many steps as its text is long, whatever is in it (SAFE-4)", () => {
    const bytes = 4 * 1_048_576;
    const fill = (piece: string): string => piece.repeat(bytes / piece.length);
    for (const text of [
      `"${fill("x")}"`,
      `"${fill("\\u00e9\\t")}"`,
      `{"${fill("\\\\")}":1}`,
      `[${fill(" ")}]`,
      `[${fill("\n1,  ")}1]`,
      `[${fill("{},")}1]`,
    ]) {
      const steps = new Scan(Buffer.from(text)).steps();
      let count = 0;
      for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
      expect(count).toBeGreaterThan(bytes / 65_536 / 2);
      expect(count).toBeLessThan(bytes / 65_536 + 3);
    }
  });

  it.each([
    ["one below", -1, true],
    ["at", 0, true],
    ["one above", 1, false],
  ])("takes numbers of 65,536 digits: %s (limits: MAX_DIGITS of scan-scalars)", (_, more, isTaken) => {
    const digits = "7".repeat(MAX_DIGITS + more);
    for (const text of [digits, `-${digits}`, `1.${digits}`, `1e${digits}`]) {
      const scan = new Scan(Buffer.from(text));
      expect(scan.run() && scan.failure === undefined).toBe(isTaken);
    }
  });

  it("counts the values of each member", () => {
    const text = '{"a":{"b":[1,{}],"c":"x"},"d":[]}';
    const scan = new Scan(Buffer.from(text), { inside: new Set(["a"]) });
    scan.run();
    expect(scan.members?.get("a")?.values).toBe(5);
    expect(scan.members?.get("a")?.members?.get("b")?.values).toBe(3);
    expect(scan.members?.get("d")?.values).toBe(1);
  });

  it("says why it failed", () => {
    const failureOf = (text: string, options?: ScanOptions) => {
      const scan = new Scan(Buffer.from(text), options);
      scan.run();
      return scan.failure;
    };
    expect(failureOf("[".repeat(MAX_DEPTH + 1))).toBe("too-deep");
    expect(failureOf("[1,2]", { values: 2 })).toBe("too-many");
    expect(failureOf("[1,]")).toBe("not-json");
    expect(failureOf('{"a":1,"a":2}', { inside: new Set() })).toBe("ambiguous");
  });
});
