// onym doctor: what is wrong with the setup, and how to fix it.

import { resolve } from "node:path";
import type { Machine } from "../../clients/client-paths.js";
import type { Config } from "../../config/config.js";
import { configPath } from "../../config/files/config-path.js";
import { chooseConfig } from "../../config/files/find-config.js";
import { describeNoConfig, loadChosenConfig } from "../../config/load-config.js";
import { keyPlaceOf } from "../../configured/credential-source.js";
import { type RunningGateway, runningGateways } from "../../configured/running-addresses.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import { realConfigPath } from "../../control/registration.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../model/default-address.js";
import { createLog } from "../../model/log.js";
import { showPath } from "../../model/show-path.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import { noteWhichConfig } from "../catalog/config-here.js";
import { buildLiveConfig } from "../catalog/live-config.js";
import { loadLiveServers } from "../catalog/live-servers.js";
import type { DefineCommand } from "../command.js";
import { listedItems } from "../decisions/item-of.js";
import { createHiddenTools, explainHidden } from "../names/hidden-tools.js";
import { explainAlias, takenAlias } from "../names/taken-alias.js";
import { addJsonOption } from "../options.js";
import { connectedClients } from "./connect/undo/connect-record.js";
import { type Check, countChecks } from "./doctor/check.js";
import { checkLock, loadLockOf } from "./doctor/check-lock.js";
import { checkModes } from "./doctor/check-modes.js";
import { checkNames } from "./doctor/check-names.js";
import { checkNode } from "./doctor/check-node.js";
import { checkPolicy } from "./doctor/check-policy.js";
import { checkPort } from "./doctor/check-port.js";
import { checkServer, reportServer, type ServerReport } from "./doctor/check-servers.js";
import { checkStore } from "./doctor/check-store.js";
import { checkClientAddresses } from "./doctor/clients/check-client-addresses.js";
import { checkClients, connectedProfiles } from "./doctor/clients/check-clients.js";
import { formatChecks } from "./doctor/format-checks.js";

interface DoctorOptions {
  readonly config?: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly version: string;
}

interface Examined {
  readonly checks: readonly Check[];
  readonly servers: readonly ServerReport[];
}

export const defineDoctor: DefineCommand = (command, { terminal, run, version }) => {
  command
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
    .option("--verbose", "log more of what servers do, on stderr");
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nStarts every server of the config once, and ends it again.\n\nExamples:\n  onym doctor\n  onym doctor --verbose\n  onym doctor --config other.json --json",
    )
    .action((options: Omit<DoctorOptions, "version">) =>
      run(() => examine({ ...options, version }, terminal)),
    );
};

async function examine(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { env, cwd } = terminal;
  const place = { file: options.config, env, cwd };
  const choice = chooseConfig(place);
  const config = choice === undefined ? undefined : loadChosenConfig(choice, place);
  const which = config === undefined || options.json === true ? undefined : noteWhichConfig(config, terminal);
  if (which !== undefined) showNote(which, terminal);
  const ofConfig =
    config === undefined
      ? { checks: [withoutConfig(place)], servers: [] }
      : await examineConfig(config, options, terminal);
  const checks: readonly Check[] = [
    checkNode(process.versions.node),
    ...ofConfig.checks,
    ...checkClients(machineOf(terminal), config),
    ...(await checkGateways(config, terminal)),
  ];
  if (options.json === true)
    await writeJson(terminal, {
      checks: checks.map(({ name, status, message, fix }) => ({ name, status, message, fix })),
      servers: ofConfig.servers,
    });
  else await terminal.out(`${formatChecks(checks, terminal).join("\n")}\n`);
  return countChecks(checks, "error") > 0 ? 1 : 0;
}

function machineOf({ env, cwd }: Terminal): Machine {
  return { platform: process.platform, env, project: cwd };
}

/** Where clients connect to, and the gateways of this config that run, else where one would listen. */
async function checkGateways(config: Config | undefined, terminal: Terminal): Promise<readonly Check[]> {
  const file = config === undefined ? undefined : configPath(config);
  const gateways = await runningGateways(terminal.env);
  const ofClients = await checkClientAddresses(machineOf(terminal), { config: file, gateways });
  return [...ofClients, ...(await checkPorts(file, gateways))];
}

