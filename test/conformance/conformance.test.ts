// The official conformance suite, against a server of ours and against Onym in front of it: Onym loses nothing.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "../gateway/harness.js";
import { projectRoot } from "../project-files.js";
import { type RunningServer, startServer } from "../servers/start-server.js";
import {
  type ConformanceReport,
  checksWith,
  compareConformance,
  findSuiteNode,
  NO_SUITE,
  type RequirementSet,
  runConformance,
} from "./run-conformance.js";

const SETS: readonly RequirementSet[] = ["2025-11-25", "2026-07-28"];

interface ExpectedLoss {
  readonly requirements: RequirementSet;
  readonly scenario: string;
  readonly check: string;
  readonly reason: string;
}

const expectedLosses: readonly ExpectedLoss[] = JSON.parse(
  readFileSync(`${projectRoot}test/conformance/expected-losses.json`, "utf8"),
);

const found = findSuiteNode();
if (found === undefined) console.warn(`conformance: ${NO_SUITE}`);

describe.skipIf(found === undefined)("the official conformance suite", () => {
  const node = found ?? "";
  const direct = new Map<RequirementSet, ConformanceReport>();
  let fixture: RunningServer;

  beforeAll(async () => {
    fixture = await startServer("conformance-fixture.mjs");
    const runs = SETS.map((requirements) => runConformance({ url: fixture.url, requirements, node }));
    for (const [index, report] of (await Promise.all(runs)).entries()) {
      direct.set(SETS[index] as RequirementSet, report);
    }
  });
  afterAll(() => fixture?.close());

  it.each(SETS)(
    "passes the fixture when asked directly (%s), but for the tasks extension",
    (requirements) => {
      const report = direct.get(requirements) as ConformanceReport;
      const failures = [...checksWith(report, "FAILURE"), ...checksWith(report, "WARNING")];
      expect(failures.filter((name) => !name.startsWith("tasks-"))).toEqual([]);
      expect(report.run.size).toBe(requirements === "2025-11-25" ? 33 : 50);
    },
  );

  it("gives a reason for every loss that is expected", () => {
    expect(expectedLosses.filter(({ reason }) => reason.trim() === "")).toEqual([]);
  });

  describe("through Onym in bare style", () => {
    let onym: RunningOnym;
    beforeAll(async () => {
      onym = await startOnym({
        config: { mcpServers: { fixture: { url: fixture.url } }, naming: { style: "bare" } },
      });
    });
    afterAll(() => onym?.stop());

    it.each(SETS)("loses no check that the fixture passes (%s)", async (requirements) => {
      const through = await runConformance({ url: `${onym.url}/canonical`, requirements, node });
      const losses = compareConformance(direct.get(requirements) as ConformanceReport, through);
      const expected = expectedLosses.filter((loss) => loss.requirements === requirements);
      const isExpected = (scenario: string, check: string) =>
        expected.some((loss) => loss.scenario === scenario && loss.check === check);
      expect(losses.filter(({ scenario, check }) => !isExpected(scenario, check))).toEqual([]);
      // An entry that no longer loses is to be taken off the list.
      const lost = new Set(losses.map(({ scenario, check }) => `${scenario} ${check}`));
      expect(expected.filter(({ scenario, check }) => !lost.has(`${scenario} ${check}`))).toEqual([]);
    });
  });
});
