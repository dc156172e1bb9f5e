// onym serve: the gateway, over HTTP or over stdin and stdout.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import { InvalidArgumentError } from "commander";
import { checkedSnapshotSteps, noteUnread, showNote, snapshotOf } from "../cli/catalog/open-snapshot.js";
import type { DefineCommand, ExitCode } from "../cli/command.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../cli/default-address.js";
import { loadLock, lockFileOf } from "../cli/names/lock/lock-file.js";
import { addAliasOption, addProfileOption } from "../cli/options.js";
import { showPath } from "../cli/output/wording.js";
import { checkModes, findUnisolated } from "../cli/setup/doctor/check-modes.js";
import { isInteractive, type Terminal } from "../cli/terminal.js";
import { usageError } from "../cli/usage-error.js";
import type { Config } from "../config/config.js";
import { chooseConfig } from "../config/files/find-config.js";
import { checkSections, trustFileOf } from "../config/files/trust.js";
import { loadChosenConfig, loadConfig, readChosenConfig } from "../config/load-config.js";
import type { Control } from "../control/open-control.js";
import { createGateway, type Gateway } from "../gateway/create-gateway.js";
import { isHostPattern } from "../gateway/http/requests/read-request.js";
import { createCallTotals } from "../gateway/observe/observation.js";
import type { GatewaySettings } from "../gateway/settings.js";
import { denyAll } from "../gateway/visibility/deny-all.js";
import { runInSlices } from "../model/run-slices.js";
import { loadDemoConfig } from "./demo-config.js";
import {
  createServerProgress,
  describeChanges,
  describeGateway,
  describeRejection,
  type InForce,
} from "./describe-gateway.js";
import { createLogOutput, type LogOutput } from "./log-output.js";
import { createCredentialSource, keyPlaceOf } from "./parts/credential-source.js";
import { gatewaySettingsOf } from "./parts/gateway-settings.js";
import { openCallers } from "./parts/open-callers.js";
import { openServeConsole, watchForConsole } from "./parts/open-console.js";
import { openMetrics, openTracing } from "./parts/open-metrics.js";
import { openRecords, withoutRecords } from "./parts/open-records.js";
import { createStateClock, openServeControl, readActivity } from "./serve-control.js";
import { SERVE_HELP } from "./serve-help.js";

import { watchShutdownSignals } from "./shutdown-signals.js";
import { type ConfigWatch, stampOf, watchConfig } from "./watch-config.js";

interface ServeOptions {
  readonly config?: string;
  readonly stdio?: boolean;
  readonly host: string;
  readonly port: number;
  readonly allowHost?: readonly string[];
  readonly allowUnauthenticated?: boolean;
  readonly profile?: string;
  readonly as?: string;
  readonly demo?: boolean;
  readonly metrics?: boolean;
  readonly denyWithoutStore?: boolean;
  readonly verbose?: boolean;
  readonly logJson?: boolean;
}

const HTTP_FLAGS = [
  ["host", "--host"],
  ["port", "--port"],
  ["allowUnauthenticated", "--allow-unauthenticated"],
] as const;

export const defineServe: DefineCommand = (command, { terminal, run, version }) => {
  command
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    )
    .option("--stdio", "serve one client on standard input and output, instead of HTTP")
    .option(
      "--host <host>",
      'the address to listen on; others than loopback need "auth" in the config',
      DEFAULT_HOST,
    )
    .option("--port <number>", "the port to listen on; 0 picks a free one", readPort, DEFAULT_PORT)
    .option(
      "--allow-host <host...>",
      "host names that clients may use beside localhost and the address; * for any",
    )
    .option("--metrics", "count calls, and serve the counts at /metrics")
    .option(
      "--allow-unauthenticated",
      'serve everybody who can reach an address off loopback, without "auth" in the config',
    )
    .option("--demo", "where there is no config, serve a bundled demo of real servers")
    .option(
      "--deny-without-store",
      "where the store cannot be used, start all the same and refuse every call",
    )
    .option("--verbose", "log more, on stderr")
    .option("--log-json", "log as JSON, one object a line");
  addProfileOption(command, "give every client the names of this one (default: detected)");
  addAliasOption(command)
    .addHelpText("after", SERVE_HELP)
    .action((options: ServeOptions) =>
      run(async () => {
        for (const [option, flag] of HTTP_FLAGS)
          if (options.stdio === true && command.getOptionValueSource(option) === "cli")
            throw usageError(`--stdio and ${flag} do not go together.`, "Over stdio nothing listens.");
        const strange = options.allowHost?.find((host) => !isHostPattern(host));
        if (strange !== undefined)
          throw usageError(
            `--allow-host ${quoteText(strange)} is no host.`,
            "Give a name such as onym.example.com, an address, or * for any host.",
          );
        const output = createLogOutput(terminal, options);
        return serve(options, output, version).catch((error: unknown) => output.fail(error));
      }),
    );
};

