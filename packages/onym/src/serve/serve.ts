// onym serve: the gateway, over HTTP or over stdin and stdout.

import { quoteText } from "@onym/core";
import { InvalidArgumentError } from "commander";
import type { DefineCommand, ExitCode } from "../cli/command.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../cli/default-address.js";
import { addAliasOption, addProfileOption } from "../cli/options.js";
import { usageError } from "../cli/usage-error.js";
import type { Config } from "../config/config.js";
import { createGateway, type Gateway } from "../gateway/create-gateway.js";
import { isHostPattern } from "../gateway/http/requests/read-request.js";
import { type CallTotals, createCallTotals } from "../gateway/observe/observation.js";
import { denyAll } from "../gateway/visibility/deny-all.js";
import type { Tracer } from "../telemetry/create-tracer.js";
import { createServerProgress, describeGateway } from "./describe-gateway.js";
import { createLogOutput, type LogOutput } from "./log-output.js";
import { type ConfigSource, openConfigSource } from "./parts/config-source.js";
import { createCredentialSource } from "./parts/credential-source.js";
import { type Callers, openCallers } from "./parts/open-callers.js";
import {
  type ConsoleFeed,
  createConsoleFeed,
  openServeConsole,
  type ServedConsole,
} from "./parts/open-console.js";
import { openMetrics, openTracing, type ServedMetrics } from "./parts/open-metrics.js";
import { openRecords, type Records, withoutRecords } from "./parts/open-records.js";
import { ConfigReload } from "./reload-config.js";
import { createStateClock, openServeControl, readActivity, type StateClock } from "./serve-control.js";
import { SERVE_HELP } from "./serve-help.js";
import { type ShutdownSignals, watchShutdownSignals } from "./shutdown-signals.js";

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
    .option("--log-json", "log as JSON, one object per line");
  addProfileOption(command, "give every client the names of this one (default: detected)");
  addAliasOption(command)
    .addHelpText("after", SERVE_HELP)
    .action((options: ServeOptions) =>
      run(async () => {
        for (const [option, flag] of HTTP_FLAGS)
          if (options.stdio === true && command.getOptionValueSource(option) === "cli")
            throw usageError(`--stdio and ${flag} do not go together.`, "Over stdio nothing listens.");
        const invalidHost = options.allowHost?.find((host) => !isHostPattern(host));
        if (invalidHost !== undefined)
          throw usageError(
            `--allow-host ${quoteText(invalidHost)} is no host.`,
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
  const source = await openConfigSource(options, output);
  // Before anything is started or opened for nothing.
  if (options.stdio !== true) await (await import("./serve-http.js")).checkAddress(options);
  const parts = await openParts(source, options, output, version);
  const { gateway, callers, records, clock, totals } = parts;
  const { guards, locks, denial } = records;
  const reload = new ConfigReload({
    source,
    gateway,
    records,
    callers,
    override: options,
    refusal: denial === undefined ? undefined : DENYING,
    output,
  });
  const listening: Listening = { url: undefined };
  const reported = {
    gateway,
    inForce: () => reload.inForce,
    url: () => listening.url,
    since: clock.since,
    restarts: clock.restarts,
    startedAt,
    version,
    env: terminal.env,
    log,
  };
  const { store } = guards;
  const { authenticator } = callers;
  const lock = locks.tools.current;
  const page =
    parts.observed && openServeConsole(parts.observed, { ...reported, store, authenticator, lock });
  try {
    const control = await openServeControl({
      ...reported,
      transport: options.stdio === true ? "stdio" : "http",
      activity: () => readActivity(gateway, { guards, totals, lock }),
      consoleLink: () => (listening.url === undefined ? undefined : page?.link(listening.url)),
    });
    const served = { ...parts, config: source.config, reload, listening, page };
    await serveClients(served, options, output).finally(control.close);
  } finally {
    reload.close();
    await guards.close();
    await parts.tracer?.close();
    parts.metrics?.close();
    parts.shutdown.release();
  }
  return 0;
}

/** Where clients connect, once that is known. */
interface Listening {
  url: string | undefined;
}

interface ServeParts {
  readonly gateway: Gateway;
  readonly callers: Callers;
  readonly records: Records;
  readonly shutdown: ShutdownSignals;
  readonly clock: StateClock;
  readonly totals: CallTotals;
  readonly tracer: Tracer | undefined;
  readonly metrics: ServedMetrics | undefined;
  /** What the console shows; absent without a console. */
  readonly observed: ConsoleFeed | undefined;
}

/** Opens the gateway and everything it is made of, in the order in which they need each other. */
async function openParts(
  { config, settings, isDemo }: ConfigSource,
  options: ServeOptions,
  output: LogOutput,
  version: string,
): Promise<ServeParts> {
  const { log, terminal } = output;
  const { env } = terminal;
  const callers = openCallers(config, options, log);
  const records = isDemo
    ? withoutRecords()
    : await openRecords(config, { deniesWithout: options.denyWithoutStore === true, log, env });
  const { guards, guard, locks, denial } = records;
  if (denial !== undefined) output.fail(denial, DENYING);
  const credentials =
    isDemo || denial !== undefined ? undefined : createCredentialSource(config, env, guards.store);
  const tracer = await openTracing({ env, version, log });
  const shutdown = watchShutdownSignals();
  const clock = createStateClock(Date.now);
  const isWanted = options.metrics === true || config.metrics;
  const metrics = await openMetrics({ isWanted, guards, env, version, log });
  const showProgress =
    options.logJson === true
      ? undefined
      : createServerProgress(terminal, options.stdio === true ? "trouble" : "all");
  const hasConsole = config.console !== "off" && options.stdio !== true;
  const observed = hasConsole ? createConsoleFeed(output.gatewayLog) : undefined;
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
      ...(observed === undefined ? [] : [observed.calls]),
    ],
    log: observed?.tail.log ?? output.gatewayLog,
    version,
    today: () => new Date().toISOString().slice(0, 10),
    onStatus(downstream) {
      clock.note(downstream);
      metrics?.noteStatus(downstream);
      showProgress?.(downstream);
    },
  });
  const gateway = denial === undefined ? made : { ...made, router: denyAll(made.router, denial) };
  metrics?.measure(gateway);
  return { gateway, callers, records, shutdown, clock, totals, tracer, metrics, observed };
}

interface ServedParts extends ServeParts {
  /** As it was at the start. */
  readonly config: Config;
  readonly reload: ConfigReload;
  readonly listening: Listening;
  readonly page: ServedConsole | undefined;
}

/** Until it is asked to stop, or the client on stdio is gone. */
async function serveClients(served: ServedParts, options: ServeOptions, output: LogOutput): Promise<void> {
  const { gateway, config, callers, metrics, reload, listening } = served;
  const { guards, denial } = served.records;
  const { stopRequested } = served.shutdown;
  if (options.stdio === true) {
    const { serveStdio } = await import("./serve-stdio.js");
    return serveStdio({ gateway, config, hints: options, output, stopRequested });
  }
  const { serveHttp } = await import("./serve-http.js");
  return serveHttp({
    gateway,
    config,
    callers,
    options,
    output,
    stopRequested,
    trouble: async () => denial ?? guards.trouble(),
    metrics,
    console: served.page,
    describe: () => describeGateway(gateway, reload.inForce.settings),
    onListening: (address) => {
      listening.url = address;
    },
  });
}

// A port on the command line.

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}
