// What a child process is told of Onym's own environment: enough to run, nothing that holds secrets.

const POSIX = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "TZ"],
  ...["ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME"].map((kind) => `LC_${kind}`),
  ...["ADDRESS", "IDENTIFICATION", "MEASUREMENT", "NAME", "PAPER", "TELEPHONE"].map((kind) => `LC_${kind}`),
];
const WINDOWS = [
  "PATH",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMFILES",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "TEMP",
  "USERPROFILE",
  "USERNAME",
  "COMPUTERNAME",
  "HOMEDRIVE",
  "HOMEPATH",
  "PROCESSOR_ARCHITECTURE",
];

/** The safe part of `own`, and over it what the config declares. */
export function buildSafeEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  declared: ReadonlyMap<string, string>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const windows = platform === "win32";
  const safe = new Set(windows ? WINDOWS : POSIX);
  const kept = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    const known = safe.has(windows ? name.toUpperCase() : name);
    // A value that starts with `()` is a shell function.
    if (known && value !== undefined && !value.startsWith("()")) kept.set(name, value);
  }
  return Object.fromEntries([...kept, ...declared]);
}
