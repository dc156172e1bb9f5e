// Migrations there and back over the corpus of real tool names: 2,042 servers, 12,446 tools.

import { readFileSync } from "node:fs";
import { buildSnapshot, type ToolSource } from "@onym/core";
import { describe, expect, it } from "vitest";
import { aliasBlock, canonicalWith } from "../packages/onym/src/cli/names/migrate/alias-block.js";
import { buildNaming } from "../packages/onym/src/cli/names/migrate/build-naming.js";
import { planMigration } from "../packages/onym/src/cli/names/migrate/plan-migration.js";
import { isLong } from "./long-runs.js";

const sources = readCorpus();
/** In an ordinary run every third server is migrated by itself. */
const EACH = isLong ? 1 : 3;
/** Names of the corpus have neither dots nor slashes; as families and verbs, and as paths, they do. */
const drafts = sources.map(({ server, tools }, index) => ({
  server,
  tools: [...new Set(tools.map((tool) => String(tool).replace(/[-_]/, index % 2 === 0 ? "." : "/")))],
}));
const window = { until: "2999-01-01" };

describe("a migration of the whole corpus (LOCK-4)", () => {
  it.each([
    ["now", "mcp:dotted"],
    ["universal:flat", "sep-986:slashed"],
    ["openai:flat", "openai:prefixed"],
    ["metamcp", "flat"],
    ["1mcp", "now"],
    ["client:claude-code", "claude-code"],
  ])("from %s to %s and back is the identity, and every old name is found afterwards", (from, to) => {
    const snapshot = buildSnapshot(sources);
    const context = { snapshot, profile: "universal", level: "gateway" as const };
    const { tools } = snapshot.catalog;
    const [one, other] = [buildNaming(from, context), buildNaming(to, context)];
    const there = planMigration(tools, { from: one, to: other, numbers: "accept" });
    const back = planMigration(tools, { from: other, to: one, numbers: "accept" });
    expect(there.tools).toHaveLength(12_446);
    const forward = new Map(there.tools.map((row) => [row.from, row.to]));
    const backward = new Map(back.tools.map((row) => [row.from, row.to]));
    const unclear = new Set([...there.ambiguous, ...back.ambiguous].map(({ name }) => name));
    const lost = there.tools.filter(
      (row) => !unclear.has(row.from) && backward.get(forward.get(row.from) ?? "") !== row.from,
    );
    expect(lost.map((row) => row.from)).toEqual([]);

    const renames = aliasBlock(there, { window, level: "gateway" });
    const after = buildSnapshot(sources, { renames });
    const resolve = after.resolverFor("canonical");
    const missing = there.tools.filter((row) => {
      if (unclear.has(row.from)) return false;
      const found = resolve(row.from);
      return found.outcome !== "resolved" || found.tool.key !== row.tool.key;
    });
    expect(missing.map((row) => row.from)).toEqual([]);
    console.log(`${from} → ${to}: ${renames.length} aliases, ${there.ambiguous.length} ambiguous old names`);
  });

  it.each([
    ["raw", "underscores"],
    ["raw", "openai"],
    ["raw", "universal"],
    ["sep-986", "mcp"],
  ])("of each server's own tools from %s to %s stops or leads back, and keeps every old name", (from, to) => {
    let [moved, stopped] = [0, 0];
    for (const source of drafts.filter((_, index) => index % EACH === 0)) {
      const snapshot = buildSnapshot([source]);
      const context = { snapshot, profile: "universal", level: "server" as const };
      const { tools } = snapshot.catalog;
      const [one, other] = [buildNaming(from, context), buildNaming(to, context)];
      const there = planMigration(tools, { from: one, to: other, numbers: "refuse" });
      if (there.conflicts.length > 0) {
        for (const { tools: both } of there.conflicts) expect(both.length).toBeGreaterThan(1);
        stopped++;
        continue;
      }
      const changed = there.tools.filter((row) => row.from !== row.to);
      if (changed.length === 0) continue;
      moved += changed.length;
      // The server lists the new names; the block of the guide is in the config of its users.
      const renames = aliasBlock(there, { window, level: "server" });
      const renamed = there.tools.map((row) => row.to);
      const after = buildSnapshot([{ ...source, tools: renamed }], { renames });
      for (const row of changed) {
        expect(after.resolve(canonicalWith(row.tool, row.from))).toMatchObject({
          outcome: "resolved",
          tool: { raw: row.to },
        });
      }
      // And back, by the table.
      const table = new Map(there.tools.map((row) => [row.to, row.from]));
      expect(renamed.map((name) => table.get(name))).toEqual(there.tools.map((row) => row.from));
    }
    console.log(`${from} → ${to}: ${moved} tools renamed, ${stopped} servers stopped`);
  });
});

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
