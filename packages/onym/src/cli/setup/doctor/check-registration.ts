// A client in which Onym is registered: whether it has servers twice, and whether Onym will find its config there.

import { isAbsolute, relative, resolve } from "node:path";
import { canonicalJson, escapeText } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { chooseConfig } from "../../../config/files/find-config.js";
import { configArgument } from "../../catalog/live-loop.js";
import type { Machine } from "../clients/client-paths.js";
import type { FoundFile } from "../clients/find-client-files.js";
import type { ReadServer } from "../clients/read-client-file.js";
import type { CarriedEntry } from "../clients/server-entry-of.js";
import { startsOnym } from "../clients/starts-onym.js";

interface Finding {
  readonly message: string;
  readonly fix: string;
}

export function checkRegistration(
  { client, file }: Pick<FoundFile, "client" | "file">,
  servers: readonly ReadServer[],
  { config, machine }: { readonly config: Config | undefined; readonly machine: Machine },
): readonly Finding[] {
  const entries = servers.flatMap(({ id, carried }) =>
    "entry" in carried ? [{ id, entry: carried.entry }] : [],
  );
  const own = entries.filter(({ id, entry }) => startsOnym(id, entry));
  const others = entries.filter((one) => !own.includes(one) && one.entry.disabled !== true);
  const twice = config === undefined ? [] : others.filter((one) => isServed(one, config));
  const lost = own.filter(({ entry }) => !findsConfig(entry, file, machine));
  return [
    ...(twice.length === 0
      ? []
      : [
          {
            message: `has these servers beside Onym, and their tools twice: ${twice.map(({ id }) => escapeText(id)).join(", ")}`,
            fix: "Take them out there; Onym serves them.",
          },
        ]),
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
  const near = relative(project, file);
  const folder = near.startsWith("..") || isAbsolute(near) ? undefined : project;
  const start = entry.cwd === undefined ? folder : resolve(project, entry.cwd);
  return start !== undefined && chooseConfig({ env, cwd: start }) !== undefined;
}
