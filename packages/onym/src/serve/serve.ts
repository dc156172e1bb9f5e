// A gateway from its start to its end, over HTTP or over stdin and stdout: what `onym serve` runs.

import type { Config } from "../config/config.js";
import { createCredentialSource } from "../configured/credential-source.js";
import { createGateway, type Gateway } from "../gateway/create-gateway.js";
import { type CallTotals, createCallTotals } from "../gateway/observe/observation.js";
import { denyAll } from "../gateway/visibility/deny-all.js";
import type { ExitCode } from "../output/show-error.js";
import type { Terminal } from "../output/terminal.js";
import type { Tracer } from "../telemetry/create-tracer.js";
import { createServerProgress, describeGateway } from "./describe-gateway.js";
import { createLogOutput, type LogOutput } from "./log-output.js";
import { type ConfigSource, openConfigSource } from "./parts/config-source.js";
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
import { type ShutdownSignals, watchShutdownSignals } from "./shutdown-signals.js";

export interface ServeOptions {
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

const DENYING = "every call is refused (--deny-without-store); fix the store and start Onym again";
const NO_SERVERS = { servers: [], toolboxes: [], passthrough: undefined };

/** Until it is asked to stop, or the client on stdio is gone. What goes wrong is said as the options want it. */
export function serve(options: ServeOptions, terminal: Terminal, version: string): Promise<ExitCode> {
  const output = createLogOutput(terminal, options);
  return runGateway(options, output, version).catch((error: unknown) => output.fail(error));
}

async function runGateway(options: ServeOptions, output: LogOutput, version: string): Promise<ExitCode> {
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
