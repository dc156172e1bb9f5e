// The tools of servers that run: as the gateway that runs this config has them, else as they are on record, else as the
// servers list them when they are started for it (CFG-5).

import { type CatalogProblem, quoteText } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { configPath } from "../../config/files/config-path.js";
import { filtersOf, passesFilters } from "../../config/sections/tool-filters.js";
import { controlMachine } from "../../configured/control-machine.js";
import type { Asked } from "../../control/ask-gateway.js";
import type { GatewayCatalog, ServerStatus } from "../../control/protocol.js";
import { ownerKey } from "../../gateway/catalog/gateway-snapshot.js";
import { showNote } from "../../output/show-note.js";
import type { Terminal } from "../../output/terminal.js";
import { countNoun, nameServer } from "../../output/wording.js";
import { isoMoment, showMoment } from "../read-moment.js";
import { notFilled, notStatic } from "./left-out.js";
import { buildLiveConfig, endSentence, type ServerAnswer } from "./live-config.js";
import { askServers } from "./live-servers.js";
import { isAskable, type LiveOptions, type OpenedTools, type ToolsOrigin } from "./open-live.js";
import { loadRecordedTools, type RecordedTools } from "./recorded-tools.js";

/** Beyond what the gateway itself waits for servers that start. */
const SPARE_MS = 5_000;

/** @throws OnymError for a record that cannot be read, or a config whose servers cannot be started. */
export async function findTools(
  config: Config,
  options: LiveOptions,
  terminal: Terminal,
): Promise<OpenedTools> {
  const { until = "servers" } = options;
  const wanted = config.servers.filter(({ isStatic }) => !isStatic);
  const asked = await askRunning(config, terminal);
  const running = asked.answer === undefined ? undefined : readCatalog(wanted, asked.answer);
  const listed = running?.listed ?? [];
  const down = running?.down ?? [];
  const isOpen = withoutServers(wanted, listed);

  const record =
    until === "gateway" || isOpen.length === 0 ? undefined : await loadRecordedTools(config, terminal.cwd);
  const recorded = isOpen.filter((server) => record?.toolsOf(server) !== undefined);
  const failed = withoutServers(down, recorded);
  const unknown = withoutServers(withoutServers(isOpen, recorded), failed);
  const isStarting = until === "servers" && unknown.length > 0;
  if (isStarting && options.quiet !== true) noteStart(unknown, { config, asked }, terminal);
  const started = isStarting ? await askServers(config, { ...options, servers: unknown }, terminal) : [];

  const filled = buildLiveConfig(config, [...listed, ...failed, ...started]);
  const fromRecord = new Set<ConfigServer>();
  const servers = filled.config.servers.map((server) => {
    const tools = recorded.includes(server) ? record?.toolsOf(server) : undefined;
    if (tools === undefined) return server;
    const shown = withRecorded(server, tools);
    fromRecord.add(shown);
    return shown;
  });
  const left = isStarting ? undefined : notStatic({ ...config, servers: unknown });
  return {
    config: { ...config, servers },
    live: filled.live,
    recorded: fromRecord,
    unasked: new Set([...fromRecord, ...(isStarting ? [] : unknown.filter(isAskable))]),
    isAsked: left === undefined,
    left: [
      ...filled.problems,
      ...(record === undefined
        ? []
        : problemsOfRecord({ recorded, down, record, hasGateway: running !== undefined })),
      ...(isStarting ? [] : notFilled({ ...config, servers: unknown })),
      ...(left === undefined ? [] : [left]),
    ],
    origin: originOf({ asked, record, counts: { recorded: recorded.length, started: started.length } }),
  };
}

/** Loaded only here: most configs that are looked at have no server that runs. */
async function askRunning(config: Config, { env }: Terminal): Promise<Asked<GatewayCatalog>> {
  const { askCatalog } = await import("../../control/ask-gateway.js");
  return askCatalog({
    config: configPath(config),
    machine: controlMachine(env),
    timeoutMs: config.limits.listMs + SPARE_MS,
  });
}

interface RunningTools {
  readonly listed: readonly ServerAnswer[];
  /** Those that the gateway has, and cannot reach now. */
  readonly down: readonly ServerAnswer[];
}

function readCatalog(wanted: readonly ConfigServer[], { status, tools }: GatewayCatalog): RunningTools {
  const positions = new Map(status.servers.map((server, position) => [ownerKey(server), position]));
  const listed: ServerAnswer[] = [];
  const down: ServerAnswer[] = [];
  for (const server of wanted) {
    const position = positions.get(ownerKey(server.source));
    const found = position === undefined ? undefined : status.servers[position];
    // A toolbox that nobody opened: the gateway does not know either.
    if (position === undefined || found === undefined || found.state === "closed") continue;
    if (found.isListed) {
      const serverInfo = found.serverVersion === undefined ? {} : { version: found.serverVersion };
      const inventory = { tools: tools[position] ?? [], serverInfo, problems: found.listProblems };
      listed.push({ server, state: { kind: "ready", inventory } });
    } else if (found.state !== "static") down.push({ server, state: failureOf(found) });
  }
  return { listed, down };
}

