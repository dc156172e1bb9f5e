// onym add: one more server in the config, started once to show its tools and their names (CFG-6).

import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import type { Config, ConfigServer } from "../../../config/config.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { userConfigFile } from "../../../config/files/user-folders.js";
import { isSame, readDocument, valueAt } from "../../../documents/edit-document.js";
import { maskEntry } from "../../../model/mask-secrets.js";
import { OnymError } from "../../../model/onym-error.js";
import { type Cell, formatTable } from "../../../output/format-table.js";
import { nameProgram } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { showNote } from "../../../output/show-note.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { countNoun, joinWords } from "../../../output/wording.js";
import { type DefineCommand, HELP_HINT } from "../../command.js";
import { addJsonOption } from "../../options.js";
import { usageError } from "../../usage-error.js";
import { listClientsWithOnym } from "../connect/list-connections.js";
import {
  type ConfigText,
  editConfigText,
  noteOtherConfig,
  openConfigText,
  readConfigText,
  saveConfigText,
  serversPath,
} from "./config-file.js";
import { fromServerJson } from "./from-server-json.js";
import { groupClients, type TriedServer, tryServer } from "./try-server.js";

interface AddOptions {
  readonly url?: string;
  readonly from?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly toolbox?: string;
  readonly config?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const EXAMPLES =
  "\nExamples:\n" +
  "  onym add memory -- npx -y @modelcontextprotocol/server-memory\n" +
  "  onym add github --env GITHUB_TOKEN=ghp_… -- npx -y @modelcontextprotocol/server-github\n" +
  "  onym add linear --url https://mcp.linear.app/mcp\n" +
  "  onym add --from server.json";

export const defineAdd: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];
  command
    .argument("[name]", "the id of the server: what its tools' names begin with")
    .argument("[command...]", "after --: the command that starts it")
    .option("--url <url>", "the address of a server that runs already")
    .option("--from <file>", "a server.json, as the MCP registry publishes them")
    .option("--env <name=value>", "a variable for it; again for more", collect)
    .option("--header <name: value>", "with --url: a header to send; again for more", collect)
    .option("--cwd <folder>", "the folder to start it in")
    .option("--toolbox <id>", "the toolbox to put it into")
    .option("-c, --config <file>", "the config to edit (default: your own)")
    .option("--force", "add it even if it does not start");
  addJsonOption(command)
    .showHelpAfterError(
      nameProgram(
        `(the command of the server stands after two dashes: onym add memory -- npx -y some-server;\n${HELP_HINT})`,
        process.env,
      ),
    )
    .addHelpText("after", EXAMPLES)
    .action((name: string | undefined, _: readonly string[], options: AddOptions) => {
      const before = command.args.length - started.length;
      const extra = command.args[1] ?? "";
      if (before > 1 || (hasDashes && started.length === 0))
        throw usageError(
          hasDashes ? "There is nothing after --." : `Unexpected argument ${quoteText(extra)}.`,
          /^https?:/i.test(extra)
            ? "For a URL use --url: onym add linear --url https://mcp.linear.app/mcp"
            : "Put the command of the server after two dashes: onym add memory -- npx -y some-server",
        );
      const named = before === 1 ? name : undefined;
      return run(() => addServer(named, { ...options, started, version }, terminal));
    });
};

