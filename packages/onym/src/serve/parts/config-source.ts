// The config of a gateway that starts: chosen once, read, trusted and checked, with the notes for its user.

import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { Config } from "../../config/config.js";
import { chooseConfig } from "../../config/files/find-config.js";
import { checkSections, trustFileOf } from "../../config/files/trust.js";
import { loadChosenConfig, loadConfig, readChosenConfig } from "../../config/load-config.js";
import { keyPlaceOf } from "../../configured/credential-source.js";
import { findOpenFiles, findUnauthenticated, findUnisolated } from "../../configured/find-risks.js";
import { loadLock, lockFileOf } from "../../configured/lock-file.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import type { GatewaySettings } from "../../gateway/settings.js";
import { showPath } from "../../model/show-path.js";
import { showNote, showNotes } from "../../output/show-note.js";
import { isInteractive, type Terminal } from "../../output/terminal.js";
import { loadDemoConfig } from "../demo-config.js";
import type { LogOutput } from "../log-output.js";
import { stampOf } from "../watch-config.js";
import { gatewaySettingsOf } from "./gateway-settings.js";

export interface ConfigSourceOptions {
  readonly config?: string;
  readonly demo?: boolean;
  readonly stdio?: boolean;
  readonly logJson?: boolean;
  readonly profile?: string;
  readonly as?: string;
}

export interface ConfigSource {
  /** As it was at the start, like its settings. */
  readonly config: Config;
  readonly settings: GatewaySettings;
  readonly isDemo: boolean;
  /** `undefined` for the demo, which has none. */
  readonly file: WatchedFile | undefined;
  /** The file that lists which configs the user trusts. */
  readonly trustFile: WatchedFile;
  /** The file as its user would write it. */
  readonly shownFile: string;
  /** Reads it again. @throws OnymError if it is invalid, or no longer trusted. */
  readonly read: () => Config;
}

interface WatchedFile {
  readonly path: string;
  /** Of the file as it was read. */
  readonly stamp: string;
}

/** @throws OnymError if there is no config, or it cannot be used. Starts nothing. */
export async function openConfigSource(
  options: ConfigSourceOptions,
  output: LogOutput,
): Promise<ConfigSource> {
  const { terminal } = output;
  const place = { file: options.config, env: terminal.env, cwd: terminal.cwd };
  // Chosen once: whatever happens to it, no other file replaces it (CFG-4).
  const choice = chooseConfig(place);
  const isDemo = choice === undefined && options.demo === true;
  const demo = isDemo ? loadDemoConfig(terminal.env) : undefined;
  const file = choice === undefined ? undefined : watchedFile(resolve(terminal.cwd, choice.file));
  const trustPath = trustFileOf(terminal.env);
  const read = (): Config => (choice === undefined ? loadConfig(place) : readChosenConfig(choice, place));
  let config = demo ?? read();
  const shownFile = showPath(config.file, terminal.cwd);
  // Over stdio a client is connected, and there is no user to ask.
  if (options.stdio !== true && options.logJson !== true && isInteractive(terminal)) {
    const { askForTrust } = await import("../../configured/ask-for-trust.js");
    // What is trusted now may have more to say.
    if (await askForTrust(config, shownFile, terminal)) config = read();
  }
  checkSections(config, terminal.env);
  const trustFile = watchedFile(trustPath);
  const settings = gatewaySettingsOf(config, terminal.env, options);
  checkIdentities(config, isDemo, terminal);
  showNotes(config.notes, terminal);
  if (choice?.note !== undefined) showNote(choice.note, terminal);
  noteLeftOut(config, settings, terminal);
  if (isDemo)
    showNote(
      "there is no config yet, so this is a demo with three real servers. onym connect CLIENT puts your own behind Onym.",
      terminal,
    );
  else {
    warnOfRisks(config, options, output);
    output.say(`config ${shownFile}`, { config: shownFile });
  }
  return {
    config,
    settings,
    isDemo,
    file,
    trustFile,
    shownFile,
    read: () => demo ?? (choice === undefined ? loadConfig(place) : loadChosenConfig(choice, place)),
  };
}

/** Take it before the file is read. */
function watchedFile(path: string): WatchedFile {
  return { path, stamp: stampOf(path) };
}

/** Checks for conflicts, such as two servers with one integration, before anything starts (CFG-2). */
function checkIdentities(config: Config, isDemo: boolean, terminal: Terminal): void {
  snapshotOf(config, { lock: isDemo ? undefined : loadLock(lockFileOf(config)), today: terminal.today });
}

function noteLeftOut(config: Config, { servers }: GatewaySettings, terminal: Terminal): void {
  const served = new Set(servers.map(({ source }) => source));
  for (const { source } of config.servers) {
    if (!served.has(source)) showNote(`${quoteText(source.server)} is Onym itself, and left out.`, terminal);
  }
}

function warnOfRisks(
  config: Config,
  { stdio }: ConfigSourceOptions,
  { terminal: { cwd, env }, warn }: LogOutput,
): void {
  const files = { config: resolve(cwd, config.file), key: keyPlaceOf(config, env).file };
  const risks = [
    findUnisolated(config),
    stdio === true ? undefined : findUnauthenticated(config),
    ...findOpenFiles(files),
  ];
  for (const risk of risks) if (risk !== undefined) warn(`${risk.message} ${risk.fix}`);
}
