// The whole corpus of real tool names, in every profile, under two gateway aliases.

import { readFileSync } from "node:fs";
import { buildSnapshot, listProfiles, type NamingTable, sentName, type ToolSource } from "@onym/core";
import { matchesProfile } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";
import { isLong } from "./long-runs.js";

const ALIASES = ["onym", "acme-tools_gateway"];
const sources = readCorpus();
const snapshot = buildSnapshot(sources);

/** Readable names that the corpus must reach with the default alias: shares without a digest. */
const GOALS: ReadonlyMap<string, number> = new Map([
  ["openai", 0.995],
  ["claude-code", 0.99],
  ["cursor", 0.99],
  ["universal", 0.97],
]);

/** All of them; under the other alias, in an ordinary run, every third. */
function profilesFor(as: string) {
  return listProfiles().filter((_, index) => isLong || as === ALIASES[0] || index % 3 === 0);
}

describe("the corpus", () => {
  it("holds 12,446 names of 2,042 servers, and all of them enter the catalog", () => {
    expect(sources).toHaveLength(2042);
    expect(snapshot.catalog.tools).toHaveLength(12_446);
    expect(snapshot.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it.each(ALIASES)(
    "has legal, distinct names that lead back, in every profile, as %s (RULE-5) (NAME-4)",
    (as) => {
      for (const profile of profilesFor(as)) {
        const table = snapshot.namesFor(profile, { as });
        const resolve = snapshot.resolverFor(profile, { as });
        const sent = new Set<string>();
        const wrong: string[] = [];
        for (const { name, tool } of table.tools) {
          const found = resolve(name);
          sent.add(sentName(name, profile, as));
          if (!matchesProfile(name, profile, as)) wrong.push(`illegal: ${name}`);
          if (found.outcome !== "resolved" || found.tool !== tool) wrong.push(`lost: ${name}`);
        }
        expect({ profile: profile.id, wrong, tools: table.tools.length, sent: sent.size }).toEqual({
          profile: profile.id,
          wrong: [],
          tools: 12_446,
          sent: 12_446,
        });
      }
    },
  );

  it.each(ALIASES)("finds every tool by its name in any other profile, as %s (RES-1)", (as) => {
    const known = buildSnapshot(sources, { as });
    const resolve = known.resolverFor("openai");
    for (const id of ["universal", "cursor", "vscode", "cherry-studio", "canonical", "codex"]) {
      const lost = known.namesFor(id).tools.filter(({ name, tool }) => {
        const found = resolve(name);
        return found.outcome !== "resolved" || found.tool !== tool;
      });
      expect(lost.map(({ name }) => name)).toEqual([]);
    }
  });

  it("gets the same bytes for shuffled load orders (NAME-4)", () => {
    // A table depends on the catalog alone, so the catalog is compared each time, and the tables of some profiles in
    // turn; `npm run laws` compares all of them each time.
    const settings = listProfiles().flatMap((profile) => ALIASES.map((as) => ({ profile, as })));
    const thorough = process.env["ONYM_LAW_TOTAL"] !== undefined;
    const expected = settings.map(({ profile, as }) => bytesOf(snapshot.namesFor(profile, { as })));
    const order = JSON.stringify(snapshot.catalog.tools);
    const different: string[] = [];
    for (let seed = 1; seed <= (isLong ? 100 : 4); seed++) {
      const shuffled = buildSnapshot(
        shuffle(
          sources.map((source) => ({ ...source, tools: shuffle(source.tools, seed) })),
          seed,
        ),
      );
      if (JSON.stringify(shuffled.catalog.tools) !== order) different.push(`catalog, order ${seed}`);
      settings.forEach(({ profile, as }, index) => {
        if (!thorough && index % 50 !== seed % 50) return;
        const bytes = bytesOf(shuffled.namesFor(profile, { as }));
        if (bytes !== expected[index]) different.push(`${profile.id} as ${as}, order ${seed}`);
      });
    }
    expect(different).toEqual([]);
  });

  it("keeps most names readable (NAME-2)", () => {
    const shares = listProfiles().map(
      ({ id }) => [id, ...ALIASES.map((as) => readable(snapshot.namesFor(id, { as })))] as const,
    );
    console.log(`names without a digest, as ${ALIASES.join(" and as ")}:`);
    for (const [id, ...byAlias] of shares) {
      console.log(
        `  ${id.padEnd(36)}${byAlias.map((share) => `${(share * 100).toFixed(2)} %`.padStart(10)).join("")}`,
      );
    }
    for (const [id, share] of shares) expect(share, id).toBeGreaterThan(GOALS.get(id) ?? 0.5);
  });
});

function bytesOf({ tools }: NamingTable): string {
  return tools.map(({ name, tool, why }) => `${name}\t${tool.key}\t${why.kind}`).join("\n");
}

function readable({ tools }: NamingTable): number {
  return 1 - tools.filter(({ why }) => why.kind === "cut").length / tools.length;
}

function readCorpus(): readonly ToolSource[] {
  const byServer = new Map<string, string[]>();
  for (const file of ["docker", "pipedream"]) {
    const text = readFileSync(new URL(`./data/corpus/${file}.tsv`, import.meta.url), "utf8");
    for (const line of text.trimEnd().split("\n")) {
      const [server = "", tool = ""] = line.split("\t");
      byServer.set(server, [...(byServer.get(server) ?? []), tool]);
    }
  }
  return [...byServer].map(([server, tools]) => ({ server, tools }));
}

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed;
  for (let index = result.length - 1; index > 0; index--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}
