// Runs the official conformance suite against a URL, and says what one run loses against another.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../project-files.js";

/** The suite needs a newer Node than the project does. It is installed by itself, with such a Node where there is one. */
const SUITE_NODE_MAJOR = 22;
const SUITE_FOLDER = join(projectRoot, "test/newer-node/node_modules");
const SUITE = join(SUITE_FOLDER, "@modelcontextprotocol/conformance/dist/index.js");
const BUNDLED_NODE = join(SUITE_FOLDER, "node-24/bin/node");

/** Why nothing is run, where `findSuiteNode` finds none. */
export const NO_SUITE =
  "skipped, because the suite or its Node is not installed (npm ci --prefix test/newer-node)";

/** Best first. A check that ran more than once in a scenario counts as its worst. */
const STATUSES = ["SUCCESS", "INFO", "SKIPPED", "WARNING", "FAILURE"] as const;

export type CheckStatus = (typeof STATUSES)[number];
export type RequirementSet = "2025-11-25" | "2026-07-28";

/** scenario → check id → status. */
type ConformanceRun = ReadonlyMap<string, ReadonlyMap<string, CheckStatus>>;

export interface ConformanceLoss {
  readonly scenario: string;
  readonly check: string;
  /** `undefined` where the check did not happen at all. */
  readonly status: CheckStatus | undefined;
  readonly message: string;
}

/** A Node that can run the suite, or `undefined`, also where there is no suite. */
export function findSuiteNode(): string | undefined {
  if (!existsSync(SUITE)) return undefined;
  if (Number(process.versions.node.split(".")[0]) >= SUITE_NODE_MAJOR) return process.execPath;
  return existsSync(BUNDLED_NODE) ? BUNDLED_NODE : undefined;
}

export interface ConformanceOptions {
  readonly url: string;
  readonly requirements: RequirementSet;
  readonly node: string;
}

export interface ConformanceReport {
  readonly run: ConformanceRun;
  /** What the suite said of a check that did not pass: `scenario check` → message. */
  readonly messages: ReadonlyMap<string, string>;
}

/** Runs every scenario of one requirement set, the ones that are not scored included. */
export async function runConformance({
  url,
  requirements,
  node,
}: ConformanceOptions): Promise<ConformanceReport> {
  const folder = mkdtempSync(join(tmpdir(), "onym-conformance-"));
  try {
    const output = await runSuite(node, [
      "server",
      "--url",
      url,
      "--requirements",
      requirements,
      "-o",
      folder,
    ]);
    const report = readReport(folder);
    if (report.run.size === 0) throw new Error(`the conformance suite left no results:\n${output}`);
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The checks that pass when asked directly and do not when asked through something, in order. */
export function compareConformance(
  direct: ConformanceReport,
  through: ConformanceReport,
): readonly ConformanceLoss[] {
  const losses: ConformanceLoss[] = [];
  for (const [scenario, checks] of direct.run) {
    for (const [check, status] of checks) {
      const other = through.run.get(scenario)?.get(check);
      if (status !== "SUCCESS" || other === "SUCCESS") continue;
      const message = through.messages.get(`${scenario} ${check}`) ?? "";
      losses.push({ scenario, check, status: other, message });
    }
  }
  return losses;
}

/** The checks of a run that ended so: `scenario check`, in order. */
export function checksWith(report: ConformanceReport, status: CheckStatus): readonly string[] {
  return [...report.run]
    .flatMap(([scenario, checks]) =>
      [...checks].filter(([, found]) => found === status).map(([check]) => `${scenario} ${check}`),
    )
    .sort();
}

function readReport(folder: string): ConformanceReport {
  const run = new Map<string, Map<string, CheckStatus>>();
  const messages = new Map<string, string>();
  for (const name of readdirSync(folder).sort()) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) continue;
    const checks = run.get(scenario) ?? new Map<string, CheckStatus>();
    run.set(scenario, checks);
    for (const { id, status, errorMessage } of readChecks(join(folder, name, "checks.json"))) {
      if (rank(status) >= rank(checks.get(id) ?? "SUCCESS")) checks.set(id, status);
      if (errorMessage !== undefined) messages.set(`${scenario} ${id}`, errorMessage);
    }
  }
  return { run, messages };
}

interface WrittenCheck {
  readonly id: string;
  readonly status: CheckStatus;
  readonly errorMessage?: string;
}

function readChecks(path: string): readonly WrittenCheck[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as WrittenCheck[]) : [];
}

function rank(status: CheckStatus): number {
  return STATUSES.indexOf(status);
}

/** Its exit code only says that some check failed; the results say which. */
export function runSuite(
  node: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [SUITE, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}
