// onym explain: how a text was resolved, the seven layers of the tool, and its name in every profile (RES-5).

import { escapeText, type Resolution, type Snapshot, type Tool } from "@onym/core";
import type { Config } from "../../config/config.js";
import { decideForCallers } from "../../configured/decide-for-callers.js";
import { formatTable } from "../../output/format-table.js";
import { type Layer, layersOf } from "../../output/layers-of.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import { wrapLines, wrapText } from "../../output/wrap-text.js";
import { noteLeft } from "../catalog/left-out.js";
import { type OpenOptions, openLiveSnapshot, reportOrigin } from "../catalog/open-live.js";
import type { DefineCommand } from "../command.js";
import { explainNewness, findNewness } from "../decisions/find-newness.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addLiveOption,
  addProfileOption,
} from "../options.js";
import { contextOf } from "./context-of.js";
import { formatPolicy } from "./format-policy.js";
import { formatResolution } from "./format-resolution.js";
import { findHidden } from "./hidden-tools.js";
import { reportResolution } from "./report-resolution.js";
import { explainSentForm } from "./sent-form.js";
import { explainAlias, type TakenAlias, takenAlias } from "./taken-alias.js";

interface ExplainOptions extends OpenOptions {
  readonly profile?: string;
  readonly server?: string;
  readonly toolbox?: string;
  readonly json?: boolean;
}

/** One name and the profiles in which the tool has it. */
interface SharedName {
  readonly name: string | undefined;
  readonly profiles: string[];
}

export const defineExplain: DefineCommand = (command, { terminal, run, version }) => {
  command.argument("<text>", "any spelling of a tool");
  addProfileOption(command, "whose names come first (default: naming.profile of the config, else universal)");
  addAliasOption(command)
    .option("--server <id>", "the server a raw name belongs to")
    .option("--toolbox <id>", "the toolbox a raw name belongs to");
  addCatalogOptions(addLiveOption(command));
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym explain sf_create_lead\n  onym explain search --server docs --json",
    )
    .action((text: string, options: Omit<ExplainOptions, "version">) =>
      run(() => printExplanation(text, { ...options, version }, terminal)),
    );
};

async function printExplanation(
  text: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const checkConfig = (read: Config): void => void contextOf(options, read);
  const opened = await openLiveSnapshot({ ...options, checkConfig }, terminal);
  const { config, snapshot } = opened;
  const profile = options.profile ?? config.naming.profile ?? "universal";
  const alias = takenAlias(config, { as: options.as, lock: opened.lock });
  const context = contextOf(options, config);
  const resolution = snapshot.resolve(text, { profile, context });
  const explanation = snapshot.explain(text, { profile, context });
  const hidden = findHidden(opened.hidden, { text, resolution }, { profile, context });
  const tool = resolution.outcome === "resolved" ? resolution.tool : undefined;
  const layers = tool === undefined ? [] : layersOf(tool, snapshot.namesFor(profile).nameOf(tool));
  const names = tool === undefined ? [] : namesEverywhere(tool, snapshot);
  const newness = tool === undefined ? undefined : await findNewness(tool, config, terminal);
  const policy = tool === undefined ? undefined : decideForCallers(tool, config, newness === "new");

  if (options.json === true) {
    const namesFrom = opened.given.from;
    const report = reportResolution(text, resolution, hidden);
    await writeJson(terminal, {
      ...report,
      profile,
      alias,
      ...reportOrigin(opened),
      namesFrom,
      explanation,
      layers,
      names,
      policy,
      newness,
    });
  } else {
    const [summary = "", ...steps] = explanation;
    const reasons = { problems: snapshot.problems, hidden };
    const explained = wrapLines(
      [...formatResolution(summary, { text, resolution }, reasons), ...steps],
      terminal.columns,
    );
    const allowed =
      tool === undefined || policy === undefined ? [] : formatPolicy(policy, { tool, config }, terminal);
    await terminal.out(
      `${[...explained, ...allowed, ...formatLayers(layers, terminal), ...formatNames(names, alias, terminal)].join("\n")}\n`,
    );
    const table = snapshot.namesFor(profile);
    const named = table.tools.filter((each) => each.tool === tool);
    const sent = explainSentForm(named, { profile: table.profile, as: alias.as });
    if (sent !== undefined) showNote(sent, terminal);
    const note = tool === undefined ? undefined : explainNewness(newness, tool);
    if (note !== undefined) showNote(note, terminal);
  }
  noteLeft(opened, terminal);
  return exitCodeOf(resolution);
}

function exitCodeOf({ outcome }: Resolution): ExitCode {
  return outcome === "resolved" ? 0 : 1;
}

/** Profiles that call the tool the same stand together, the largest group first. */
function namesEverywhere(tool: Tool, snapshot: Snapshot): readonly SharedName[] {
  const groups = new Map<string | undefined, SharedName>();
  for (const { id } of snapshot.profiles) {
    // One look through the list is cheaper than the index that nameOf builds for many questions.
    const name = snapshot.namesFor(id).tools.find((named) => named.tool === tool)?.name;
    const group = groups.get(name) ?? { name, profiles: [] };
    groups.set(name, group);
    group.profiles.push(id);
  }
  return [...groups.values()].sort((a, b) => b.profiles.length - a.profiles.length);
}

function formatLayers(layers: readonly Layer[], { paint }: Terminal): readonly string[] {
  if (layers.length === 0) return [];
  const rows = layers.map(({ layer, value }) => [
    { text: `  ${layer}`, style: "dim" as const },
    escapeText(value ?? "none until it is called"),
  ]);
  return ["", paint("bold", "Identity"), ...formatTable(rows, paint)];
}

function formatNames(
  names: readonly SharedName[],
  alias: TakenAlias,
  { paint, columns = 100 }: Terminal,
): readonly string[] {
  if (names.length === 0) return [];
  const lines = names.flatMap(({ name, profiles }) => [
    `  ${paint("cyan", name === undefined ? "(no name)" : escapeText(name))}`,
    ...wrapText(showProfiles(profiles), { columns, indent: "    " }).map((line) => paint("dim", line)),
  ]);
  return [
    "",
    paint("bold", `Names in ${names.reduce((sum, { profiles }) => sum + profiles.length, 0)} profiles`),
    ...wrapText(explainAlias(alias), { columns, indent: "  " }).map((line) => paint("dim", line)),
    ...lines,
  ];
}

const MAX_PROFILES = 12;

function showProfiles(profiles: readonly string[]): string {
  const left = profiles.length - MAX_PROFILES;
  // One more takes no more room than its number.
  if (left <= 1) return profiles.join(", ");
  return `${profiles.slice(0, MAX_PROFILES).join(", ")} and ${left} more (--json lists all)`;
}

// The seven identity layers of a tool of the catalog, for people to read (SPEC section 7).
