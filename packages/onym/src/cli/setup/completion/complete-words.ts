// Words typed so far → what may come next: commands and flags from the very definitions that the help is made from, and the names
// of profiles, servers, toolboxes, tools and clients.

import { listProfiles, NAMING_STYLES } from "@onym/core";
import { type Argument, Command, type Option } from "commander";
import { CLIENTS } from "../../../clients/find-client.js";
import type { Terminal } from "../../../output/terminal.js";
import { openLiveSnapshot } from "../../catalog/open-live.js";
import type { CommandEntry } from "../../command.js";

interface Candidate {
  readonly word: string;
  readonly about?: string;
}

export interface Completion {
  /** `files`: the shell knows those itself. */
  readonly kind: "words" | "files";
  readonly candidates: readonly Candidate[];
}

export interface CompletionContext {
  readonly commands: readonly CommandEntry[];
  readonly terminal: Terminal;
  readonly version: string;
}

type Values = (typed: TypedWords, context: CompletionContext) => Promise<readonly Candidate[]>;

/** What stands on the line already, read with the definitions of its command. */
interface TypedWords {
  readonly command: Command;
  /** `policy test`. */
  readonly path: string;
  readonly arguments: readonly string[];
  readonly config: string | undefined;
  /** The option whose value is typed now. */
  readonly pending: Option | undefined;
  readonly used: ReadonlySet<Option>;
}

const NOTHING: Completion = { kind: "words", candidates: [] };

/** By their flags. */
const OPTION_VALUES: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["--profile", async () => profiles()],
  ["--style", async () => NAMING_STYLES.map((word) => ({ word }))],
  ["--client", async () => CLIENTS.map(({ id, title }) => ({ word: id, about: title }))],
  ["--server", servers],
  ["--toolbox", toolboxes],
]);

/** By command and argument. */
const ARGUMENT_VALUES: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["profiles id", async () => profiles()],
  ["resolve text", tools],
  ["explain text", tools],
  ["policy test name", tools],
  ["policy admit name", tools],
  ["approve id|name", tools],
  ["deny id|name", tools],
  ["login server", servers],
  ["logout server", servers],
]);

/** Names of options and arguments that mean a file. */
const FILES = new Set(["file", "a", "b"]);

/** The last word is the one that is being typed. */
export async function completeWords(
  words: readonly string[],
  context: CompletionContext,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return { kind: "files", candidates: [] };
  const [name] = before;
  if (name === undefined || (name === "help" && before.length === 1)) {
    return only(current, current.startsWith("-") ? programFlags() : commandNames(context));
  }
  const entry = context.commands.find((each) => each.name === name);
  if (entry === undefined) return NOTHING;
  const typed = readWords(await defineCommand(entry, context), before.slice(1));
  if (typed.pending !== undefined) return complete(current, typed.pending, { typed, context });
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && value !== undefined) {
    const option = typed.command.options.find(({ long }) => long === flag);
    if (option === undefined) return NOTHING;
    const { kind, candidates } = await complete(value, option, { typed, context });
    return { kind, candidates: candidates.map((each) => ({ ...each, word: `${flag}=${each.word}` })) };
  }
  if (current.startsWith("-")) return only(current, flagsOf(typed));
  if (typed.command.commands.length > 0) return only(current, subcommandsOf(typed.command));
  const argument = argumentAt(typed);
  return argument === undefined
    ? only(current, flagsOf(typed))
    : complete(current, argument, { typed, context });
}

/** The values that one option or argument may have. */
async function complete(
  current: string,
  taker: Option | Argument,
  { typed, context }: { readonly typed: TypedWords; readonly context: CompletionContext },
): Promise<Completion> {
  const choices = taker.argChoices;
  if (choices !== undefined)
    return only(
      current,
      choices.map((word) => ({ word })),
    );
  const isOption = "long" in taker;
  const name = isOption ? (/[<[]([^.\]>]+)/.exec(taker.flags)?.[1] ?? "") : taker.name();
  const values = isOption
    ? OPTION_VALUES.get(taker.long ?? "")
    : ARGUMENT_VALUES.get(`${typed.path} ${name}`);
  if (values !== undefined) return only(current, await values(typed, context));
  return FILES.has(name) ? { kind: "files", candidates: [] } : NOTHING;
}