async function checkPorts(
  config: string | undefined,
  gateways: readonly RunningGateway[],
): Promise<readonly Check[]> {
  const own = config === undefined ? undefined : realConfigPath(config);
  const running = gateways.filter((one) => realConfigPath(one.config) === own).map(({ url }) => new URL(url));
  if (running.length === 0) {
    const other = gateways.find(({ url }) => new URL(url).port === String(DEFAULT_PORT));
    return [await checkPort({ host: DEFAULT_HOST, port: DEFAULT_PORT, isOwn: false, config: other?.config })];
  }
  return Promise.all(
    running.map(({ hostname, port }) => checkPort({ host: hostname, port: Number(port) || 80, isOwn: true })),
  );
}

function withoutConfig(place: Parameters<typeof describeNoConfig>[0]): Check {
  const [connected] = connectedClients(place.env);
  return {
    group: "Onym",
    name: "config",
    status: "error",
    message: describeNoConfig(place),
    fix:
      connected === undefined
        ? "onym connect CLIENT writes a first one, with the servers of that client, and onym add NAME -- COMMAND one with a server; onym connect lists the clients here."
        : `If it was deleted: onym connect ${connected} --undo puts the servers back into ${connected}, and connecting again makes a new one.`,
  };
}

/** @throws OnymError for a config that cannot be used, as every command; nothing was started then (CFG-2). */
async function examineConfig(config: Config, options: DoctorOptions, terminal: Terminal): Promise<Examined> {
  const { today, cwd } = terminal;
  snapshotOf(config, { lock: undefined, today });
  if (options.json !== true && config.servers.some(({ isStatic }) => !isStatic))
    terminal.err("Asking the servers…\n");
  const asking = loadLiveServers(config, {
    env: terminal.env,
    version: options.version,
    ...(options.json === true ? {} : { terminal }),
    ...(options.verbose === true
      ? { log: createLog({ write: terminal.err, least: "debug", json: false, now: Date.now }) }
      : {}),
  });
  const [asked, ofStore] = await Promise.all([asking, checkStore(config, terminal)]);
  const { config: filled } = buildLiveConfig(config, asked);
  const inputs = config.servers.map((server, index) => ({
    server,
    live: asked.find((one) => one.server === server),
    shown: filled.servers[index]?.source.tools.length ?? 0,
    startMs: config.limits.startMs,
  }));
  const read = await loadLockOf(config, cwd);
  const naming = { lock: "lock" in read ? read.lock : undefined, today };
  const built = snapshotOf(filled, naming);
  const hidden = createHiddenTools(filled, naming);
  const snapshot = { ...built, problems: explainHidden(built.problems, hidden) };
  const shownFile = showPath(config.file, cwd);
  return {
    checks: [
      {
        group: "Onym",
        name: "config",
        status: config.servers.length === 0 ? "warning" : "ok",
        message: `${shownFile}: ${countNoun(config.servers.length, "server")}`,
        ...(config.servers.length === 0
          ? { fix: "onym add NAME -- COMMAND adds one; onym connect CLIENT moves those of a client here." }
          : {}),
      },
      ...config.notes.map(
        (message) => ({ group: "Onym", name: "config", status: "warning", message }) as const,
      ),
      ...checkModes({ config: resolve(cwd, config.file), key: keyPlaceOf(config, terminal.env).file }),
      ...inputs.flatMap(checkServer),
      {
        group: "Names",
        name: "alias",
        status: "ok",
        message: explainAlias(takenAlias(config, { lock: naming.lock })),
      },
      ...checkNames(snapshot, config, connectedProfiles(machineOf(terminal))),
      ...checkPolicy(filled, snapshot, listedItems(asked, snapshot)),
      ...checkLock(filled, read, terminal),
      ...ofStore,
    ],
    servers: inputs.map(reportServer),
  };
}
