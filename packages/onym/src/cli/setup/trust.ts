// onym trust: shows what a config found in a folder starts and connects to, and trusts exactly that (CFG-6).

import { dirname, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { ClientFile } from "../../clients/client.js";
import { type Machine, resolveFile } from "../../clients/client-paths.js";
import { CLIENTS } from "../../clients/find-client.js";
import type { Config } from "../../config/config.js";
import { type ConfigPlace, chooseConfig } from "../../config/files/find-config.js";
import { createFileReader } from "../../config/files/read-text-file.js";
import { recordTrust, withoutTrusted } from "../../config/files/trust.js";
import { loadUntrusted, readChosenConfig } from "../../config/load-config.js";
import {
  countTrusted,
  digestsOf,
  formatUntrusted,
  isAgreed,
  type Trusted,
  untrustedIn,
} from "../../configured/ask-for-trust.js";
import { OnymError } from "../../model/onym-error.js";
import { showPath } from "../../model/show-path.js";
import type { ExitCode } from "../../output/show-error.js";
import { CANNOT_ASK, isInteractive, type Terminal, writeJson } from "../../output/terminal.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { usageError } from "../usage-error.js";
import { type OpenedClient, openClient } from "./connect/open-client.js";
import { launchesOf } from "./connect/trust-client-file.js";

interface TrustOptions {
  readonly yes?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

export const defineTrust: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("[file]", "the config (default: the one found in this folder)")
    .option("--yes", "trust it without being asked")
    .option("--undo", "take the trust back");
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nA config that Onym finds in a folder starts nothing before you trust it; one that you name with --config does.\n" +
        "A launch that changes later has to be trusted again.\n\n" +
        "Examples:\n  onym trust\n  onym trust --yes\n  onym trust --undo",
    )
    .action((file: string | undefined, options: TrustOptions) => run(() => trust(file, options, terminal)));
};

async function trust(
  named: string | undefined,
  options: TrustOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { env, cwd } = terminal;
  const { file, all, untrusted } = readClientLaunches(named, terminal) ?? readConfigLaunches(named, terminal);
  const shownFile = showPath(file, cwd);
  if (options.undo === true) {
    recordTrust(digestsOf(all), { env, change: "forget" });
    return report("untrusted", { trusted: all, shownFile, options }, terminal);
  }
  if (digestsOf(untrusted).length === 0)
    return report("trusted", { trusted: all, shownFile, options }, terminal);
  const isAsked = options.yes !== true && options.json !== true;
  if (isAsked && !isInteractive(terminal)) {
    terminal.err(`${formatUntrusted(untrusted, shownFile)}\n`);
    throw usageError(CANNOT_ASK, "Check the launches, then use --yes to trust them.");
  }
  const isTrusted = options.yes === true || (isAsked && (await isAgreed(untrusted, shownFile, terminal)));
  if (!isTrusted) return report("untrusted", { trusted: untrusted, shownFile, options }, terminal);
  recordTrust(digestsOf(untrusted), { env, change: "trust" });
  return report("trusted", { trusted: all, shownFile, options }, terminal);
}

interface ReadLaunches {
  readonly file: string;
  readonly all: Trusted;
  readonly untrusted: Trusted;
}

function readConfigLaunches(file: string | undefined, terminal: Terminal): ReadLaunches {
  const { env, cwd } = terminal;
  const config = readAsFound({ file, env, cwd });
  const place = { folder: config.folder, env, read: createFileReader() };
  const all = { place, servers: config.servers.filter(({ runs }) => runs), sections: config.sections };
  return { file: config.file, all, untrusted: untrustedIn(config, place) };
}

/** Naming a file here is no trust in it: no variable is filled in, and no file outside of its folder is read. */
function readAsFound(place: ConfigPlace): Config {
  const choice = place.file === undefined ? undefined : chooseConfig(place);
  return choice === undefined
    ? { ...loadUntrusted(place), origin: "found" }
    : readChosenConfig({ ...choice, origin: "found" }, place);
}

/** The keys under which a config has its servers. */
const CONFIG_KEYS: ReadonlySet<string | undefined> = new Set(["mcpServers", "servers"]);

/** Of a client's file that is no config, which `onym connect` reads: `undefined` for all others. */
function readClientLaunches(named: string | undefined, { env, cwd }: Terminal): ReadLaunches | undefined {
  if (named === undefined) return undefined;
  const machine = { platform: process.platform, env, project: cwd };
  const isConfig = ({ format, servers }: ClientFile): boolean =>
    format === "json" && CONFIG_KEYS.has(servers[0]);
  const isPlace = (file: ClientFile): boolean => resolve(resolveFile(file, machine)) === resolve(cwd, named);
  const client = CLIENTS.find(({ files }) => files.some((file) => isPlace(file) && !isConfig(file)));
  const opened =
    client === undefined ? findClientFile(named, machine, isConfig) : openClient(client, machine, named);
  if (opened === undefined) return undefined;
  const servers = launchesOf(opened, opened.servers);
  const place = { folder: dirname(resolve(opened.path)), env, read: createFileReader() };
  return {
    file: named,
    all: { place, servers, sections: [] },
    untrusted: { place, servers: [...withoutTrusted(servers, place).keys()], sections: [] },
  };
}

/** At a place that no client uses: the first client that has servers in it. */
function findClientFile(
  named: string,
  machine: Machine,
  isConfig: (file: ClientFile) => boolean,
): OpenedClient | undefined {
  for (const client of CLIENTS) {
    if (!client.files.some((file) => named.endsWith(`.${file.format}`) && !isConfig(file))) continue;
    try {
      const opened = openClient(client, machine, named);
      if (opened.servers.length > 0 && !isConfig(opened.file)) return opened;
    } catch (error) {
      if (!(error instanceof OnymError)) throw error;
    }
  }
  return undefined;
}

async function report(
  status: "trusted" | "untrusted",
  {
    trusted,
    shownFile,
    options,
  }: { readonly trusted: Trusted; readonly shownFile: string; readonly options: TrustOptions },
  terminal: Terminal,
): Promise<ExitCode> {
  const isFine = status === "trusted" || options.undo === true;
  const { servers, sections } = trusted;
  if (options.json === true)
    await writeJson(terminal, {
      file: shownFile,
      status,
      servers: servers.map(({ source }) => ({
        server: source.server,
        ...(source.toolbox === undefined ? {} : { toolbox: source.toolbox }),
      })),
      ...(sections.length === 0 ? {} : { sections: sections.map(({ name }) => name) }),
    });
  else if (digestsOf(trusted).length === 0)
    await terminal.out(`${shownFile} starts nothing, so there is nothing to trust.\n`);
  else {
    const shown = `${countTrusted(trusted)} of ${shownFile}`;
    const names = servers.map(({ source }) => quoteText(source.server)).join(", ");
    const which = names === "" ? "" : `: ${names}`;
    await terminal.out(
      status === "trusted"
        ? `${terminal.paint("green", "✓")} ${shown} trusted${which}.\n`
        : `${shown} not trusted${which}.\n`,
    );
  }
  return isFine ? 0 : 1;
}
