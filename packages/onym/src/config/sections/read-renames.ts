// The windows of declared renames: a last day, or a count of major versions, and never both (LOCK-2).

import type { Rename } from "@onym/core";
import type { ConfigProblem } from "../config-problem.js";
import type { JsonPath } from "../json/json-path.js";

type Note = (path: JsonPath, problem: Pick<ConfigProblem, "code" | "message" | "fix">) => void;

/** Types are checked elsewhere. */
export function readRenames(value: unknown, note: Note): readonly Rename[] {
  if (!Array.isArray(value)) return [];
  for (const [index, entry] of value.entries()) {
    const { until, since, majors } = Object(entry) as Rename;
    const path = ["renames", index];
    if (until !== undefined && (since !== undefined || majors !== undefined)) {
      note(path, {
        code: "two-windows",
        message: "An old name works until a day, or for major versions of its server, but not both.",
        fix: 'Leave out "until", or "since" and "majors".',
      });
    } else if (majors !== undefined && since === undefined) {
      note([...path, "majors"], {
        code: "no-since",
        message: "It is not said from which version on major versions are counted.",
        fix: 'Add "since" with the version that the server announces now, such as "2.3.0".',
      });
    }
  }
  return value as readonly Rename[];
}
