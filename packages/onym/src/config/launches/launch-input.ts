// What a launch is read from.

import type { ConfigProblem } from "../config-problem.js";
import type { Environment } from "../json/expand-variables.js";
import type { JsonPath } from "../json/json-path.js";
import type { ReadText } from "../sections/read-tools.js";

export interface LaunchInput {
  /** The folder of the config. */
  readonly folder: string;
  readonly env: Environment;
  /** The config is a client's file for one project: servers start in the project, as they do under that client. */
  readonly isProjectFile?: boolean;
  /** Onym's own files, which an isolated server must not see. */
  readonly hidden?: readonly string[];
  readonly readText: ReadText;
}

/** Notes what is wrong, and where in the entry. */
export type NoteProblem = (
  at: JsonPath,
  problem: Pick<ConfigProblem, "code" | "message" | "fix" | "variable">,
) => void;
