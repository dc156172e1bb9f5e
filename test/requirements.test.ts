// The manifest of requirements and of the source documents' statements, against the tests that cite them, both ways.

import { describe, expect, it } from "vitest";
import { listFiles, listPackages, readProjectFile } from "./project-files.js";

interface Entry {
  readonly says: string;
  readonly status: "built" | "planned";
}

const manifestText = readProjectFile("test/requirements.json");
const manifest = JSON.parse(manifestText) as Record<"requirements" | "seeds", Record<string, Entry>>;
const entries = new Map([...Object.entries(manifest.requirements), ...Object.entries(manifest.seeds)]);

// The ids that exist, by family, so that none can get lost; a pin, not read from what it checks.
const REQUIREMENTS: Readonly<Record<string, readonly [first: number, last: number][]>> = {
  CANON: [[1, 7]],
  BOX: [[1, 9]],
  RULE: [[1, 8]],
  NAME: [[1, 9]],
  RES: [[1, 7]],
  ID: [[1, 11]],
  GW: [[1, 14]],
  CFG: [[1, 6]],
  LOCK: [[1, 7]],
  POL: [[1, 9]],
  LIB: [[1, 6]],
  SAFE: [[1, 7]],
  OBS: [[1, 2]],
  CON: [[1, 1]],
};
const SEEDS = ["S000", "S001", "S002", "S003", "S004"];

const anyId = new RegExp(`\\b(?:${[...Object.keys(REQUIREMENTS), "S\\d{3}"].join("|")})-\\d+\\b`, "g");
const citations = citedIds();

describe("the manifest", () => {
  it("holds every requirement once, and no other", () => {
    const expected = Object.entries(REQUIREMENTS).flatMap(([family, ranges]) =>
      ranges.flatMap(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, i) => `${family}-${first + i}`),
      ),
    );
    expect(Object.keys(manifest.requirements)).toEqual(expected);
  });

  it("numbers the statements of each source document from 1 without a gap", () => {
    const ids = Object.keys(manifest.seeds);
    const expected = SEEDS.flatMap((seed) =>
      ids.filter((id) => id.startsWith(`${seed}-`)).map((_, i) => `${seed}-${i + 1}`),
    );
    expect(ids).toEqual(expected);
    for (const seed of SEEDS) expect(ids).toContain(`${seed}-1`);
  });

  it("has no id twice, which JSON.parse would hide, and says something about each", () => {
    const keys = Array.from(manifestText.matchAll(/^ {4}"([^"]+)": \{/gm), (match) => match[1]);
    expect(keys).toHaveLength(entries.size);
    expect(new Set(keys).size).toBe(keys.length);
    for (const [id, entry] of entries) {
      expect(Object.keys(entry), id).toEqual(["says", "status"]);
      expect(entry.says, id).toMatch(/^\S.*\.$/);
      expect(["built", "planned"], id).toContain(entry.status);
    }
  });
});

describe("the tests", () => {
  it("cite every id that is built", () => {
    const uncited = [...entries].filter(([id, { status }]) => status === "built" && !citations.has(id));
    expect(uncited.map(([id, { says }]) => `${id}: ${says}`)).toEqual([]);
  });

  it("cite no id that the manifest does not know", () => {
    const unknown = [...citations].filter(([id]) => !entries.has(id));
    expect(unknown.map(([id, files]) => `${id} in ${[...files].join(", ")}`)).toEqual([]);
  });

  it("leave what is planned for later, and say how much that is", () => {
    const planned = [...entries].filter(([, { status }]) => status === "planned");
    console.info(`requirements: ${entries.size - planned.length} built, ${planned.length} planned`);
    expect(planned.length).toBeLessThan(entries.size);
  });
});

function citedIds(): ReadonlyMap<string, ReadonlySet<string>> {
  const cited = new Map<string, Set<string>>();
  const folders = [...listPackages().map((folder) => `${folder}/src`), "test"];
  for (const file of folders.flatMap((folder) => listFiles(folder, ".test.ts"))) {
    for (const [id] of readProjectFile(file).matchAll(anyId)) {
      cited.set(id, (cited.get(id) ?? new Set()).add(file));
    }
  }
  return cited;
}
