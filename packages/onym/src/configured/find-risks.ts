// What of a config is open to others: whether other users of this machine can read the key or change the config, which
// decides what Onym starts, whether servers run without isolation, and whether callers prove who they are (SAFE-7).

import { statSync } from "node:fs";
import { quoteText } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import type { Config, ConfigServer } from "../config/config.js";
import { isIsolated } from "../config/launches/place-server.js";
import { showPath } from "../model/show-path.js";
import { joinWords } from "../output/wording.js";
import { policyOf } from "./policy-of.js";

export interface Risk {
  /** For people; foreign text in it is escaped already. */
  readonly message: string;
  readonly fix: string;
}

/** On many systems each user has a group of its own, which may write: that alone harms nobody. */
const ALL_MAY_WRITE = 0o002;
const OTHERS_MAY_READ = 0o044;
const OTHERS_MAY_WRITE = 0o022;

/** Nothing on platforms whose files have no such modes. */
export function findOpenFiles(files: {
  readonly config: string;
  /** The key for kept tokens, where there is one. */
  readonly key: string | undefined;
}): readonly Risk[] {
  if (process.platform === "win32") return [];
  return [
    ...findOpenModes(files.config, "The config", ALL_MAY_WRITE),
    ...(files.key === undefined
      ? []
      : findOpenModes(files.key, "The key for kept tokens", OTHERS_MAY_READ | OTHERS_MAY_WRITE)),
  ];
}

function findOpenModes(file: string, what: string, bits: number): readonly Risk[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  const found = mode & bits;
  if (found === 0) return [];
  const can =
    (found & OTHERS_MAY_WRITE) === 0
      ? "read"
      : (found & OTHERS_MAY_READ) === 0
        ? "change"
        : "read and change";
  const shown = showPath(file);
  return [
    {
      message: `${what} ${shown} has the mode ${(mode & 0o777).toString(8).padStart(4, "0")}: others on this machine can ${can} it.`,
      fix: `chmod ${bits === ALL_MAY_WRITE ? "o-w" : "600"} ${shown}`,
    },
  ];
}

// Servers that policy asks about although they could answer for themselves: they run as the user, with nothing in between
// (SAFE-7).

/** `undefined` where policy never asks, or asks only about servers that are isolated or run elsewhere. */
export function findUnisolated(config: Config): Risk | undefined {
  const servers = askedServers(config).filter(isUnisolated);
  if (servers.length === 0) return undefined;
  const names = namesOf(servers);
  return {
    message:
      servers.length === 1
        ? `${names} runs as your user and could approve its own calls.`
        : `${names} run as your user and could approve their own calls.`,
    fix: `Set "isolation": ${HELP}`,
  };
}

/**
 * Whether calls that policy asks about can come from any program that can connect, as HTTP without `auth` has it: also from
 * servers that isolation keeps from Onym's files. `undefined` where policy never asks, or callers are authenticated.
 */
export function findUnauthenticated(config: Config): Risk | undefined {
  if (config.auth !== undefined || askedServers(config).length === 0) return undefined;
  const isolated = config.servers.filter(isIsolated);
  return {
    message:
      isolated.length === 0
        ? 'Over HTTP, every program on this machine can call this gateway and approve its own calls, because the config has no "auth".'
        : `Over HTTP, every program on this machine can call this gateway as your clients do, ${namesOf(isolated)} included, because the config has no "auth": approvals hold for it, too, and no client is asked for them, only onym approve and the console.`,
    fix: 'Run onym token NAME and add what it prints to "auth", or let clients start onym serve --stdio.',
  };
}

function askedServers(config: Config): readonly ConfigServer[] {
  const policy = policyOf(config);
  return config.servers.filter(({ source }) =>
    buildCatalog([{ ...source, tools: [] }]).servers.some((owner) => policy.mayAsk(owner)),
  );
}

function namesOf(servers: readonly ConfigServer[]): string {
  const shown = servers.slice(0, MAX_SHOWN).map(({ source }) => quoteText(source.server));
  const more = servers.length - shown.length;
  return joinWords([...shown, ...(more > 0 ? [`${more} more`] : [])]);
}

const MAX_SHOWN = 5;
const HELP = "https://github.com/onym/onym/blob/main/docs/config.md#how-servers-are-reached";

function isUnisolated({ entry: { command, isolation = "none", disabled } }: ConfigServer): boolean {
  return command !== undefined && isolation === "none" && disabled !== true;
}
