// onym status: the gateway that runs now: servers, calls, approvals waiting, clients, lock and store (OBS-2).

import { resolve } from "node:path";
import { escapeText } from "@onym/core";
import { DEMO_CONFIG, isDemoConfig } from "../../config/files/config-path.js";
import { chooseConfig } from "../../config/files/find-config.js";
import { controlMachine } from "../../configured/control-machine.js";
import type { NoAnswer } from "../../control/ask-gateway.js";
import type { GatewayActivity, GatewayStatus, ServerStatus } from "../../control/protocol.js";
import { showPath } from "../../model/show-path.js";
import { formatTable } from "../../output/format-table.js";
import { nameProgram } from "../../output/package-folder.js";
import type { Style } from "../../output/paint.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { formatJson, type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import { wrapText } from "../../output/wrap-text.js";
import { closeOnSignal } from "../catalog/live-servers.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";

interface StatusOptions {
  readonly config?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const ANSWER_MS = 5_000;
const WATCH_MS = 1_000;

export const defineStatus: DefineCommand = (command, { terminal, run }) => {
  command
    .option(
      "-c, --config <file>",
      "the config whose gateway is meant (default: onym.json, else a client's file here, else your own)",
    )
    .option("-w, --watch", "show it again every second, until Ctrl-C");
  addJsonOption(command)
    .addHelpText("after", "\nExamples:\n  onym status\n  onym status --watch\n  onym status --json")
    .action((options: StatusOptions) => run(() => printStatus(options, terminal)));
};

async function printStatus(options: StatusOptions, terminal: Terminal): Promise<ExitCode> {
  const { cwd, env } = terminal;
  const file = chooseConfig({ file: options.config, env, cwd })?.file ?? options.config ?? "onym.json";
  const config = resolve(cwd, file);
  // The link signs in once, so it is made for the first output only, not for every second of a watch.
  const ask = options.watch === true ? "status" : "console";
  const look = async (): Promise<Looked> => {
    const { askStatus } = await import("../../control/ask-gateway.js");
    const asking = { machine: controlMachine(env), timeoutMs: ANSWER_MS };
    const found = await askStatus({ ...asking, config, ask });
    if (found.answers.length > 0 || options.config !== undefined) return { ...found, others: [] };
    // The demo's config has no path to name, so if only one gateway runs, that one is meant.
    const { answers: others } = await askStatus({ ...asking, config: undefined });
    const [only] = others;
    if (only === undefined || others.length > 1) return { ...found, others };
    return { ...(await askStatus({ ...asking, config: only.config, ask })), others };
  };
  if (options.watch === true) return watch(look, options, terminal);
  const looked = await look();
  const { answers, silent, others } = looked;
  if (options.json === true) await writeJson(terminal, { gateways: answers, silent });
  else {
    if (answers.length > 0 && others.length > 0)
      showNote(
        `no gateway of ${showPath(file, terminal.cwd)} runs; this one runs ${others.map(shownConfig).join()}.`,
        terminal,
      );
    await terminal.out(`${formatStatus(looked, terminal).join("\n")}\n`);
  }
  return answers.length === 0 || answers.some(isTroubled) ? 1 : 0;
}

interface Looked {
  readonly answers: readonly GatewayStatus[];
  readonly silent: readonly NoAnswer[];
  /** Gateways of other configs, where none of this one runs and none was named. */
  readonly others: readonly GatewayStatus[];
}

type Look = () => Promise<Looked>;

function shownConfig({ config }: GatewayStatus): string {
  return isDemoConfig(config) ? DEMO_CONFIG : showPath(config);
}

async function watch(look: Look, { json }: StatusOptions, terminal: Terminal): Promise<ExitCode> {
  const stop = new AbortController();
  const signals = closeOnSignal(async () => stop.abort());
  while (!stop.signal.aborted) {
    const looked = await look();
    const { answers, silent } = looked;
    if (json === true) await terminal.out(`${formatJson({ gateways: answers, silent })}\n`);
    else {
      const lines = formatStatus(looked, terminal);
      // The screen begins anew with each look; a pipe gets one after the other.
      const clear = terminal.isTTY ? "\u001b[H\u001b[2J" : "";
      await terminal.out(`${clear}${lines.join("\n")}\n${terminal.isTTY ? "" : "\n"}`);
    }
    await new Promise<void>((done) => {
      const timer = setTimeout(done, WATCH_MS);
      stop.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        done();
      });
    });
  }
  if (!signals.isStopping()) signals.release();
  return 0;
}

