import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listProfiles } from "../profiles/find-profile.js";
import { type Evidence, evidenceFor } from "./index.js";

const file = new URL("../../../../test/data/profiles.json", import.meta.url);
const rows: readonly (Partial<Evidence> & { id: string; source: readonly string[] })[] = JSON.parse(
  readFileSync(file, "utf8"),
);

const textsOf = ({ sources, notes = "", ours = "" }: Evidence): string[] => [...sources, notes, ours];

describe("evidenceFor", () => {
  it.each(listProfiles().map(({ id }) => ({ id })))("names a source for $id (RULE-1)", ({ id }) => {
    const evidence = evidenceFor(id);
    expect(evidence?.id).toBe(id);
    expect(evidence?.sources.length).toBeGreaterThan(0);
  });

  it.each(rows)("keeps what the research says about $id (RULE-1)", (row) => {
    const evidence = evidenceFor(row.id);
    expect(evidence?.sources).toHaveLength(Math.max(1, row.source.length));
    for (const field of [
      "budgetFormula",
      "confidenceByField",
      "reserved",
      "protocol",
      "optionalPrefix",
      "unique",
      "combinedCounts",
      "maxToolsHistorical",
    ] as const) {
      expect(evidence?.[field]).toEqual(row[field]);
    }
    expect(evidence?.maxDescriptionLength).toEqual(row.maxDescriptionLength ?? undefined);
    expect(evidence?.notes === undefined).toBe(row.notes === undefined);
  });

  it("leaves no citation torn off (RULE-1)", () => {
    for (const { id } of listProfiles()) {
      for (const text of textsOf(evidenceFor(id) ?? { id, sources: [] })) {
        expect(text).not.toMatch(/(?:\bvia|\bby|[,:;]|\s\()\s*$|",[:;]|\b(?:via|by)[;,]/);
        expect(text).not.toMatch(/(?:^|[\s("'])\/(?:home|root|tmp|work|Users)\//);
      }
    }
  });

  it("knows no __proto__ (SAFE-1)", () => {
    expect(evidenceFor("__proto__")).toBeUndefined();
    expect(evidenceFor("constructor")).toBeUndefined();
  });
});
