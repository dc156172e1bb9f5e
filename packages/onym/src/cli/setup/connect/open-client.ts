// The file of a client that is connected: which one, and the servers in it. One that cannot be read is never written (LOCK-7).

import { dirname, resolve, sep } from "node:path";
import type { Client, ClientFile } from "../../../clients/client.js";
import { type Machine, resolveFile } from "../../../clients/client-paths.js";
import { carriedOf } from "../../../clients/read-client-file.js";
import type { Carried } from "../../../clients/server-entry-of.js";
import { fieldOf, objectOf, settingsOf } from "../../../clients/server-maps.js";
import { loadSwitches, type PlacedSwitch, switchesIn } from "../../../clients/server-switches.js";
import { startsOnym } from "../../../config/files/onym-entry.js";
import { homeOf } from "../../../config/files/user-folders.js";
import type { EditStep } from "../../../documents/edit.js";
import { readDocument, valueAt } from "../../../documents/edit-document.js";
import { readFileBytes } from "../../../documents/replace-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";

export interface ClientServer {
  readonly id: string;
  readonly raw: unknown;
  readonly path: readonly EditStep[];
  readonly carried: Carried;
  /** It is Onym itself. */
  readonly isOnym: boolean;
  /** It stands there for the current folder alone. */
  readonly isOfProject: boolean;
}

export interface OpenedClient {
  readonly client: Client;
  readonly file: ClientFile;
  /** Absolute. */
  readonly path: string;
  /** As people read it. */
  readonly shown: string;
  /** `undefined` where there is no file yet. */
  readonly bytes: Buffer | undefined;
  readonly text: string;
  readonly value: unknown;
  /** The client keeps it for its user, in no project: nobody else put it there. */
  readonly isOwn: boolean;
  readonly servers: readonly ClientServer[];
  /** All that says which servers are off, in this file and in others of the client. */
  readonly switches: readonly PlacedSwitch[];
}

/** @throws OnymError `client-unreadable`, and `usage` where the client has no file. */
export function openClient(client: Client, machine: Machine, named?: string): OpenedClient {
  const read = readClient(client, machine, named);
  if (read.kind === "opened") return read.opened;
  if (read.kind === "unreadable") throw cannotRead(client, read.shown, read.reason);
  throw new OnymError(
    "usage",
    `${client.title} has no config file that Onym can edit.`,
    `onym init --client ${client.id} shows how to register it there.`,
  );
}

type ReadClient =
  | { readonly kind: "opened"; readonly opened: OpenedClient }
  | {
      readonly kind: "unreadable";
      readonly path: string;
      readonly shown: string;
      readonly reason: string;
    }
  | { readonly kind: "no-file" };

export function readClient(client: Client, machine: Machine, named?: string): ReadClient {
  const chosen = chooseFile(client, machine, named);
  if (chosen === undefined) return { kind: "no-file" };
  const { file, path } = chosen;
  const shown = showPath(path, machine.project, homeOf(machine));
  const read = readFileBytes(path);
  if (read.kind === "unreadable") return { kind: "unreadable", path, shown, reason: read.reason };
  const text = read.kind === "bytes" ? read.text : "";
  const parsed = readDocument(text, file.format);
  if (!parsed.ok) return { kind: "unreadable", path, shown, reason: parsed.reason };
  const { value } = parsed;
  const bytes = read.kind === "bytes" ? read.bytes : undefined;
  const isOwn = isOwnFile(client, path, machine);
  const about = { client, file, path, shown, bytes, text, value, isOwn };
  const project = projectOf(about, machine.project);
  const others = loadSwitches(client.id, about, { ...machine, project });
  if (!others.ok)
    return {
      kind: "unreadable",
      path: others.file,
      shown: showPath(others.file, machine.project, homeOf(machine)),
      reason: others.reason,
    };
  const switches = [...switchesIn(value).map((one) => ({ ...one, file: path })), ...others.value];
  const servers = serversIn(about, switches, project);
  return { kind: "opened", opened: { ...about, servers, switches } };
}

/** Whether a switch counts for a server: one of a folder only for what stands there for that folder alone. */
function counts(
  { folder, isForProjects }: PlacedSwitch,
  project: string | undefined,
  isOwn: boolean,
): boolean {
  return (folder === undefined || folder === project) && (!isForProjects || !isOwn);
}

