// A problem of the catalog or of a table, and the tools it concerns; it isolates those and no others (NAME-5).

import type { Problem, Severity } from "../names/problem.js";

export interface CatalogProblem extends Problem {
  /** Canonical names where they exist, else `server/raw` (`toolbox:server/raw`); escaped for display. */
  readonly tools: readonly string[];
  /** The server ids concerned; empty where the problem is about tools alone. */
  readonly servers: readonly string[];
}

export function catalogProblem(problem: {
  readonly code: string;
  readonly severity?: Severity;
  readonly message: string;
  readonly fix: string;
  readonly tools?: readonly string[];
  readonly servers?: readonly string[];
}): CatalogProblem {
  const { code, severity = "error", message, fix, tools = [], servers = [] } = problem;
  return { code, severity, message, fix, tools, servers };
}

/** A tool that has no canonical name yet, as problems name it. */
export function listedToolText(
  owner: { readonly server: string; readonly toolbox?: string | undefined },
  raw: string,
): string {
  const { server, toolbox } = owner;
  return `${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`;
}
