// Whose tools are renamed: those behind the gateway of a config, or those of one server where they are made.

import { basename, resolve } from "node:path";
import { buildSnapshot, quoteText, type Snapshot } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { configError } from "../../../config/config-problem.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { didYouMean } from "../../../config/json/near-text.js";
import { readToolsFile } from "../../../config/sections/read-tools.js";
import type { Terminal } from "../../../output/terminal.js";
import { noteLeft } from "../../catalog/left-out.js";
import { type LiveOptions, openLiveSnapshot } from "../../catalog/open-live.js";
import { usageError } from "../../usage-error.js";
import type { NamingContext } from "./build-naming.js";

export interface OpenedMigration extends NamingContext {
  readonly snapshot: Snapshot;
  /** The id of the server, or the alias of the gateway. */
  readonly owner: string;
  readonly as: string;
  /** What the server announces, on its level. */
  readonly serverVersion: string | undefined;
}

interface Asked extends LiveOptions {
  readonly tools?: string;
  readonly server?: string;
  readonly profile?: string;
  readonly as?: string;
  readonly lock?: boolean;
}

/** @throws OnymError for a config, a file or a server that cannot be used. */
export async function openMigrated(options: Asked, terminal: Terminal): Promise<OpenedMigration> {
  if (options.tools !== undefined) return ofFile(options.tools, options, terminal);
  const opened = await openLiveSnapshot(options, terminal);
  const { config, snapshot, isGiven } = opened;
  noteLeft(opened, terminal);
  const profile = options.profile ?? config.naming.profile ?? "universal";
  if (!isGiven && options.server === undefined) {
    const as = options.as ?? config.naming.as ?? DEFAULT_ALIAS;
    return { snapshot, level: "gateway", profile, owner: as, as, serverVersion: undefined };
  }
  const sources = config.servers.map(({ source }) => source);
  const [source, ...others] = sources.filter(({ server }) => isGiven || server === options.server);
  if (source === undefined || others.length > 0)
    throw unknownServer(
      options.server ?? "",
      sources.map(({ server }) => server),
    );
  return {
    snapshot: buildSnapshot([source]),
    level: "server",
    profile,
    owner: source.server,
    as: options.as ?? source.server,
    serverVersion: source.serverVersion,
  };
}

function ofFile(file: string, { profile, as }: Asked, { cwd }: Terminal): OpenedMigration {
  const read = readToolsFile(file, (path) => readTextFile(resolve(cwd, path)), "the current folder");
  if ("problems" in read) throw configError(read.problems);
  const server = basename(file).replace(/\.json$/i, "");
  return {
    snapshot: buildSnapshot([{ server, tools: read.tools }]),
    level: "server",
    profile: profile ?? "universal",
    owner: server,
    as: as ?? server,
    serverVersion: undefined,
  };
}

function unknownServer(id: string, known: readonly string[]) {
  return usageError(
    `The config has no one server ${quoteText(id)}.`,
    `${didYouMean(id, known)}Its servers are ${known.map((one) => quoteText(one)).join(", ")}.`,
  );
}
