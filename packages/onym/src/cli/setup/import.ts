// onym import: a config from another tool's, with renames for the names it used.

import { dirname, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { ClientFormat } from "../../clients/client.js";
import { type MergedServer, mergeServers } from "../../clients/merge-servers.js";
import { type ReadServer, readClientFile } from "../../clients/read-client-file.js";
import { fieldOf, objectOf } from "../../clients/server-maps.js";
import { readTextFile } from "../../config/files/read-text-file.js";
import { readConfig } from "../../config/read-config.js";
import { maskEntry } from "../../model/mask-secrets.js";
import { OnymError } from "../../model/onym-error.js";
import type { ExitCode } from "../../output/show-error.js";
import { showNote } from "../../output/show-note.js";
import { escapeJsonText, type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun, pathFromHere } from "../../output/wording.js";
import { wrapText } from "../../output/wrap-text.js";
import { isAskable } from "../catalog/open-live.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { usageError } from "../usage-error.js";
import { buildConfigText, checkConfigText, countLiterals, noteLiterals } from "./import/build-config-text.js";
import {
  detectFormat,
  IMPORT_FORMATS,
  type ImportFormat,
  importFormatOf,
  type OldNames,
  oldNamesOf,
  withSeparator,
} from "./import/import-formats.js";
import { writeConfig } from "./write-config.js";

interface ImportOptions {
  readonly from?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly live?: boolean;
  readonly version: string;
  readonly json?: boolean;
}

export const defineImport: DefineCommand = (command, { terminal, run, version }) => {
  const ids = IMPORT_FORMATS.map(({ id }) => id).join(", ");
  const readable = wrapText(ids, { columns: terminal.columns ?? 100, indent: "  " });
  command
    .argument("<file>", "the config of another gateway or of a client: JSON, TOML or YAML")
    .option("--from <tool>", "whose config it is, if the file does not show it")
    .option("-o, --out <file>", "write the config there instead of printing it")
    .option("--force", "with --out: write over a file that exists")
    .option("--live", "start the servers once, so that every old name of their tools is known");
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym import ~/.config/mcphub/servers.json --from mcp-hub --out onym.json\n  onym import ~/.codex/config.toml" +
        `\n\nConfigs of these can be read:\n${readable.join("\n")}`,
    )
    .action((file: string, options: Omit<ImportOptions, "version">) =>
      run(() => importConfig(file, { ...options, version }, terminal)),
    );
};

async function importConfig(file: string, options: ImportOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.force === true && options.out === undefined)
    throw usageError("--force goes with --out.", "Name the file to write: --out onym.json.");
  const { from, servers: read, mode } = readServers(file, options, terminal);
  const { servers: merged, outcomes, notes: merging } = mergeServers([read]);
  const leftOut = (outcomes[0] ?? []).flatMap((entry) =>
    entry.outcome === "added" ? [] : [`${quoteText(entry.id)} was left out: ${reasonOf(entry)}.`],
  );
  const { servers, notes: asked } =
    options.live === true ? await askTools(merged, options, terminal) : { servers: merged, notes: [] };
  const old = oldNamesIn(servers, from);
  const entries = servers.map(({ entry }) => entry);
  const out = options.out === undefined ? undefined : resolve(terminal.cwd, options.out);
  const folder = out === undefined ? terminal.cwd : dirname(out);
  const text = buildConfigText(servers, folder, { renames: old.renames, mode });
  const masked = servers.map((server) => ({ ...server, entry: maskEntry(server.entry) }));
  const shown = buildConfigText(masked, folder, { renames: old.renames, mode });
  const checked = checkConfigText(text, { file: options.out ?? "onym.json", folder, env: terminal.env });
  const notes = [...leftOut, ...merging, ...asked, ...old.notes, ...noteLiterals(entries), ...checked];
  if (out !== undefined)
    writeConfig(out, text, {
      force: options.force === true,
      isSecret: countLiterals(entries) > 0,
      orElse: "leave --out away to look at it first",
    });

  const target = out === undefined ? undefined : pathFromHere(out, terminal.cwd);
  if (options.json === true) {
    const config: unknown = JSON.parse(shown);
    const ids = servers.map(({ id }) => id);
    await writeJson(terminal, {
      from: from?.id ?? null,
      out: target,
      servers: ids,
      renames: old.renames,
      notes,
      config,
    });
    return 0;
  }
  // In a pipe this is the config itself. On a screen, secrets are masked: others may see it.
  if (target === undefined) await terminal.out(escapeJsonText(terminal.isTTY ? shown : text));
  else
    await terminal.out(
      `${terminal.paint("green", "✓")} ${target} written: ${countNoun(servers.length, "server")}.\n`,
    );
  for (const note of notes) showNote(note, terminal);
  return 0;
}

