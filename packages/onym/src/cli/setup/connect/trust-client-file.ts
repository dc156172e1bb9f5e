// The servers of a client's file that is not the user's own: somebody else may have put it into the project, so nothing in it is
// started before it is trusted (CFG-6).

import { dirname, resolve } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import { createFileReader } from "../../../config/files/read-text-file.js";
import { digestLaunch, digestsToTrust, recordTrust, withoutTrusted } from "../../../config/files/trust.js";
import { hasLaunchOf } from "../../../config/launches/entry-launch.js";
import { describeLaunch, type TrustedLaunch } from "../../../configured/describe-launch.js";
import { OnymError } from "../../../model/onym-error.js";
import { confirm, isInteractive, type Terminal } from "../../../output/terminal.js";
import { countNoun, pathFromHere, shellWord } from "../../../output/wording.js";
import type { ClientServer, OpenedClient } from "./open-client.js";

export interface ClientLaunch extends TrustedLaunch {
  readonly server: ClientServer;
}

/** What the servers of a file start and connect to. Onym itself is none of them. */
export function launchesOf(
  { path }: Pick<OpenedClient, "path">,
  servers: readonly ClientServer[],
): readonly ClientLaunch[] {
  const folder = dirname(resolve(path));
  return servers.flatMap((server): readonly ClientLaunch[] => {
    const { id, raw, carried, isOnym } = server;
    if (isOnym || !("entry" in carried)) return [];
    const { entry } = carried;
    if (entry.command === undefined && entry.url === undefined) return [];
    // One trust for a file that is a config, too: only where all of the entry is carried. Else it is for what is carried.
    const written = hasLaunchOf(raw, entry) ? raw : entry;
    return [{ server, source: { server: id }, entry, written, launchDigest: digestLaunch(folder, written) }];
  });
}

/** As people can copy it. */
export function trustCommand({ path }: Pick<OpenedClient, "path">, { cwd }: Pick<Terminal, "cwd">): string {
  return `onym trust ${escapeText(shellWord(pathFromHere(path, cwd)))}`;
}

/**
 * The servers that may not be started: at a terminal, after their user was asked about them; in a dry run nobody is asked.
 *
 * @throws OnymError `config-untrusted` where somebody would have to be asked, and nobody is there.
 */
export async function findUntrustedServers(
  opened: OpenedClient,
  {
    servers,
    dryRun,
    json,
  }: {
    readonly servers: readonly ClientServer[];
    readonly dryRun?: boolean | undefined;
    readonly json?: boolean | undefined;
  },
  terminal: Terminal,
): Promise<ReadonlySet<ClientServer>> {
  const { shown, isOwn, client } = opened;
  const place = { folder: dirname(resolve(opened.path)), env: terminal.env, read: createFileReader() };
  const untrusted = isOwn ? [] : [...withoutTrusted(launchesOf(opened, servers), place).keys()];
  const left = new Set(untrusted.map(({ server }) => server));
  if (dryRun === true || untrusted.length === 0) return left;
  const count = countNoun(untrusted.length, "server");
  const lines = untrusted.flatMap((launch) => describeLaunch(launch, place));
  terminal.err(
    `${shown} is not your own file of ${client.title}, and has ${count} that nobody trusted yet:\n${lines.join("\n")}\n`,
  );
  if (json === true || !isInteractive(terminal)) {
    const ids = untrusted.map(({ source }) => quoteText(source.server)).join(", ");
    throw new OnymError(
      "config-untrusted",
      `Nobody has trusted ${ids} of ${shown} yet, so nothing was started or changed.`,
      `Look at it and trust it: ${trustCommand(opened, terminal)}, or onym connect ${client.id} at a terminal. --dry-run starts nothing.`,
    );
  }
  if (!(await confirm("Trust these launches?", terminal))) return left;
  recordTrust(digestsToTrust(untrusted, place), { env: terminal.env, change: "trust" });
  return new Set();
}
