// A declared rename, and how long its old name works: until a day, or for a number of the server's major versions
// (LOCK-2).

/**
 * An old name that still resolves to its tool for a while. If it belonged to a tool, the new tool is the same tool
 * (LOCK-5).
 */
export interface Rename {
  readonly from: string;
  /** Canonical name of the target tool. */
  readonly to: string;
  /** The last day (YYYY-MM-DD) on which the old name works. Without it and `since`: until the entry is removed. */
  readonly until?: string;
  /**
   * The version that the server announced when it renamed the tool. The window is counted in major versions from
   * it.
   */
  readonly since?: string;
  /** How many whole major versions from `since` on the old name works. Default: 1. */
  readonly majors?: number;
  /** `accept` silently, `warn` (the default), or `reject` and name the successor. */
  readonly policy?: "accept" | "warn" | "reject";
}

export interface RenameWindow {
  /** `unknown`: a version to count from or to is missing. The name still works then. */
  readonly state: "open" | "ended" | "unknown";
  /** When the name stops working, as text; absent if it never does. */
  readonly ends?: string;
}

/**
 * The state of a rename's window. Majors are counted whole: renamed in 2.0.0, one major is all of 2.x; renamed in
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

/** `2`, `v2.3`, `2.3.1-beta+5`. Servers may announce any text, so most of it is not a version. */
function readMajor(
  version: string | undefined,
): { readonly major: number; readonly isStart: boolean } | undefined {
  const [, major, rest = ""] = VERSION.exec(version ?? "") ?? [];
  return major === undefined ? undefined : { major: Number(major), isStart: !/[1-9]/.test(rest) };
}

const VERSION = /^v?(\d{1,9})((?:\.\d+)*)(?:[-+].*)?$/i;