function only(current: string, candidates: readonly Candidate[]): Completion {
  return { kind: "words", candidates: candidates.filter(({ word }) => word.startsWith(current)) };
}

/** With its options and arguments, and without doing anything. */
async function defineCommand(
  entry: CommandEntry,
  { terminal, version }: CompletionContext,
): Promise<Command> {
  const command = new Command(entry.name).helpOption("-h, --help", "print this help");
  const define = await entry.load();
  define(command, { terminal, version, started: [], hasDashes: false, run: async () => {} });
  return command;
}

function readWords(top: Command, words: readonly string[]): TypedWords {
  let command = top;
  let path = top.name();
  let pending: Option | undefined;
  let config: string | undefined;
  const values: string[] = [];
  const used = new Set<Option>();
  for (const word of words) {
    if (word.startsWith("-") && word !== "-") {
      const [flag] = word.split("=", 1);
      const option = command.options.find(({ long, short }) => flag === long || flag === short);
      if (option !== undefined) used.add(option);
      if (word.startsWith("--config=")) config = word.slice("--config=".length);
      pending = option !== undefined && takesValue(option) && !word.includes("=") ? option : undefined;
      continue;
    }
    if (pending !== undefined) {
      if (pending.long === "--config") config = word;
      if (!pending.variadic) pending = undefined;
      continue;
    }
    const below = command.commands.find((each) => each.name() === word);
    if (below === undefined) values.push(word);
    else {
      command = below;
      path = `${path} ${word}`;
    }
  }
  return { command, path, arguments: values, config, pending, used };
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function argumentAt({ command, arguments: given }: TypedWords): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[given.length] ?? (last?.variadic === true ? last : undefined);
}

/** As the help lists them, without those that are on the line already. */
function flagsOf({ command, used }: TypedWords): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !used.has(option) || option.variadic)
    .map(({ long, short, description }) => ({ word: long ?? short ?? "", about: description }));
}

function programFlags(): readonly Candidate[] {
  return [
    { word: "--help", about: "print this help" },
    { word: "--version", about: "print the version and its build" },
  ];
}

function commandNames({ commands }: CompletionContext): readonly Candidate[] {
  return [
    ...commands.map(({ name, summary }) => ({ word: name, about: summary })),
    { word: "help", about: "print the help of a command" },
  ];
}

function subcommandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), about: each.summary() || each.description() }));
}

function profiles(): readonly Candidate[] {
  return listProfiles().map(({ id, title }) => ({ word: id, about: title }));
}

/** Ids of servers and toolboxes stand in the config; nothing is asked for them. */
async function servers(typed: TypedWords, context: CompletionContext): Promise<readonly Candidate[]> {
  const { config } = await open(typed, context, { static: true });
  return unique(config.servers.map(({ source }) => source.server));
}

async function toolboxes(typed: TypedWords, context: CompletionContext): Promise<readonly Candidate[]> {
  const { config } = await open(typed, context, { static: true });
  return unique(config.servers.flatMap(({ source }) => source.toolbox ?? []));
}

/** As the gateway that runs has them, or as they are on record; no server is started for it. */
async function tools(typed: TypedWords, context: CompletionContext): Promise<readonly Candidate[]> {
  const { config, snapshot } = await open(typed, context, { until: "record" });
  const table = snapshot.namesFor(config.naming.profile ?? "universal");
  return [
    ...table.tools.map(({ name, tool }) => ({ word: name, about: tool.canonical })),
    ...table.tools.map(({ tool }) => ({ word: tool.canonical, about: tool.server })),
  ];
}

function open(
  { config }: TypedWords,
  { terminal, version }: CompletionContext,
  options: { readonly static?: true; readonly until?: "record" },
) {
  return openLiveSnapshot(
    { ...options, version, quiet: true, ...(config === undefined ? {} : { config }) },
    terminal,
  );
}

function unique(words: readonly string[]): readonly Candidate[] {
  return [...new Set(words)].map((word) => ({ word }));
}
