// onym migrate: a whole renaming from one naming to another: the table, the aliases with their window, a guide for users,
// allow lists of clients, and old names in a source tree (LOCK-4).

import { InvalidArgumentError, Option } from "commander";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { countNoun, pathFromHere } from "../../../output/wording.js";
import type { LiveOptions } from "../../catalog/open-live.js";
import type { DefineCommand } from "../../command.js";
import {
  addAliasOption,
  addCatalogOptions,
  addJsonOption,
  addProfileOption,
  addServerOptions,
  refuseArguments,
} from "../../options.js";
import { usageError } from "../../usage-error.js";
import { writeRewrite } from "../mentions/rewrite-files.js";
import { aliasBlock, nextMajor, usualWindow, type Window } from "./alias-block.js";
import { LISTING_CLIENTS, type RewrittenList, rewriteAllowLists } from "./allow-lists.js";
import { buildNaming, IN_FORCE, NAMING_KINDS, type NamingContext } from "./build-naming.js";
import { type Codemod, findOldNames } from "./codemod.js";
import { writeGuide } from "./format-guide.js";
import { formatConflicts, formatMigration, reportMigration } from "./format-migration.js";
import { loadMigrationTable } from "./migration-table.js";
import { buildNamePairs } from "./name-pairs.js";
import { openMigrated } from "./open-migrated.js";
import { planMigration } from "./plan-migration.js";
import type { PlannedMigration } from "./planned-migration.js";

interface MigrateOptions extends LiveOptions {
  readonly to?: string;
  readonly from?: string;
  readonly profile?: string;
  readonly as?: string;
  readonly fromAs?: string;
  readonly server?: string;
  readonly tools?: string;
  readonly table?: string;
  readonly back?: boolean;
  readonly number?: boolean;
  readonly until?: never;
  readonly untilDay?: string;
  readonly since?: string;
  readonly majors?: number;
  readonly guide?: string;
  readonly codemod?: string;
  readonly clients?: boolean;
  readonly write?: boolean;
  readonly lock?: boolean;
  readonly json?: boolean;
}

const AFTER = `
A naming, for --from and --to:
${NAMING_KINDS.map((line) => `  ${line}`).join("\n")}

Nothing is written but what --guide names, unless --write says so. Examples:
  onym migrate --to dotted                        one style to another
  onym migrate --from metamcp --to flat           another gateway's names to Onym's
  onym migrate --from old-toolbox --to toolbox    two separators to three parts
  onym migrate --to underscores -- node server.js the tools of a server you write
  onym migrate --from sep-986 --to mcp --tools tools.json --guide MIGRATING.md
  onym migrate --to openai --tools tools.json --json > migration.json
  onym migrate --table migration.json --codemod . what would change in a source tree
  onym migrate --table migration.json --codemod . --back --write`;

export const defineMigrate: DefineCommand = (command, { terminal, run, version, started, hasDashes }) => {
  command
    .option("--to <naming>", "the new naming: a profile, a style, or another naming below")
    .option("--from <naming>", "what they are (default: as Onym names them now; of a server, raw)")
    .option("--server <id>", "rename the tools of this server of the config itself: you write it")
    .option("--tools <file>", "the tools of a server you write: a list, or the answer to tools/list")
    .option("--table <file>", "a migration that was printed with --json")
    .option("--back", "with --table: from the new names to the old ones")
    .option("--number", "number the second of two equal names instead of stopping")
    .addOption(new Option("--until <day>", "last day of the old names, YYYY-MM-DD").argParser(readDay))
    .option("--since <version>", "the version of the server that has the new names")
    .addOption(
      new Option("--majors <n>", "with --since: for how many major versions old names work").argParser(
        readMajors,
      ),
    )
    .option("--guide <file>", "write a guide for users, in Markdown")
    .option("--codemod <dir>", "find old names below a folder: a dry run, unless --write")
    .option("--clients", "with --write: also the allow lists of clients on this machine")
    .option("--write", "write what --codemod and --clients show")
    .option("--from-as <alias>", "under what clients had registered the other gateway");
  addProfileOption(command, "with --to STYLE: the profile whose rules the names follow");
  addAliasOption(command);
  addCatalogOptions(addServerOptions(command));
  addJsonOption(command)
    .addHelpText("after", AFTER)
    .action(
      (
        _: readonly string[],
        {
          until: untilDay,
          ...options
        }: Omit<MigrateOptions, "version" | "until"> & { readonly until?: string },
      ) => {
        refuseArguments(command, { started, hasDashes });
        const given = { ...options, started, version, ...(untilDay === undefined ? {} : { untilDay }) };
        refuseMixed(given);
        return run(() => migrate(given, terminal));
      },
    );
};

