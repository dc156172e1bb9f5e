// What `onym connect` wrote, so that it can be undone: for each client its steps in order in the user's state folder, each with the
// files as they were and as they were written. Only the user may read it.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { userStateFolder } from "../../../../config/files/user-folders.js";
import type { Environment } from "../../../../config/json/expand-variables.js";
import { readFileBytes, replaceFile } from "../../../../documents/replace-file.js";

export interface RecordedFile {
  /** Absolute. */
  readonly file: string;
  readonly role: "client" | "config";
  readonly format: "json" | "toml" | "yaml";
  /** `undefined` where there was none. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

export interface ConnectStep {
  /** Where it is kept. */
  readonly folder: string;
  readonly files: readonly RecordedFile[];
}

interface StoredFile {
  readonly file: string;
  readonly role: "client" | "config";
  readonly format: "json" | "toml" | "yaml";
  readonly before: string | undefined;
  readonly after: string;
}

function folderOf(client: string, env: Environment): string {
  return join(userStateFolder({ platform: process.platform, env }), "connect", client);
}

function keptFolder(env: Environment): string {
  return join(userStateFolder({ platform: process.platform, env }), "connect-config");
}

/** Before anything else is written. @throws OnymError `file-unwritable`. */
export function recordStep(client: string, files: readonly RecordedFile[], env: Environment): string {
  return writeStep(folderOf(client, env), client, files);
}

/**
 * What a client wrote to the config of Onym, which other clients use still: whoever is undone last takes it back. @throws OnymError
 * `file-unwritable`.
 */
export function keepConfigChanges(client: string, { files }: ConnectStep, env: Environment): void {
  const changes = files.filter(({ role }) => role === "config");
  if (changes.length > 0) writeStep(keptFolder(env), client, changes);
}

/** In the order in which they were kept. */
export function loadKeptConfigChanges(env: Environment): readonly ConnectStep[] {
  return loadStepsIn(keptFolder(env));
}

function writeStep(root: string, client: string, files: readonly RecordedFile[]): string {
  const number = (listNumbers(root).at(-1) ?? 0) + 1;
  const folder = join(root, String(number));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stored = files.map(({ file, role, format, before, after }, index): StoredFile => {
    const name = `${index}-${basename(file)}`;
    if (before !== undefined) replaceFile(join(folder, name), before);
    replaceFile(join(folder, `${name}.written`), after);
    return { file, role, format, before: before === undefined ? undefined : name, after: `${name}.written` };
  });
  replaceFile(join(folder, "record.json"), `${JSON.stringify({ client, files: stored }, null, 2)}\n`);
  return folder;
}

/** Those that can be read, the first first. */
export function loadSteps(client: string, env: Environment): readonly ConnectStep[] {
  return loadStepsIn(folderOf(client, env));
}

function loadStepsIn(root: string): readonly ConnectStep[] {
  return listNumbers(root).flatMap((number) => loadStep(join(root, String(number))) ?? []);
}

function loadStep(folder: string): ConnectStep | undefined {
  const record = readFileBytes(join(folder, "record.json"));
  if (record.kind !== "bytes") return undefined;
  try {
    const { files }: { readonly files: readonly StoredFile[] } = JSON.parse(record.text);
    const loaded = files.map(({ file, role, format, before, after }): RecordedFile => {
      const bytesOf = (name: string): Buffer => {
        const read = readFileBytes(join(folder, basename(name)));
        if (read.kind !== "bytes") throw new Error(name);
        return read.bytes;
      };
      return {
        file,
        role,
        format,
        before: before === undefined ? undefined : bytesOf(before),
        after: bytesOf(after),
      };
    });
    return { folder, files: loaded };
  } catch {
    return undefined;
  }
}

/** The ids of clients that have something to undo. */
export function connectedClients(env: Environment): readonly string[] {
  try {
    return readdirSync(folderOf("", env))
      .filter((client) => loadSteps(client, env).length > 0)
      .sort();
  } catch {
    return [];
  }
}

/** They use the config, too. */
export function otherConnected(client: string, env: Environment): readonly string[] {
  return connectedClients(env).filter((other) => other !== client);
}

export function forgetStep({ folder }: ConnectStep): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The steps in a folder, in order. */
function listNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{1,9}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}