/** Their tools, as if the file had listed them: names of tools that it never mentions are known then, too. */
async function askTools(
  servers: readonly MergedServer[],
  { version }: Pick<ImportOptions, "version">,
  terminal: Terminal,
): Promise<{ readonly servers: readonly MergedServer[]; readonly notes: readonly string[] }> {
  const [{ askServers }, { buildLiveConfig }] = await Promise.all([
    import("../catalog/live-servers.js"),
    import("../catalog/live-config.js"),
  ]);
  const place = { file: "onym.json", folder: terminal.cwd, isClientFile: false };
  const config = readConfig(buildConfigText(servers, terminal.cwd), {
    ...place,
    env: terminal.env,
    readText: readTextFile,
  });
  const wanted = config.servers.filter(isAskable);
  const live = buildLiveConfig(config, await askServers(config, { servers: wanted, version }, terminal));
  const listed = new Map(
    live.config.servers.map(({ source, hidden }) => [
      JSON.stringify([source.toolbox, source.server]),
      [...source.tools, ...hidden].map((tool) => (typeof tool === "string" ? tool : tool.name)),
    ]),
  );
  return {
    servers: servers.map((server) => {
      const tools = listed.get(JSON.stringify([server.toolbox?.id, server.id])) ?? [];
      return {
        ...server,
        mentions: [...new Set([...server.mentions, ...tools])],
        isListed: tools.length > 0,
      };
    }),
    notes: live.problems.map(({ message, fix }) => `${message} ${fix}`),
  };
}

const NO_NAMES =
  "Nothing in the file shows which tool it belongs to, so no old names were carried over; say it with --from.";

/** Names in toolboxes are made as mcp-workbench makes them; the others had names of their own. */
function oldNamesIn(servers: readonly MergedServer[], from: ImportFormat | undefined): OldNames {
  const alone = servers.filter(({ toolbox }) => toolbox === undefined);
  const boxed = servers.find(({ toolbox }) => toolbox !== undefined);
  const notes =
    boxed === undefined
      ? []
      : [`Names in toolboxes (${boxed.toolbox?.id}__${boxed.id}__TOOL) stay as they are.`];
  if (alone.length === 0 && boxed !== undefined) return { renames: [], notes };
  if (from === undefined) return { renames: [], notes: [...notes, NO_NAMES] };
  const old = oldNamesOf(alone, from);
  return { ...old, notes: [...notes, ...old.notes] };
}

function reasonOf(
  entry: { readonly outcome: "same"; readonly as: string } | { readonly reason: string },
): string {
  return "reason" in entry ? entry.reason : `it is the same as ${quoteText(entry.as)}`;
}

/** @throws OnymError for a file that cannot be read, or that holds no servers. */
function readServers(
  file: string,
  options: ImportOptions,
  terminal: Terminal,
): {
  readonly from: ImportFormat | undefined;
  readonly servers: readonly ReadServer[];
  readonly mode: string | undefined;
} {
  const said = options.from === undefined ? undefined : importFormatOf(options.from);
  const text = readTextFile(resolve(terminal.cwd, file));
  if ("reason" in text) throw cannotRead(file, text.reason, "Name a file that exists and can be read.");
  const read = readClientFile(text.text, { format: formatOf(file, said), project: terminal.cwd });
  if ("reason" in read) throw cannotRead(file, read.reason, READABLE);
  if (read.servers === undefined) throw cannotRead(file, "it holds no MCP servers", READABLE);
  const from = said ?? detectFormat(resolve(terminal.cwd, file), read.value);
  return {
    from: from === undefined ? undefined : withSeparator(from, read.value),
    servers: read.servers,
    mode: modeOf(read.value),
  };
}

/** How toolboxes are opened there, where there are any: as mcp-workbench does it unless the file says otherwise (BOX-9). */
function modeOf(value: unknown): string | undefined {
  if (objectOf(fieldOf(value, "toolboxes")) === undefined) return undefined;
  const said = fieldOf(value, "mode") ?? fieldOf(value, "toolMode");
  return typeof said === "string" ? said : "dynamic";
}

/** The name of the file decides where it is plain; a tool may be told to write elsewhere. */
function formatOf(file: string, said: ImportFormat | undefined): ClientFormat {
  if (/\.ya?ml$/i.test(file)) return "yaml";
  if (/\.toml$/i.test(file)) return "toml";
  return /\.jsonc?$/i.test(file) ? "json" : (said?.format ?? "json");
}

const READABLE = `JSON, TOML and YAML can be read, of ${IMPORT_FORMATS.map(({ id }) => id).join(", ")}.`;

function cannotRead(file: string, reason: string, hint: string): OnymError {
  return new OnymError("import-unreadable", `${quoteText(file)} cannot be imported: ${reason}.`, hint);
}