async function addServer(
  name: string | undefined,
  options: AddOptions & { readonly started: readonly string[]; readonly version: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const given = readEntry(name, options, terminal);
  const opened = openConfigText(options.config, terminal);
  const path = [...serversPath(opened.value, options.toolbox), given.id];
  const there = valueAt(opened.value, path);
  if (there !== undefined && !isSame(there, given.entry))
    throw usageError(
      `${opened.shown} has another server ${quoteText(given.id)}, which is started in another way.`,
      `Choose another name, or take that one out first: onym remove ${given.id}.`,
    );
  const text = there === undefined ? editConfigText(opened, [{ path, value: given.entry }]) : opened.text;
  const config = readConfigText(text, opened, terminal);
  const server = findServer(config, given.id, options.toolbox);
  const tried = explainPaths(
    await tryServer(config, server, { version: options.version, terminal }),
    options.started,
    terminal,
  );
  const isAdded = tried.ok || options.force === true;
  if (isAdded && there === undefined) saveConfigText(text, opened, terminal);
  const status = !isAdded ? "refused" : there === undefined ? "added" : "exists";
  const notes = [...given.notes, ...(tried.ok ? tried.problems : []), ...noteOtherConfig(opened, terminal)];
  if (options.json === true)
    await writeJson(terminal, {
      status,
      server: given.id,
      file: opened.file,
      entry: maskEntry(Object(given.entry)),
      ...(tried.ok
        ? {
            tools: tried.tools.map(({ raw, canonical, names }) => ({
              raw,
              canonical,
              names: Object.fromEntries(names),
            })),
          }
        : { problem: { reason: tried.reason, hint: tried.hint } }),
      notes,
    });
  else await report({ status, id: given.id, tried, opened, notes }, terminal);
  return isAdded ? 0 : 1;
}

function findServer(config: Config, id: string, toolbox: string | undefined): ConfigServer {
  const server = config.servers.find(({ source }) => source.server === id && source.toolbox === toolbox);
  if (server !== undefined) return server;
  throw new OnymError(
    "config-invalid",
    `${quoteText(id)} is switched off in the config.`,
    `onym enable ${id} switches it on.`,
  );
}

interface GivenEntry {
  readonly id: string;
  readonly entry: object;
  readonly notes: readonly string[];
}

/** @throws OnymError `usage` unless exactly one way to reach the server is given. */
function readEntry(
  name: string | undefined,
  options: AddOptions & { readonly started: readonly string[] },
  { cwd }: Terminal,
): GivenEntry {
  const { url, from, started } = options;
  const ways = [started.length > 0, url !== undefined, from !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw usageError(
      ways === 0 ? "Tell Onym how to reach the server." : "The server can be reached in one way only.",
      "Give its command after two dashes, or --url, or --from: onym add memory -- npx -y some-server",
    );
  const env = pairsOf(options.env ?? [], "=", "--env");
  const headers = pairsOf(options.header ?? [], ":", "--header");
  if (headers.size > 0 && started.length > 0)
    throw usageError("--header goes with --url.", "Use --env for a command.");
  if (env.size > 0 && url !== undefined)
    throw usageError("--env goes with a command.", "Use --header for an address.");
  const read = from === undefined ? undefined : readServerJson(from, cwd);
  const id = name ?? read?.name;
  if (id === undefined || id.trim() === "")
    throw usageError(
      "The server has no name.",
      "Say what its tools' names are to begin with: onym add NAME …",
    );
  const base: Readonly<Record<string, unknown>> =
    read?.entry ?? (url === undefined ? commandEntry(started, cwd) : { url: checkUrl(url) });
  const entry = {
    ...base,
    ...withPairs("env", base, env),
    ...withPairs("headers", base, headers),
    ...(options.cwd === undefined ? {} : { cwd: resolve(cwd, options.cwd) }),
  };
  const isSet = (note: string): boolean =>
    [...env.keys(), ...headers.keys()].some((key) => note.startsWith(`Set ${key} `));
  return { id, entry, notes: (read?.notes ?? []).filter((note) => !isSet(note)) };
}

const RELATIVE = /^\.{1,2}[/\\]/;
/** A file named as people type it in its folder: `server.mjs`, `dist/index.js`. */
const BARE_FILE = /^\w[\w./-]*\.\w+$/;

/** Servers start in a folder of their own, so that files of this one are written out. */
function commandEntry(words: readonly string[], cwd: string): Readonly<Record<string, unknown>> {
  const [command = "", ...args] = words.map((word, index) =>
    isFileName(word, index) && existsSync(resolve(cwd, word)) ? resolve(cwd, word) : word,
  );
  return { command, ...(args.length === 0 ? {} : { args }) };
}

/** A command without a folder is looked up on PATH. */
function isFileName(word: string, index: number): boolean {
  return RELATIVE.test(word) || (index > 0 && BARE_FILE.test(word));
}

/** Programs whose first argument is a script. */
const RUNTIMES: ReadonlySet<string> = new Set(["node", "bun", "deno", "tsx", "python", "python3", "ruby"]);

/** What is missing is named as it was typed, not as the server looked for it in a folder of its own. */
function explainPaths(tried: TriedServer, words: readonly string[], { cwd }: Terminal): TriedServer {
  if (tried.ok) return tried;
  const [command = "", ...args] = words;
  const script = RUNTIMES.has(basename(command)) && BARE_FILE.test(args[0] ?? "") ? args[0] : undefined;
  const named = [...words.filter((word) => RELATIVE.test(word)), ...(script === undefined ? [] : [script])];
  const missing = named.find((word) => !existsSync(resolve(cwd, word)));
  if (missing === undefined) return tried;
  return {
    ok: false,
    reason: `${quoteText(missing)} is not in this folder.`,
    hint: "Go to the folder it is in, or write the whole path.",
  };
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw usageError("--url is not a valid HTTP address.", "Write https://… or http://….");
}

function readServerJson(file: string, cwd: string) {
  const read = readTextFile(resolve(cwd, file));
  const parsed =
    "text" in read ? readDocument(read.text, "json") : { ok: false as const, reason: read.reason };
  const server = parsed.ok ? fromServerJson(parsed.value) : parsed;
  if (server.ok) return { ...server, entry: { ...server.entry } as Readonly<Record<string, unknown>> };
  throw usageError(
    `${quoteText(file)} is no server.json: ${server.reason}.`,
    "Name a file as the MCP registry publishes them.",
  );
}

function withPairs(
  key: "env" | "headers",
  base: Readonly<Record<string, unknown>>,
  pairs: ReadonlyMap<string, string>,
): object {
  if (pairs.size === 0) return {};
  return { [key]: { ...Object(base[key]), ...Object.fromEntries(pairs) } };
}

function pairsOf(texts: readonly string[], mark: "=" | ":", flag: string): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf(mark);
      if (at < 1)
        throw usageError(
          `${flag} takes NAME${mark}VALUE.`,
          `For example ${flag} ${mark === "=" ? "KEY=value" : '"X-Key: value"'}.`,
        );
      const value = text.slice(at + 1);
      return [text.slice(0, at).trim(), mark === ":" ? value.trim() : value] as const;
    }),
  );
}

