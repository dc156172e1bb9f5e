// The figures of a run as a table for people and as JSON, in `test/faults/results`.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../project-files.js";

const FOLDER = join(projectRoot, "test/faults/results");

export interface Report {
  /** Of the files: `faults`. */
  readonly name: string;
  readonly title: string;
  /** One sentence each. */
  readonly facts: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Beside the rows, for machines. */
  readonly figures: unknown;
}

/** Returns the Markdown. */
export function writeReport({ name, title, facts, columns, rows, figures }: Report): string {
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const text = [
    `# ${title}`,
    "",
    ...[...facts, `${machine}, ${new Date().toISOString().slice(0, 10)}.`].map((fact) => `- ${fact}`),
    "",
    row(columns),
    row(columns.map(() => "---")),
    ...rows.map(row),
    "",
  ].join("\n");
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name}.md`), text);
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
  return text;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
