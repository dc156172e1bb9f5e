// In which clients of this machine Onym is registered, and which of their files cannot be read.

import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { escapeText } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import type { Machine } from "../../../../clients/client-paths.js";
import { type FoundFile, findClientFiles } from "../../../../clients/find-client.js";
import type { ReadServer } from "../../../../clients/read-client-file.js";
import type { CarriedEntry } from "../../../../clients/server-entry-of.js";
import type { Config } from "../../../../config/config.js";
import { chooseConfig } from "../../../../config/files/find-config.js";
import { configArgument, startsOnym } from "../../../../config/files/onym-entry.js";
import { homeOf } from "../../../../config/files/user-folders.js";
import { showPath } from "../../../../model/show-path.js";
import type { Check } from "../check.js";
import { missingFileOf } from "./missing-file.js";

/** @param config The one that is looked at; `undefined` where there is none. */
export function checkClients(machine: Machine, config?: Config): readonly Check[] {
  const home = homeOf(machine);
  const checks = findClientFiles(machine).flatMap(({ client, file, read }): readonly Check[] => {
    const about = { group: "Clients", name: client.id } as const;
    const shown = showPath(file, machine.project, home);
    if ("reason" in read) {
      const message = `${shown} was not read: ${escapeText(read.reason)}.`;
      return [
        { ...about, status: "warning", message, fix: "Look there by hand whether Onym is registered." },
      ];
    }
    const names = (read.servers ?? []).flatMap(({ id, carried }) =>
      "entry" in carried && startsOnym(id, carried.entry) ? [escapeText(id)] : [],
    );
    if (names.length === 0) return [];
    const found = checkRegistration({ client, file }, read.servers ?? [], { config, machine });
    return [
      { ...about, status: "ok", message: `registered as ${names.join(", ")} in ${shown}` },
      ...found.map((finding) => ({ ...about, status: "warning", ...finding }) as const),
    ];
  });
  if (checks.some(({ status }) => status === "ok")) return checks;
  const message = "Onym is registered in no client that was found on this machine.";
  const fix = "onym connect CLIENT registers it; onym init --client CLIENT prints how.";
  return [...checks, { group: "Clients", name: "registration", status: "warning", message, fix }];
}

/** The profiles of the clients in which Onym is registered. */
export function connectedProfiles(machine: Machine): readonly string[] {
  return findClientFiles(machine).flatMap(({ client, read }) => {
    const servers = "reason" in read ? [] : (read.servers ?? []);
    const isConnected = servers.some(
      ({ id, carried }) => "entry" in carried && startsOnym(id, carried.entry),
    );
    return isConnected ? [client.profile ?? client.id] : [];
  });
}

// A client in which Onym is registered: whether it has servers twice, and whether Onym will find its config there.

interface Finding {
  readonly message: string;
  readonly fix: string;
}

function checkRegistration(
  { client, file }: Pick<FoundFile, "client" | "file">,
  servers: readonly ReadServer[],
  { config, machine }: { readonly config: Config | undefined; readonly machine: Machine },
): readonly Finding[] {
  const show = (path: string): string => showPath(path, machine.project, homeOf(machine));
  const connect = `onym connect ${client.id}${isInFolder(file, machine.project) ? ` --file ${show(file)}` : ""}`;
  const entries = servers.flatMap(({ id, carried }) =>
    "entry" in carried ? [{ id, entry: carried.entry }] : [],
  );
  const own = entries.filter(({ id, entry }) => startsOnym(id, entry));
  const others = entries.filter((one) => !own.includes(one) && one.entry.disabled !== true);
  const twice = config === undefined ? [] : others.filter((one) => isServed(one, config));
  const apart = others.filter((one) => !twice.includes(one));
  const dead = apart.flatMap(({ id, entry }) => {
    const missing = missingFileOf(entry);
    return missing === undefined ? [] : [{ id, missing }];
  });
  const beside = apart.filter(({ id }) => !dead.some((one) => one.id === id));
  const lost = own.filter(({ entry }) => !findsConfig(entry, file, machine));
  const gone = own.flatMap(({ id, entry }) => {
    const named = configArgument(entry.args ?? []);
    return named !== undefined && isAbsolute(named) && !existsSync(named) ? [{ id, named }] : [];
  });
  return [
    ...(twice.length === 0
      ? []
      : [
          {
            message: `has these servers beside Onym, and their tools twice: ${twice.map(({ id }) => escapeText(id)).join(", ")}`,
            fix: "Take them out there; Onym serves them.",
          },
        ]),
    ...(beside.length === 0
      ? []
      : [
          {
            message: `starts these servers itself, so their tools have no names from Onym: ${beside.map(({ id }) => escapeText(id)).join(", ")}`,
            fix: `${connect} moves those that start, and says why another cannot.`,
          },
        ]),
    ...dead.map(({ id, missing }) => ({
      message: `cannot start its own server ${escapeText(id)}: there is no ${show(missing)}`,
      fix: `Correct it in ${show(file)}, or take it out there.`,
    })),
    ...gone.map(({ id, named }) => ({
      message: `${escapeText(id)} is started with ${show(named)}, which does not exist`,
      fix: `${connect} registers it with your own config.`,
    })),
    ...lost.map(({ id }) => ({
      message: `${escapeText(id)} is started without --config, and may find no config where the client starts it`,
      fix: `Register it with --config; onym init --client ${client.id} prints how.`,
    })),
  ];
}

/** By what is started or connected to, or by its id. */
function isServed(
  { id, entry }: { readonly id: string; readonly entry: CarriedEntry },
  config: Config,
): boolean {
  const launch = launchText(entry);
  return config.servers.some(
    ({ source, entry: served }) => source.server === id || launchText(served) === launch,
  );
}

function launchText(entry: {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly url?: string | undefined;
}): string {
  const { command = null, args = [], url = null } = entry;
  return canonicalJson([command, [...args], url]);
}

/** What is for one project is started there; what is for the user, anywhere. */
function findsConfig(entry: CarriedEntry, file: string, { project, env }: Machine): boolean {
  if (entry.command === undefined || configArgument(entry.args ?? []) !== undefined) return true;
  const folder = isInFolder(file, project) ? project : undefined;
  const start = entry.cwd === undefined ? folder : resolve(project, entry.cwd);
  return start !== undefined && chooseConfig({ env, cwd: start }) !== undefined;
}

function isInFolder(file: string, folder: string): boolean {
  const near = relative(folder, file);
  return !near.startsWith("..") && !isAbsolute(near);
}