const DENYING = "every call is refused (--deny-without-store); fix the store and start Onym again";
const NO_SERVERS = { servers: [], toolboxes: [], passthrough: undefined };

async function serve(options: ServeOptions, output: LogOutput, version: string): Promise<ExitCode> {
  const startedAt = Date.now();
  const { log, terminal } = output;
  const profilesFileOf = ({ profilesFile }: Config): string | undefined =>
    profilesFile === undefined ? undefined : resolve(terminal.cwd, profilesFile);
  const place = { file: options.config, env: terminal.env, cwd: terminal.cwd };
  // Chosen once: whatever happens to it, no other file replaces it (CFG-4).
  const choice = chooseConfig(place);
  const isDemo = choice === undefined && options.demo === true;
  const demo = isDemo ? loadDemoConfig(terminal.env) : undefined;
  const read = (): Config =>
    demo ?? (choice === undefined ? loadConfig(place) : loadChosenConfig(choice, place));
  const file = choice === undefined ? undefined : resolve(terminal.cwd, choice.file);
  const stamp = file === undefined ? "" : stampOf(file);
  const trustFile = trustFileOf(terminal.env);
  const config = demo ?? (choice === undefined ? loadConfig(place) : readChosenConfig(choice, place));
  const shownFile = showPath(config.file, terminal.cwd);
  // Over stdio a client is connected, and there is no user to ask.
  if (options.stdio !== true && options.logJson !== true && isInteractive(terminal)) {
    const { askForTrust } = await import("../cli/setup/trust.js");
    await askForTrust(config, shownFile, terminal);
  }
  checkSections(config, terminal.env);
  const trustStamp = stampOf(trustFile);
  const settings = gatewaySettingsOf(config, terminal.env, options);
  checkIdentities(config, isDemo, terminal);
  noteUnread(config, terminal);
  if (choice?.note !== undefined) showNote(choice.note, terminal);
  noteLeftOut(config, settings, terminal);
  const unisolated = isDemo ? undefined : findUnisolated(config);
  if (unisolated !== undefined) output.warn(`${unisolated.message} ${unisolated.fix}`);
  for (const { message, fix } of isDemo ? [] : checkModes(filesOf(config, terminal)))
    output.warn(`${message} ${fix}`);
  if (isDemo)
    showNote(
      "there is no config yet, so this is a demo with three real servers. onym connect CLIENT puts your own behind Onym.",
      terminal,
    );
  else output.say(`config ${shownFile}`, { config: shownFile });
  // Before anything is started or opened for nothing.
  if (options.stdio !== true) await (await import("./serve-http.js")).checkAddress(options);
  const callers = openCallers(config, options, log);
  const { guards, guard, locks, denial } = isDemo
    ? withoutRecords()
    : await openRecords(config, { deniesWithout: options.denyWithoutStore === true, log, env: terminal.env });
  if (denial !== undefined) output.fail(denial, DENYING);
  const credentials =
    isDemo || denial !== undefined ? undefined : createCredentialSource(config, terminal.env, guards.store);
  const tracer = await openTracing({ env: terminal.env, version, log });
  const end = watchShutdownSignals();
  const clock = createStateClock(Date.now);
  let served: Gateway | undefined;
  const metrics = await openMetrics({
    isWanted: options.metrics === true || config.metrics,
    gateway: () => served,
    guards,
    env: terminal.env,
    version,
    log,
  });
  const showProgress =
    options.logJson === true
      ? undefined
      : createServerProgress(terminal, options.stdio === true ? "trouble" : "all");
  const hasConsole = config.console !== "off" && options.stdio !== true;
  const watched = hasConsole ? watchForConsole(output.gatewayLog) : undefined;
  const totals = createCallTotals();
  const made = createGateway({
    settings: denial === undefined ? settings : { ...settings, ...NO_SERVERS },
    guard,
    locks,
    ...(credentials === undefined ? {} : { credentialsFor: credentials.credentialsFor }),
    tracer,
    sinks: [
      totals,
      ...(metrics === undefined ? [] : [metrics]),
      ...(watched === undefined ? [] : [watched.calls]),
    ],
    log: watched?.tail.log ?? output.gatewayLog,
    version,
    today: () => new Date().toISOString().slice(0, 10),
    onStatus(downstream) {
      clock.note(downstream);
      metrics?.noteStatus(downstream);
      showProgress?.(downstream);
    },
  });
  const gateway = denial === undefined ? made : { ...made, router: denyAll(made.router, denial) };
  served = gateway;
  let inForce: InForce = { config, settings };
  const adopt = async (): Promise<void> => {
    if (denial !== undefined) return output.say(`onym: ${DENYING}`);
    if (file !== undefined && !existsSync(file)) {
      const gone = `the config ${shownFile} is gone; what was in force stays in force until it is back`;
      inForce = { ...inForce, rejection: gone };
      return output.warn(gone, { config: shownFile });
    }
    output.say(`onym: reading ${shownFile} again`, { config: shownFile });
    try {
      const next = read();
      const adopted = gatewaySettingsOf(next, terminal.env, options);
      await runInSlices(checkedSnapshotSteps(next, { lock: locks.tools.current(), today: terminal.today }));
      callers.check(next);
      await gateway.adopt(adopted, await guards.guardFor(next));
      callers.adopt(next);
      const { text, facts } = describeChanges(inForce, { config: next, settings: adopted });
      inForce = { config: next, settings: adopted };
      watchedProfiles?.close();
      watchedProfiles = watchProfiles(profilesFileOf(next), reload);
      output.say(`onym: config in force: ${text}`, { ...facts, config: shownFile });
    } catch (error) {
      // An invalid file changes nothing (CFG-4).
      inForce = { ...inForce, rejection: describeRejection(error) };
      output.fail(error, "the new config is not used");
    }
  };
  let adopting = Promise.resolve();
  /** One reload at a time, in the order of the changes. */
  const reload = (): void => {
    adopting = adopting.then(adopt);
  };
  const watchedConfig = file === undefined ? undefined : watchConfig(file, stamp, reload);
  let watchedProfiles = watchProfiles(profilesFileOf(config), reload);
  const watchedTrust = config.origin === "found" ? watchConfig(trustFile, trustStamp, reload) : undefined;
  process.on("SIGHUP", reload);
  let url: string | undefined;
  let control: Control | undefined;
  const page =
    watched &&
    openServeConsole(watched, {
      gateway,
      inForce: () => inForce,
      url: () => url,
      since: clock.since,
      restarts: clock.restarts,
      startedAt,
      version,
      env: terminal.env,
      store: guards.store,
      authenticator: callers.authenticator,
      lock: locks.tools.current,
      log,
    });
  try {
    control = await openServeControl({
      gateway,
      inForce: () => inForce,
      transport: options.stdio === true ? "stdio" : "http",
      url: () => url,
      since: clock.since,
      restarts: clock.restarts,
      startedAt,
      version,
      activity: () => readActivity(gateway, { guards, totals, lock: locks.tools.current }),
      consoleLink: () => (url === undefined ? undefined : page?.link(url)),
      env: terminal.env,
      log,
    });
    if (options.stdio === true) {
      const { serveStdio } = await import("./serve-stdio.js");
      await serveStdio({ gateway, config, hints: options, output, asked: end.asked });
    } else {
      const { serveHttp } = await import("./serve-http.js");
      await serveHttp({
        gateway,
        config,
        callers,
        options,
        output,
        asked: end.asked,
        trouble: async () => denial ?? guards.trouble(),
        metrics,
        console: page,
        describe: () => describeGateway(gateway, inForce.settings),
        onListening: (address) => {
          url = address;
        },
      });
    }
  } finally {
    control?.close();
    watchedConfig?.close();
    watchedTrust?.close();
    watchedProfiles?.close();
    process.off("SIGHUP", reload);
    await guards.close();
    await tracer?.close();
    metrics?.close();
    end.release();
  }
  return 0;
}

/** A file of profiles beside the config (RULE-7). */
function watchProfiles(file: string | undefined, reload: () => void): ConfigWatch | undefined {
  return file === undefined ? undefined : watchConfig(file, stampOf(file), reload);
}

function filesOf(config: Config, { cwd, env }: Terminal) {
  return { config: resolve(cwd, config.file), key: keyPlaceOf(config, env).file };
}

function noteLeftOut(config: Config, { servers }: GatewaySettings, terminal: Terminal): void {
  const served = new Set(servers.map(({ source }) => source));
  for (const { source } of config.servers) {
    if (!served.has(source)) showNote(`${quoteText(source.server)} is Onym itself, and left out.`, terminal);
  }
}

/** Checks for conflicts, such as two servers with one integration, before anything starts (CFG-2). */
function checkIdentities(config: Config, isDemo: boolean, terminal: Terminal): void {
  snapshotOf(config, { lock: isDemo ? undefined : loadLock(lockFileOf(config)), today: terminal.today });
}

// A port on the command line.

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}
