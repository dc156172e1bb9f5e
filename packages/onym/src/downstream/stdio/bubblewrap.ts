// The walls of an isolated server (SAFE-7): what bubblewrap shows it of the machine. Onym's own files are hidden by covering the
// folders that they are in: a cover over a file would be lost when the file is replaced by another (decision 0213).

import { accessSync, constants, existsSync, opendirSync, readlinkSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { findMisplaced, type Isolation, type Launch } from "../../model/launch.js";
import { showPath } from "../../model/show-path.js";
import { tracePath } from "../../model/trace-path.js";

type StdioLaunch = Extract<Launch, { readonly kind: "stdio" }>;

interface Sandbox extends Extract<Isolation, { readonly kind: "bubblewrap" }> {
  readonly cwd: string;
}

/** The server cannot be started behind its walls. */
export class SandboxProblem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Each is a mount, and bubblewrap looks at all mounts for each of them: 500 take about a second (2026-11). */
const MAX_ENTRIES = 500;

/** What name resolution and programs need of `/run`, where most else is a socket. */
const NEEDED_OF_RUN = [
  ...["systemd/resolve", "resolvconf", "netconfig", "connman/resolv.conf", "nscd"],
  ...["NetworkManager/resolv.conf", "NetworkManager/no-stub-resolv.conf"],
  ...["current-system", "booted-system", "opengl-driver", "media"],
].map((name) => `/run/${name}`);

/**
 * What of /proc changes the whole machine. Bubblewrap asks access(2) whether it has to be read-only, which says no of a folder
 * whose files root may write to without any capability.
 */
const SYSTEM_OF_PROC = [
  "sys",
  "sysrq-trigger",
  "irq",
  "bus",
  "acpi",
  "fs",
  "scsi",
  "driver",
  "mtrr",
  "pressure",
].map((name) => `/proc/${name}`);

const SETTINGS = [
  ...["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  // Root keeps its capabilities otherwise, and could take the covers away.
  ...["--cap-drop", "ALL"],
];

/** The words before those of the command. `cwd` and `home` are folders that exist. @throws SandboxProblem */
export function bubblewrapWords(launch: StdioLaunch, sandbox: Sandbox): readonly string[] {
  const { cwd, home, writesCwd, hidden, folders, sockets } = sandbox;
  // It was looked at when the config was read. A link may have changed since.
  const misplaced = findMisplaced(launch);
  if (misplaced !== undefined) {
    const reason = `it could ${misplaced.could} ${showPath(misplaced.path)} from its "cwd"`;
    throw new SandboxProblem(reason, 'Give it a folder of its own as "cwd".');
  }
  const start = realFolder(cwd);
  const mounts = new Map<string, readonly string[]>([["/", ["--ro-bind", "/", "/"]]]);
  const emptied = ["/tmp", "/run", "/var/run", ...folders, sockets ?? "/run"].filter((path) =>
    existsSync(path),
  );
  for (const path of emptied.map((each) => realpathSync(each)))
    if (path !== "/") mounts.set(path, ["--tmpfs", path]);
  for (const path of NEEDED_OF_RUN) mounts.set(path, ["--ro-bind-try", path, path]);
  mounts.set("/dev", ["--dev", "/dev"]);
  const readOnly = SYSTEM_OF_PROC.flatMap((path) => ["--ro-bind-try", path, path]);
  mounts.set("/proc", ["--proc", "/proc", ...readOnly]);
  const isShown = (path: string): boolean => nearest(path, mounts)?.[0] !== "--tmpfs";
  if (cwd !== home && !isShown(start)) mounts.set(start, ["--ro-bind", start, start]);

  // What could not be made may be there later.
  const missing = folders.filter((path) => !existsSync(path));
  const covers = [...namesByFolder([...hidden, ...missing])].filter(
    ([folder]) => existsSync(folder) && isShown(folder),
  );
  let room = MAX_ENTRIES;
  for (const [folder, names] of covers) {
    const entries = listBeside(folder, names, room);
    if (entries === undefined) throw tooManyProblem(folder);
    room -= entries.length;
    // What is mounted at the root is empty by itself.
    mounts.set(folder, [...(folder === "/" ? [] : ["--tmpfs", folder]), ...entries.flat()]);
  }
  if (cwd !== home && writesCwd) mounts.set(start, ["--bind", start, start]);
  return [
    ...SETTINGS,
    ...[...mounts].sort(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, words]) => words),
    // What would be written there would be lost.
    ...covers.flatMap(([folder]) => ["--remount-ro", folder]),
    ...["--bind", home, home, "--setenv", "HOME", home],
    ...[...launch.env].filter(([name]) => isForLoader(name)).flatMap((pair) => ["--setenv", ...pair]),
    ...["--chdir", cwd, "--"],
  ];
}

/** Variables that would make bubblewrap itself load something, perhaps from where the server writes. */
export function isForLoader(name: string): boolean {
  return name.startsWith("LD_");
}

/** By Onym's own PATH: that of the server may name folders that the server writes to. @throws SandboxProblem */
export function findBubblewrap(path: string | undefined): string {
  const files = (path ?? "").split(delimiter).filter(isAbsolute);
  const found = files.map((folder) => join(folder, "bwrap")).find(isProgram);
  if (found === undefined)
    throw new SandboxProblem(
      "bwrap was not found on PATH",
      'Install bubblewrap, or give the server another "isolation".',
    );
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new SandboxProblem(`the folder ${showPath(path)} does not exist`, 'Fix "cwd" in the config.');
  }
}

/** Where the files stand, also those that links lead to and those that are not there yet. */
function namesByFolder(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { folder, name } of files.flatMap((file) => tracePath(file).places)) {
    const names = found.get(folder) ?? new Set();
    found.set(folder, names.add(name));
  }
  return found;
}

/** The mounts that show all else in a folder, as it is now; `undefined` where there are more than `max`. */
function listBeside(
  folder: string,
  names: ReadonlySet<string>,
  max: number,
): readonly (readonly string[])[] | undefined {
  const mounts: (readonly string[])[] = [];
  const entries = opendirSync(folder);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (isVersionOf(entry.name, names)) continue;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) mounts.push(["--symlink", readlinkSync(path), path]);
      else if (entry.isFile() || entry.isDirectory()) mounts.push(["--ro-bind-try", path, path]);
      if (mounts.length > max) return undefined;
    }
  } finally {
    entries.closeSync();
  }
  return mounts;
}

/** Also drafts, backups and files of editors: `.onym.json.swp`, `onym.json~`, `#onym.json#`. */
function isVersionOf(entry: string, names: ReadonlySet<string>): boolean {
  const bare = entry.replace(/^[.#]+/, "");
  return [...names].some((name) => {
    const own = name.replace(/^[.#]+/, "");
    return (
      entry === name || (own !== "" && bare.startsWith(own) && !/^[\p{L}\p{N}]/u.test(bare.slice(own.length)))
    );
  });
}

/** The mount that decides what is at the path. */
function nearest(
  path: string,
  mounts: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  let best: string | undefined;
  for (const place of mounts.keys())
    if (isWithin(path, place) && depthOf(place) >= depthOf(best ?? "/")) best = place;
  return best === undefined ? undefined : mounts.get(best);
}

function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

function depthOf(path: string): number {
  return path.split(sep).filter((part) => part !== "").length;
}

function tooManyProblem(folder: string): SandboxProblem {
  const reason = `${showPath(folder)} has files of Onym and more than ${MAX_ENTRIES} others, too many to be shown without them`;
  return new SandboxProblem(reason, "Keep the config, its store and env files in a folder of their own.");
}