function isTroubled({ servers, activity }: GatewayStatus): boolean {
  return (
    activity?.store.trouble !== undefined ||
    servers.some(({ state }) => state === "failed" || state === "unhealthy")
  );
}

function formatStatus({ answers, silent, others }: Looked, terminal: Terminal): readonly string[] {
  const quiet = silent
    .filter(({ kind }) => kind === "other")
    .map(({ pid, reason }) => `process ${pid} gives no status: ${escapeText(reason)}`);
  if (answers.length === 0)
    return [
      ...quiet,
      nameProgram(
        "No gateway runs with this config. onym serve starts one; --config names another config.",
        terminal.env,
      ),
      ...(others.length === 0 ? [] : ["Gateways of other configs run:"]),
      ...others.map((other) => `  ${shownConfig(other)}  ${escapeText(other.url ?? other.transport)}`),
    ];
  return [
    ...answers.flatMap((status, index) => [...(index > 0 ? [""] : []), ...formatGateway(status, terminal)]),
    ...quiet,
  ];
}

function formatGateway(status: GatewayStatus, { paint, columns, env }: Terminal): readonly string[] {
  const { pid, version, transport, url, startedAt, servers, problemCount, activity } = status;
  const where = escapeText(url ?? transport);
  const head = `${paint("bold", `onym ${escapeText(version)}`)}  ${where}  ${paint("dim", `process ${pid}, for ${lasting(startedAt)}`)}`;
  const rows = servers.map((server) => [
    { text: `  ${STATES[server.state].word}`, style: STATES[server.state].style },
    escapeText(server.toolbox === undefined ? server.server : `${server.toolbox} / ${server.server}`),
    countNoun(server.toolCount, "tool"),
    { text: `for ${lasting(server.since)}`, style: "dim" as const },
  ]);
  const reasons = servers.flatMap(({ server, reason, hint }) =>
    reason === undefined
      ? []
      : wrapText(escapeText(`${server}: ${reason}. ${nameProgram(hint ?? "", env)}`), {
          columns,
          indent: "  ",
        }),
  );
  return [
    head,
    ...formatTable(rows, paint),
    ...reasons.map((line) => paint("red", line)),
    ...(activity === undefined ? [] : formatActivity(activity).map((line) => nameProgram(line, env))),
    ...(problemCount > 0
      ? [`${countNoun(problemCount, "problem")}; ${nameProgram("onym doctor", env)} shows more`]
      : []),
    ...(status.console === undefined ? [] : [`console ${escapeText(status.console)}`]),
  ];
}

const STATES: Readonly<Record<ServerStatus["state"], { readonly word: string; readonly style: Style }>> = {
  ready: { word: "ready", style: "green" },
  static: { word: "static", style: "green" },
  starting: { word: "starting", style: "yellow" },
  unhealthy: { word: "unhealthy", style: "red" },
  failed: { word: "down", style: "red" },
  closed: { word: "closed", style: "dim" },
};

function formatActivity(activity: GatewayActivity): readonly string[] {
  const { calls, inFlight, clients, approvalsWaiting, recordsWaiting, store, lock } = activity;
  const waiting = approvalsWaiting ?? 0;
  return [
    `${countNoun(calls.total, "call")}, ${countNoun(calls.errors, "error")}, ${calls.refused} refused, ${inFlight} in flight`,
    formatClients(clients),
    waiting === 0 ? "no approvals waiting" : `${countNoun(waiting, "approval")} waiting: onym approvals`,
    `store ${store.engine}${store.trouble === undefined ? "" : `, failing: ${escapeText(store.trouble)}`}${recordsWaiting === 0 ? "" : `, ${countNoun(recordsWaiting, "record")} to be written`}`,
    `lock ${countNoun(lock.names, "name")}${lock.kept === 0 ? "" : `, ${lock.kept} kept for tools that are not there`}`,
  ];
}

/** Clients that leave without a word keep their session for a while: from so long on, their silence is shown. */
const IDLE_MS = 10_000;

/** Those that were heard of last come first. */
export function formatClients(clients: GatewayActivity["clients"]): string {
  if (clients.length === 0) return "no sessions open";
  const sessions = [...clients]
    .sort((a, b) => (a.idleMs ?? 0) - (b.idleMs ?? 0))
    .map(({ client, profile, idleMs = 0 }) => {
      const idle = idleMs > IDLE_MS ? `, idle ${formatDuration(idleMs)}` : "";
      return `${escapeText(client.slice(0, 60))} (${escapeText(profile)}${idle})`;
    });
  return `${countNoun(sessions.length, "session")} open: ${sessions.join(", ")}`;
}

function lasting(since: number): string {
  return formatDuration(Math.max(0, Date.now() - since));
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