async function migrate(options: MigrateOptions, terminal: Terminal): Promise<ExitCode> {
  const planned =
    options.table === undefined
      ? await plan(options, terminal)
      : loadMigrationTable(options.table, {
          cwd: terminal.cwd,
          direction: options.back === true ? "back" : "there",
        });
  const { migration } = planned;
  if (migration.conflicts.length > 0) {
    if (options.json === true) await writeJson(terminal, reportMigration(planned, {}));
    else await terminal.out(`${formatConflicts(planned, terminal).join("\n")}\n`);
    return 1;
  }
  const lists = rewriteAllowLists(planned.pairs, terminal);
  const skipped = [options.table, options.guide].filter((file) => file !== undefined);
  const codemod =
    options.codemod === undefined
      ? undefined
      : findOldNames(planned.pairs, { folder: options.codemod, skipped, cwd: terminal.cwd });
  const guide = options.guide === undefined ? undefined : writeGuide(planned, options.guide, terminal);
  const written = options.write === true ? writeAll({ lists, codemod }, options) : 0;
  if (options.json === true) {
    await writeJson(terminal, reportMigration(planned, { lists, codemod, guide, written, terminal }));
    return 0;
  }
  const lines = formatMigration(planned, { lists, codemod, terminal });
  await terminal.out(`${lines.join("\n")}\n`);
  const tick = terminal.paint("green", "✓");
  if (guide !== undefined) await terminal.out(`${tick} ${pathFromHere(guide, terminal.cwd)} written.\n`);
  if (options.write === true) await terminal.out(`${tick} ${countNoun(written, "file")} changed.\n`);
  return 0;
}

function writeAll(
  { lists, codemod }: { readonly lists: readonly RewrittenList[]; readonly codemod: Codemod | undefined },
  { clients }: Pick<MigrateOptions, "clients">,
): number {
  const chosen = clients === true ? lists.map(({ rewrite }) => rewrite) : [];
  const rewrites = [...chosen, ...(codemod?.rewrites ?? [])].filter(({ before, after }) => before !== after);
  // A client's file may stand below the folder, too.
  const byPath = new Map(rewrites.map((rewrite) => [rewrite.path, rewrite]));
  for (const rewrite of byPath.values()) writeRewrite(rewrite);
  return byPath.size;
}

async function plan(options: MigrateOptions, terminal: Terminal): Promise<PlannedMigration> {
  if (options.to === undefined)
    throw usageError(
      "--to says what names are to be.",
      "A profile or a style, such as --to openai; see --help.",
    );
  const opened = await openMigrated(options, terminal);
  const { snapshot, level, profile, owner } = opened;
  const context = { snapshot, level, profile };
  const from = buildNaming(options.from ?? (level === "server" ? "raw" : IN_FORCE), context);
  const to = buildNaming(options.to, context);
  const migration = planMigration(snapshot.catalog.tools, {
    from,
    to,
    numbers: options.number === true ? "accept" : "refuse",
  });
  const window = windowOf(options, { ...opened, today: terminal.today });
  const { as } = opened;
  const fromAs = options.fromAs ?? as;
  return {
    from: from.id,
    to: to.id,
    fromTitle: from.title,
    toTitle: to.title,
    owner,
    level,
    as,
    pairs: buildNamePairs({ from, to, migration, level, as, fromAs, wanted: LISTING_CLIENTS }),
    migration,
    renames: aliasBlock(migration, { window, level }),
    window,
  };
}

function windowOf(
  { untilDay, since, majors }: MigrateOptions,
  {
    level,
    serverVersion,
    today,
  }: {
    readonly level: NamingContext["level"];
    readonly serverVersion: string | undefined;
    readonly today: string;
  },
): Window {
  if (untilDay !== undefined) return { until: untilDay };
  if (since !== undefined) return { since, ...(majors === undefined ? {} : { majors }) };
  const announced = level === "server" ? nextMajor(serverVersion) : undefined;
  return announced === undefined
    ? usualWindow(today)
    : { ...announced, ...(majors === undefined ? {} : { majors }) };
}

function refuseMixed(options: MigrateOptions): void {
  const { table, to, from, back, write, codemod, clients, untilDay, since } = options;
  const { tools, url, started = [], server } = options;
  if (table !== undefined && (to !== undefined || from !== undefined))
    throw usageError("--table has both namings.", "Leave --from and --to away, or --table.");
  if (back === true && table === undefined)
    throw usageError("--back goes with --table.", "Without a table, change --from and --to over.");
  if (write === true && codemod === undefined && clients !== true)
    throw usageError("--write goes with --codemod or --clients.", "Say what is to be written.");
  if (untilDay !== undefined && since !== undefined)
    throw usageError("--until and --since do not go together.", "Use one of them.");
  const sources = {
    "--table": table,
    "--tools": tools,
    "--url": url,
    "a command": started[0],
    "--server": server,
  };
  const asked = Object.entries(sources).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (asked.length > 1) throw usageError(`${asked.join(" and ")} do not go together.`, "Use one of them.");
}

function readDay(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw new InvalidArgumentError("A day is written YYYY-MM-DD.");
}

function readMajors(value: string): number {
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  throw new InvalidArgumentError("That is a number from 1 to 99.");
}