/** In the home folder, a project's file and the user's own may be one. */
function isOwnFile({ files }: Client, path: string, machine: Machine): boolean {
  return files.some((file) => !isOfProject(file) && resolve(resolveFile(file, machine)) === resolve(path));
}

/** The folder that a project's file belongs to; for the user's own, the current one. */
export function projectOf(
  { client, path, isOwn }: Pick<OpenedClient, "client" | "path" | "isOwn">,
  cwd: string,
): string {
  if (isOwn) return cwd;
  const file = resolve(path);
  const ends = client.files.map(({ place }) => place.replace(/^\{project\}\//, "").replaceAll("/", sep));
  const end = ends.find((each) => file.endsWith(sep + each));
  return end === undefined ? dirname(file) : file.slice(0, -end.length - 1) || sep;
}

function isOfProject({ place }: ClientFile): boolean {
  return place.startsWith("{project}");
}

function cannotRead({ title }: Client, shown: string, reason: string): OnymError {
  return new OnymError(
    "client-unreadable",
    `${shown} of ${title} cannot be read: ${reason}.`,
    "Correct it by hand, or name another file with --file; nothing was changed.",
  );
}

/** The user's own file: the first that exists, else the first. Files of a project are named with `--file`. */
function chooseFile(
  client: Client,
  machine: Machine,
  named: string | undefined,
): { readonly file: ClientFile; readonly path: string } | undefined {
  const { files } = client;
  const placed = files.map((file) => ({ file, path: resolveFile(file, machine) }));
  if (named !== undefined) {
    const path = resolve(machine.project, named);
    const known =
      placed.find((one) => resolve(one.path) === path) ??
      placed.find(({ file }) => path.endsWith(`.${file.format}`)) ??
      placed[0];
    if (known !== undefined) return { file: known.file, path };
  }
  const own = placed.filter(({ file }) => !isOfProject(file) && file.isOld !== true);
  const usable = own.length > 0 ? own : placed;
  return usable.find(({ path }) => readFileBytes(path).kind !== "missing") ?? usable[0];
}

function serversIn(
  { value, file, isOwn }: Pick<OpenedClient, "value" | "file" | "isOwn">,
  switches: readonly PlacedSwitch[],
  project: string,
): readonly ClientServer[] {
  const isOffIn =
    (folder: string | undefined) =>
    (id: string): boolean =>
      switches.some((one) => counts(one, folder, isOwn) && one.isOff(id));
  const own = entriesAt(value, file, {
    path: file.servers,
    isOfProject: false,
    isOff: isOffIn(isOwn ? undefined : project),
  });
  // Claude Code keeps what is for one folder in the same file.
  const local = entriesAt(value, file, {
    path: ["projects", project, ...file.servers],
    isOfProject: true,
    isOff: isOffIn(project),
  });
  return [...own, ...local];
}

function entriesAt(
  value: unknown,
  { isList }: ClientFile,
  {
    path,
    isOfProject,
    isOff,
  }: {
    readonly path: readonly string[];
    readonly isOfProject: boolean;
    readonly isOff: (id: string) => boolean;
  },
): readonly ClientServer[] {
  const found = valueAt(value, path);
  const entries: readonly (readonly [string, unknown, EditStep])[] =
    isList === true
      ? (Array.isArray(found) ? found : []).flatMap((raw: unknown) => {
          const name = fieldOf(raw, "name");
          return typeof name === "string" ? [[name, raw, { name }] as const] : [];
        })
      : Object.entries(objectOf(found) ?? {}).map(([id, raw]) => [id, raw, id] as const);
  // Tools that a list for all servers excludes are carried with the permissions.
  const settle = settingsOf({ isOff });
  return entries.flatMap(([id, raw, step]) => {
    // Settings beside the servers are no entries.
    if (objectOf(raw) === undefined) return [];
    const carried = carriedOf(settle(id, raw));
    const isOnym = "entry" in carried && startsOnym(id, carried.entry);
    return [{ id, raw, path: [...path, step], carried, isOnym, isOfProject }];
  });
}