function failureOf({ state, reason, hint }: ServerStatus): ServerAnswer["state"] {
  if (state === "failed")
    return {
      kind: "failed",
      reason: reason ?? "the gateway that runs cannot reach it",
      hint: hint ?? "onym doctor explains why.",
    };
  return {
    kind: "failed",
    reason: "the gateway that runs is still starting it",
    hint: "Try again in a moment, or ask it with --live.",
  };
}

function withoutServers<Item extends ConfigServer | ServerAnswer>(
  items: readonly Item[],
  others: readonly (ConfigServer | ServerAnswer)[],
): readonly Item[] {
  const seen = new Set(others.map(serverOf));
  return items.filter((item) => !seen.has(serverOf(item)));
}

function serverOf(item: ConfigServer | ServerAnswer): ConfigServer {
  return "server" in item ? item.server : item;
}

/** Names that the lock has stay as they are: what is on record may be less than what there is. */
function withRecorded(
  server: ConfigServer,
  tools: NonNullable<ReturnType<RecordedTools["toolsOf"]>>,
): ConfigServer {
  const { source, entry } = server;
  const filters = filtersOf(entry);
  const shown = tools.filter(({ name }) => passesFilters(name, filters));
  const hidden = tools.filter(({ name }) => !passesFilters(name, filters));
  return { ...server, hidden, source: { ...source, tools: shown } };
}

function problemsOfRecord({
  recorded,
  down,
  record,
  hasGateway,
}: {
  readonly recorded: readonly ConfigServer[];
  readonly down: readonly ServerAnswer[];
  readonly record: RecordedTools;
  readonly hasGateway: boolean;
}): readonly CatalogProblem[] {
  const reasons = new Map(down.map(({ server, state }) => [server, state]));
  return recorded.flatMap((server) => {
    const state = reasons.get(server);
    const name = nameServer(server.source);
    const about = { tools: [], servers: [server.source.server] };
    if (state?.kind === "failed")
      return {
        code: "server-down",
        severity: "warning" as const,
        message: `The server ${name} is down: ${endSentence(state.reason)} Its tools are those on record${asOfWords(record)}.`,
        fix: state.hint,
        ...about,
      };
    if (!hasGateway) return [];
    return {
      code: "on-record",
      severity: "info" as const,
      message: `The gateway that runs has not connected to ${name}; its tools are those on record${asOfWords(record)}.`,
      fix: "Ask it with --live.",
      ...about,
    };
  });
}

function asOfWords({ asOf }: RecordedTools): string {
  return asOf === undefined ? "" : ` as of ${showMoment(asOf)} UTC`;
}

function noteStart(
  unknown: readonly ConfigServer[],
  { config, asked }: { readonly config: Config; readonly asked: Asked<GatewayCatalog> },
  terminal: Terminal,
): void {
  const all = unknown.length === config.servers.filter(({ isStatic }) => !isStatic).length;
  const which = all
    ? countNoun(unknown.length, "server")
    : unknown.map(({ source }) => quoteText(source.server)).join(", ");
  const why =
    asked.answer === undefined
      ? `${silenceWords(asked)}the tools of ${which} are not known yet`
      : `the running gateway does not know the tools of ${which}`;
  showNote(`${why}; asking now.`, terminal);
}

/** Gateways that left word and do not answer. */
function silenceWords({ silent }: Pick<Asked<GatewayCatalog>, "silent">): string {
  if (silent.length === 0) return "no gateway is running with this config, and ";
  const [{ pid, kind, reason }] = silent as [Asked<GatewayCatalog>["silent"][number]];
  return kind === "gone"
    ? `the gateway of process ${pid} is gone, and `
    : `the gateway of process ${pid} does not answer (${reason}), and `;
}

function originOf({
  asked,
  record,
  counts,
}: {
  readonly asked: Asked<GatewayCatalog>;
  readonly record: RecordedTools | undefined;
  readonly counts: { readonly recorded: number; readonly started: number };
}): ToolsOrigin {
  const asOf = counts.recorded === 0 || record?.asOf === undefined ? {} : { asOf: isoMoment(record.asOf) };
  if (asked.answer !== undefined) {
    const { pid } = asked.answer.status;
    return { from: "gateway", ...asOf, note: `tools are those of the gateway that runs, process ${pid}.` };
  }
  if (counts.started > 0) return { from: "servers", ...asOf, note: undefined };
  if (record === undefined || counts.recorded === 0) return { from: "config", note: undefined };
  const note = `${silenceWords(asked)}tools are those on record in ${record.place}${asOfWords(record)}; --live asks the servers.`;
  return { from: "record", ...asOf, note };
}
