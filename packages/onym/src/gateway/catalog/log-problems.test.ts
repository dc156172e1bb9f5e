import type { CatalogProblem } from "@onym/core";
import { describe, expect, it } from "vitest";
import { createProblemLog } from "./log-problems.js";

function problem(message: string, with_: Partial<CatalogProblem> = {}): CatalogProblem {
  return { code: "bad", severity: "error", message, fix: "Fix it.", tools: [], servers: [], ...with_ };
}

describe("problems in the log (NAME-8)", () => {
  it("are told once each, however often they are seen, and those that are new", () => {
    const lines: string[] = [];
    const tell = createProblemLog((severity, text) => void lines.push(`${severity} ${text}`));
    tell([problem("A."), problem("A."), problem("B.", { severity: "info" })]);
    // A server that is away for a moment has no problems meanwhile.
    tell([]);
    tell([problem("A."), problem("C.")]);
    expect(lines).toEqual(["warn A. Fix it.", "warn C. Fix it."]);
  });

  it("are told apart by their tools, and bounded in number (SAFE-4)", async () => {
    const lines: (readonly unknown[])[] = [];
    const tell = createProblemLog((...line) => void lines.push(line));
    const tools = Array.from({ length: 9 }, (_, n) => `t${n}`);
    tell([problem("A.", { tools, servers: ["s"] }), problem("A.", { tools: ["x"] })]);
    expect(lines.map(([, , facts]) => facts)).toEqual([
      { code: "bad", server: "s", tools: "t0, t1, t2, t3, t4 and 4 more" },
      { code: "bad", server: undefined, tools: "x" },
    ]);
    lines.length = 0;
    const many = Array.from({ length: 5_000 }, (_, n) => problem(`N ${n}.`));
    tell(many);
    // The others have their turn first: what is left waits for the next slice.
    expect(lines).toHaveLength(20);
    await expect.poll(() => lines.at(-1)?.[1]).toMatch(/^4980 more problems/);
    expect(lines).toHaveLength(21);
  });

  it.each([
    ["one below", 9_999, true],
    ["at", 10_000, true],
    ["one above", 10_001, false],
  ])("are remembered, %s the limit of 10,000, the oldest forgotten first", async (_, count, isKnown) => {
    const lines: string[] = [];
    const tell = createProblemLog((_severity, text) => void lines.push(text));
    tell(Array.from({ length: count }, (_, n) => problem(`N ${n}.`)));
    await expect.poll(() => lines.at(-1)).toContain("more problems");
    lines.length = 0;
    tell([problem(`N ${count - 1}.`), problem("N 1."), problem("N 0.")]);
    expect(lines).toEqual(isKnown ? [] : ["N 0. Fix it."]);
  });
});
