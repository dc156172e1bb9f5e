// What a config found in a folder starts and connects to that nobody trusted yet: shown, asked about, recorded (CFG-6).

import { escapeText } from "@onym/core";
import type { Config, ConfigSection } from "../config/config.js";
import { createFileReader } from "../config/files/read-text-file.js";
import {
  digestsToTrust,
  findUntrusted,
  findUntrustedSections,
  type LaunchPlace,
  recordTrust,
} from "../config/files/trust.js";
import { confirm, type Terminal } from "../output/terminal.js";
import { countNoun } from "../output/wording.js";
import { describeLaunch, type TrustedLaunch } from "./describe-launch.js";

/** What of a config has to be trusted, or is. */
export interface Trusted {
  readonly place: LaunchPlace;
  readonly servers: readonly TrustedLaunch[];
  readonly sections: readonly ConfigSection[];
}

export function untrustedIn(config: Config, place: LaunchPlace): Trusted {
  return {
    place,
    servers: [...findUntrusted(config, place.env, place.read).keys()],
    sections: findUntrustedSections(config, place.env),
  };
}

export function digestsOf({ place, servers, sections }: Trusted): readonly string[] {
  return [...digestsToTrust(servers, place), ...sections.map(({ digest }) => digest)];
}

/**
 * Shows what nobody trusted yet, asks, and records the answer; whether there is more that is trusted now. Only where somebody
 * is there to answer.
 */
export async function askForTrust(config: Config, shownFile: string, terminal: Terminal): Promise<boolean> {
  const place = { folder: config.folder, env: terminal.env, read: createFileReader() };
  const untrusted = untrustedIn(config, place);
  const digests = digestsOf(untrusted);
  if (digests.length === 0 || !(await isAgreed(untrusted, shownFile, terminal))) return false;
  recordTrust(digests, { env: terminal.env, change: "trust" });
  return true;
}

export async function isAgreed(untrusted: Trusted, shownFile: string, terminal: Terminal): Promise<boolean> {
  terminal.err(`${formatUntrusted(untrusted, shownFile)}\n`);
  return confirm(untrusted.sections.length === 0 ? "Trust these launches?" : "Trust this?", terminal);
}

export function formatUntrusted(untrusted: Trusted, shownFile: string): string {
  return [
    `${shownFile} was found in this folder and has ${countTrusted(untrusted)} that nobody trusted yet:`,
    ...untrusted.servers.flatMap((launch) => describeLaunch(launch, untrusted.place)),
    ...untrusted.sections.flatMap(({ name, shown }) => [`  "${name}"`, `    ${escapeText(shown)}`]),
  ].join("\n");
}

/** `2 servers and "store"` */
export function countTrusted({ servers, sections }: Trusted): string {
  return [
    ...(servers.length === 0 ? [] : [countNoun(servers.length, "server")]),
    ...sections.map(({ name }) => `"${name}"`),
  ].join(" and ");
}