async function report(
  {
    status,
    id,
    tried,
    opened,
    notes,
  }: {
    readonly status: "added" | "exists" | "refused";
    readonly id: string;
    readonly tried: TriedServer;
    readonly opened: ConfigText;
    readonly notes: readonly string[];
  },
  terminal: Terminal,
): Promise<void> {
  const { paint, err, paintErr, out } = terminal;
  if (!tried.ok) {
    err(`${paintErr("red", "✗")} ${quoteText(id)} does not start: ${tried.reason}\n  ${tried.hint}\n`);
    if (status === "refused") err("  Nothing was written. --force adds it anyway.\n");
  }
  const where = status === "exists" ? `is in ${opened.shown} already` : `added to ${opened.shown}`;
  const count = tried.ok ? `: ${countNoun(tried.tools.length, "tool")}` : ", though it does not start";
  if (status !== "refused") await out(`${paint("green", "✓")} ${escapeText(id)} ${where}${count}.\n`);
  if (tried.ok && tried.tools.length > 0) await out(`\n${formatTools(tried, terminal).join("\n")}\n`);
  for (const note of notes) showNote(note, terminal);
  if (status !== "refused") await out(nextStep(opened, terminal));
}

/** Clients that are connected start Onym with the user's own config; another one is up to whoever named it. */
function nextStep({ file }: ConfigText, { env, cwd }: Terminal): string {
  const machine = { platform: process.platform, env, project: cwd };
  if (file !== userConfigFile(machine)) return "";
  const clients = listClientsWithOnym(machine);
  if (clients.length === 0)
    return nameProgram("\nNext: onym connect lists your clients and connects one to Onym.\n", env);
  const [verb, titles] = [clients.length === 1 ? "gets" : "get", clients.map(({ title }) => title)];
  return `\n${joinWords(titles)} ${verb} these tools through Onym.\n`;
}

/** Names that most clients share in one column, and what the others call the same tools below. */
function formatTools({ tools }: Extract<TriedServer, { ok: true }>, { paint }: Terminal): readonly string[] {
  const [most, ...others] = groupClients(tools);
  const nameIn = (client: string | undefined, index: number): string =>
    escapeText(tools[index]?.names.get(client ?? "") ?? "not listed");
  const head: readonly Cell[] = [
    "TOOL",
    others.length === 0 ? "NAME" : `NAME in ${most?.titles.join(", ") ?? ""}`,
  ].map((text) => ({
    text,
    style: "dim",
  }));
  const rows = tools.map(({ raw }, index): readonly Cell[] => [
    escapeText(raw),
    { text: nameIn(most?.client, index), style: "bold" },
  ]);
  return [
    ...formatTable([head, ...rows], paint),
    ...others.flatMap(({ titles, client }) => [
      "",
      paint("dim", `In ${titles.join(", ")}:`),
      ...formatTable(
        tools.flatMap(({ raw }, index) =>
          nameIn(client, index) === nameIn(most?.client, index)
            ? []
            : [[`  ${escapeText(raw)}`, nameIn(client, index)]],
        ),
        paint,
      ),
    ]),
  ];
}
