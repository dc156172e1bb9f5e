// Config and lock → snapshot.

import { type CatalogProblem, type Lock, type Snapshot, snapshotSteps } from "@onym/core";
import type { Config } from "../config/config.js";
import { configError } from "../config/config-problem.js";
import { hideVariables } from "../config/json/hide-variables.js";
import { META_TOOLS } from "../gateway/toolboxes/meta-tool-names.js";
import { runAtOnce, type Steps } from "../model/run-slices.js";

/** What two servers, or a server and an alias, cannot both be. The catalog would leave them out; a config is fixed. */
const IDENTITY_CODES = new Set([
  "same-integration",
  "bad-toolbox-id",
  "bad-integration",
  "bad-version",
  "alias-taken",
  "two-aliases",
  "bad-alias",
  "duplicate-server",
]);

interface SnapshotOptions {
  readonly lock: Lock | undefined;
  readonly as?: string | undefined;
  readonly today: string;
}

/** @throws OnymError `config-invalid` for servers and aliases that get in each other's way. */
export function snapshotOf(config: Config, options: SnapshotOptions): Snapshot {
  return runAtOnce(checkedSnapshotSteps(config, options));
}

/** @throws OnymError as `snapshotOf`. */
export function* checkedSnapshotSteps(config: Config, options: SnapshotOptions): Steps<Snapshot> {
  const { style, as: registered, aliases, pins } = config.naming;
  const as = options.as ?? registered;
  const snapshot = yield* snapshotSteps(
    config.servers.map(({ source }) => source),
    {
      aliases,
      pins,
      profiles: config.profiles.own,
      renames: config.renames,
      strict: config.strict,
      today: options.today,
      ownNames: META_TOOLS,
      absent: config.servers.filter(({ isStatic }) => !isStatic).map(({ source }) => source),
      ...(style === undefined ? {} : { style }),
      ...(as === undefined ? {} : { as }),
      ...(options.lock === undefined ? {} : { lock: options.lock }),
    },
  );
  const mistakes = snapshot.problems.filter(
    ({ code, severity }) => severity === "error" && IDENTITY_CODES.has(code),
  );
  if (mistakes.length > 0) {
    const problems = mistakes.map((problem) => identityProblem(problem, config));
    const variables = new Map(config.servers.flatMap((server) => [...server.variables]));
    throw configError(config.origin === "found" ? hideVariables(problems, variables) : problems);
  }
  return snapshot;
}

function identityProblem({ code, message, fix, servers }: CatalogProblem, config: Config) {
  const server = config.servers.find(({ source }) => servers.includes(source.server));
  return {
    code,
    path: server?.path ?? "",
    place: server?.place ?? { file: config.file, line: 1, column: 1 },
    message,
    fix,
  };
}
