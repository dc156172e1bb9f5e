// The rows of the matrix: one tool in each client.

import type { Profile, Tool } from "@onym/core";
import type { RawProblem } from "./raw-names.js";

/** One tool in one client. */
export interface MatrixEntry {
  readonly profile: Profile;
  /** The public name Onym gives it there. */
  readonly name: string | undefined;
  /** What the client finally sends or shows, its own prefix included. */
  readonly sent: string | undefined;
  /** Whether the client takes it. A name that the lock keeps may be one that it does not (RULE-7). */
  readonly isValid: boolean;
  /** What would become of the raw name without Onym. */
  readonly rawProblem: RawProblem | undefined;
}

export interface MatrixRow {
  readonly tool: Tool;
  readonly names: readonly MatrixEntry[];
}

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  readonly profiles: readonly Profile[];
  readonly as: string;
}
