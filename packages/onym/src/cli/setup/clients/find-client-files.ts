// The files of clients that exist on this machine, read.

import { resolve } from "node:path";
import { readTextFile } from "../../../config/files/read-text-file.js";
import type { Client } from "./client.js";
import { type Machine, resolveFile } from "./client-paths.js";
import { CLIENTS } from "./find-client.js";
import { type ReadFile, readClientFile } from "./read-client-file.js";

export interface FoundFile {
  readonly client: Client;
  readonly file: string;
  readonly read: ReadFile;
}

/** In the order in which they count: what belongs to this folder first, then by client. */
export function findClientFiles(machine: Machine): readonly FoundFile[] {
  const seen = new Set<string>();
  const places = CLIENTS.flatMap((client) => client.files.map((at) => ({ client, at })));
  const inProject = places.filter(({ at }) => at.place.startsWith("{project}"));
  const forUser = places.filter(({ at }) => !at.place.startsWith("{project}"));
  return [...inProject, ...forUser].flatMap(({ client, at }) => {
    const file = resolveFile(at, machine);
    // In the home folder, a project's file and the user's own may be one.
    if (seen.has(resolve(file))) return [];
    seen.add(resolve(file));
    const text = readTextFile(file);
    if ("reason" in text) return text.isMissing ? [] : [{ client, file, read: { reason: text.reason } }];
    const read = readClientFile(text.text, { format: at.format, project: machine.project, at });
    // Settings without a word about servers are no find.
    if ("servers" in read && read.servers === undefined) return [];
    return [{ client, file, read }];
  });
}
