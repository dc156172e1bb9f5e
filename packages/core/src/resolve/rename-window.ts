// How long an old name works: to a day, or for so many major versions of its server (LOCK-2).

import type { Rename } from "./former-names.js";

export interface RenameWindow {
  /** `unknown`: there is no version to count from or to, and a name is not refused for want of knowledge. */
  readonly state: "open" | "ended" | "unknown";
  /** From when on the name is refused, in words; absent where it has no end. */
  readonly ends?: string;
}

/**
 * Where the window of a rename stands. Majors are counted whole: renamed in 2.0.0, one major is all of 2.x; renamed in
 * 2.3.0, it is all of 3.x, after the rest of 2.x.
 *
 * @example
 * renameWindow({ since: "2.3.0" }, { serverVersion: "3.1.0" }); // { state: "open", ends: "from version 4.0.0 of its server on" }
 */
export function renameWindow(
  { until, since, majors = 1 }: Pick<Rename, "until" | "since" | "majors">,
  {
    today,
    serverVersion,
  }: { readonly today?: string | undefined; readonly serverVersion?: string | undefined },
): RenameWindow {
  if (until !== undefined)
    return { state: today !== undefined && today > until ? "ended" : "open", ends: `after ${until}` };
  if (since === undefined) return { state: majors === 1 ? "open" : "unknown" };
  const first = readMajor(since);
  if (first === undefined) return { state: "unknown" };
  const end = first.major + majors + (first.isStart ? 0 : 1);
  const now = readMajor(serverVersion);
  return {
    state: now === undefined ? "unknown" : now.major < end ? "open" : "ended",
    ends: `from version ${end}.0.0 of its server on`,
  };
}

/** `2`, `v2.3`, `2.3.1-beta+5`; servers may announce any text, and most of it is no version. */
function readMajor(
  version: string | undefined,
): { readonly major: number; readonly isStart: boolean } | undefined {
  const [, major, rest = ""] = VERSION.exec(version ?? "") ?? [];
  return major === undefined ? undefined : { major: Number(major), isStart: !/[1-9]/.test(rest) };
}

const VERSION = /^v?(\d{1,9})((?:\.\d+)*)(?:[-+].*)?$/i;
