// What a launch is read from.

import type { ConfigProblem } from "../config-problem.js";
import type { Environment } from "../json/expand-variables.js";
import type { JsonPath } from "../json/json-path.js";
import type { ReadText } from "../sections/read-tools.js";

export interface OwnFiles {
  /** The config, names, store and audit. They may be missing yet. */
  readonly files: readonly string[];
  /** The env files of all servers, also of those that are disabled. */
  readonly envFiles: readonly string[];
  /**
   * Of which nothing is seen: the state folder, and that of the user's own config. Where the config itself is in that one,
   * servers may be, too, and `files` are hidden there.
   */
  readonly folders: readonly string[];
  /** The folder of the sockets of the user's session, of which nothing is seen either. */
  readonly sockets?: string;
}

export interface LaunchInput {
  /** The folder of the config. */
  readonly folder: string;
  readonly env: Environment;
  /** The config is a client's file for one project: servers start in the project, as they do under that client. */
  readonly isProjectFile?: boolean;
  /** What an isolated server must not see. */
  readonly own?: OwnFiles;
  readonly readText: ReadText;
}

/** Notes what is wrong, and where in the entry. */
export type NoteProblem = (
  at: JsonPath,
  problem: Pick<ConfigProblem, "code" | "message" | "fix" | "variable">,
) => void;
