// What the fuzzers feed: one reader of the product, held against a plain oracle.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "../gateway/misroutes/chance.js";
import { projectRoot } from "../project-files.js";

export interface FuzzTarget {
  /** Also the folder of its corpus. */
  readonly name: string;
  /** Pieces of its grammar, put in at random places. */
  readonly tokens: readonly string[];
  /** Reads the input, and throws where the reader is wrong. `chance` cuts the input into pieces and the like. */
  readonly check: (input: Buffer, chance: Chance) => void;
  /** The reader alone, to time how its cost grows. */
  readonly read: (input: Buffer) => void;
}

/** The inputs that mutation starts from: every file in `test/fuzz/corpus/NAME`. */
export function loadCorpus(name: string): readonly Buffer[] {
  const folder = join(projectRoot, "test/fuzz/corpus", name);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file)));
}

/** The input as a message shows it. */
export function showInput(input: Buffer): string {
  return `${JSON.stringify(input.subarray(0, 2_000).toString("latin1"))} (latin1, ${input.length} bytes)`;
}
