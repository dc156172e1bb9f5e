// What is wrong with a config: where, why, and what to do. All of it is collected and reported at once (CFG-2).

import { isAbsolute } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import { OnymError } from "../model/onym-error.js";
import { showPath } from "../model/show-path.js";
import type { JsonPath, Place } from "./json/json-path.js";

export interface ConfigProblem {
  /** Stable, kebab-case. */
  readonly code: string;
  /** `mcpServers.salesforce.env.TOKEN`; empty for the file as a whole. */
  readonly path: string;
  readonly place: Place;
  readonly message: string;
  readonly fix: string;
  /** The variable that could not be filled in, where that is the problem. */
  readonly variable?: string;
}

/**
 * A JSON path as people write it.
 *
 * @example
 * formatJsonPath(["mcpServers", "my files", "args", 0]); // 'mcpServers["my files"].args[0]'
 */
export function formatJsonPath(path: JsonPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${quoteText(part)}]`;
  }
  return text;
}

/** One error for all the problems of a config. Its `cause` is the list. */
export function configError(problems: readonly ConfigProblem[]): OnymError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    return new OnymError("config-invalid", headOf(first), first.fix, { cause: problems });
  }
  const blocks = problems.map((problem) => `${headOf(problem)}\n  ${problem.fix}`);
  return new OnymError(
    "config-invalid",
    `There are ${problems.length} mistakes in the configuration.\n${blocks.join("\n")}`,
    "Fix them all; nothing was started or changed.",
    { cause: problems },
  );
}

function headOf({ path, place, message }: ConfigProblem): string {
  // A path that was typed stays as it was typed.
  const file = isAbsolute(place.file) ? showPath(place.file) : escapeText(place.file);
  const where = `${file}:${place.line}:${place.column}`;
  return path === "" ? `${where} ${message}` : `${where} ${path}: ${message}`;
}
