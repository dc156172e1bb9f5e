// onym audit: the record of calls (POL-4). Looks at it, checks its chains, hands it out, and shortens it.

import { escapeText, quoteText } from "@onym/core";
import type { Command } from "commander";
import { didYouMean } from "../../config/json/near-text.js";
import { findLostStore, findMissingProofs, findStoreSeal } from "../../configured/store-seal.js";
import { showPath } from "../../model/show-path.js";
import { formatTable } from "../../output/format-table.js";
import { nameProgram } from "../../output/package-folder.js";
import type { ExitCode } from "../../output/show-error.js";
import { formatJson, type Terminal, writeJson } from "../../output/terminal.js";
import { countNoun } from "../../output/wording.js";
import type { AuditCheck } from "../../store/store.js";
import { type DefineCommand, HELP_COMMAND } from "../command.js";
import { addJsonOption, addStoreOption } from "../options.js";
import { readMoment } from "../read-moment.js";
import { type StoreOptions, type StoreUse, withStore } from "../store/with-store.js";
import { usageError } from "../usage-error.js";
import { defineAcceptLoss, LOSS, LOST } from "./accept-loss.js";
import { reportRecord } from "./audit-rows.js";
import { defineAuditTail } from "./audit-tail.js";
import { pagesFrom } from "./follow-audit.js";

const EXAMPLES = `
Without a word after it, audit is audit tail.

Examples:
  onym audit
  onym audit tail -n 100 --follow
  onym audit verify
  onym audit export --since 2026-01-01 > audit.jsonl
  onym audit prune --before 2026-01-01
  onym audit accept-loss`;

interface JsonOptions extends StoreOptions {
  readonly json?: boolean;
}

interface ExportOptions extends StoreOptions {
  readonly since?: string;
  readonly until?: string;
}

export const defineAudit: DefineCommand = (command, edge) => {
  const { terminal, run } = edge;
  command.helpCommand(...HELP_COMMAND).addHelpText("after", EXAMPLES);
  const define = (name: string, about: string, examples: readonly string[]): Command =>
    addStoreOption(
      command
        .command(name, { isDefault: name === "tail" })
        .description(about)
        .addHelpText("after", `\nExamples:\n${examples.map((each) => `  onym audit ${each}`).join("\n")}`),
    );

  const tail = define("tail", "the last records, one line for each call", [
    "tail -n 100",
    "tail --follow --json",
  ]).allowExcessArguments(true);
  defineAuditTail(tail, {
    ...edge,
    run: (work) => {
      refuseWords(tail.args);
      return run(work);
    },
  });
  const verifying = define(
    "verify",
    "checks that no record was changed or removed; exit 1 if one was, or there is no store",
    ["verify", "verify --json"],
  );
  addJsonOption(verifying).action((options: JsonOptions) =>
    run(() => withStore(options, terminal, (use) => verify(use, options, terminal))),
  );
  define("export", "all records as JSON lines, oldest first", ["export --since 2026-01-01 > audit.jsonl"])
    .option("--since <date>", "from this day or moment on")
    .option("--until <date>", "to the end of this day, or to this moment")
    .option("--json", "changes nothing: they are JSON")
    .action((options: ExportOptions) => {
      const since = options.since === undefined ? undefined : readMoment("--since", options.since, "first");
      const until = options.until === undefined ? undefined : readMoment("--until", options.until, "last");
      return run(() => withStore(options, terminal, (use) => exportRecords(use, { since, until }, terminal)));
    });
  defineAcceptLoss(
    define(
      "accept-loss",
      "accepts that records are gone, where you deleted the store or put an older copy back",
      ["accept-loss"],
    ),
    edge,
  );
  const pruning = define("prune", "removes the oldest records; the others can still be verified", [
    "prune --before 2026-01-01",
  ]);
  addJsonOption(pruning)
    .requiredOption("--before <date>", "what is older than this day or moment goes")
    .action((options: JsonOptions & { readonly before: string }) => {
      const before = readMoment("--before", options.before, "first");
      if (before > Date.now())
        throw usageError(
          `--before ${quoteText(options.before)} has not come yet.`,
          "Name a day that is over.",
        );
      return run(() => withStore(options, terminal, (use) => prune(use, before, options, terminal)));
    });
};

/** A mistyped word would be taken for an argument of `tail`. */
function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  const near = didYouMean(word, ["tail", "verify", "export", "prune", "accept-loss"]);
  throw usageError(
    `onym audit knows no ${quoteText(word)}.`,
    `${near}There are tail, verify, export, prune and accept-loss.`,
  );
}

/** A missing store exits 1: a scheduled check must not report success when there was nothing to check. */
async function verify(
  { store, absence, config }: StoreUse,
  { json }: JsonOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { paint } = terminal;
  if (store === undefined) {
    if (json === true)
      await writeJson(terminal, { records: 0, chains: 0, broken: [], missing: absence.file });
    else {
      const lost = findLostStore(absence, config, terminal);
      await terminal.out(
        `${paint("red", "✗")} Nothing was verified. ${lost === undefined ? absence.message : `${lost.message} ${nameProgram(lost.fix, terminal.env)}`}\n`,
      );
    }
    return 1;
  }
  const verified = await store.audit.verify();
  const { records, chains, isSealed = false, anchored = 0 } = verified;
  const { seal, reason } = findStoreSeal(config, terminal.env, "open");
  const broken = [...verified.broken, ...findMissingProofs(verified, seal, config)];
  if (json === true)
    await writeJson(terminal, {
      records,
      chains,
      broken: broken.map(({ chain, seq, problem }) => ({ chain, seq, problem })),
      sealed: isSealed,
      anchored,
      anchor: seal?.anchorFile,
    });
  else if (chains === 0 && broken.length === 0)
    await terminal.out(`${paint("green", "✓")} There are no records yet.\n`);
  else {
    const counted = `${countNoun(records, "record")} in ${countNoun(chains, "chain")}`;
    const lines =
      broken.length === 0
        ? [`${paint("green", "✓")} ${counted}, all in place.`]
        : [
            `${paint("red", "✗")} ${describeBroken(broken, counted)}`,
            ...formatTable(
              broken.map(({ chain, seq, problem }) => [
                `  ${escapeText(chain)}`,
                seq === 0 ? "" : `record ${seq}`,
                { text: escapeText(problem), style: "red" },
              ]),
              paint,
            ),
          ];
    const means =
      seal === undefined
        ? `  Hashes only: ${reason}.`
        : `  Held against the key, and the ends of ${countNoun(anchored, "chain")} against ${showPath(seal.anchorFile, terminal.cwd)}.`;
    const way = broken.some(({ isLost }) => isLost === true) ? [`  ${nameProgram(LOST, terminal.env)}`] : [];
    await terminal.out(`${[...lines, ...way, paint("dim", means)].join("\n")}\n`);
  }
  return broken.length === 0 ? 0 : 1;
}

/** What else is missing has its place in brackets. */
function describeBroken(broken: AuditCheck["broken"], counted: string): string {
  const chains = broken.filter(({ chain }) => !chain.startsWith("(")).length;
  if (broken.every(({ isLost }) => isLost === true)) return `Records are gone: ${LOSS}. ${counted} in place.`;
  if (broken.every(({ chain }) => chain === "(decisions)"))
    return `Decisions are not as they are on record; ${counted} in place.`;
  const what = chains === 0 ? "Proofs are missing" : `${countNoun(chains, "chain")} broken`;
  return `${what}; ${counted} in place before that.`;
}

async function exportRecords(
  { store, absence }: StoreUse,
  {
    since = 0,
    until = Number.POSITIVE_INFINITY,
  }: { readonly since: number | undefined; readonly until: number | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  if (store === undefined) {
    terminal.err(`Nothing was exported. ${absence.message}\n`);
    return 1;
  }
  for await (const page of pagesFrom(store.audit, since)) {
    const meant = page.filter(({ at }) => at <= until);
    await terminal.out(meant.map((record) => `${formatJson(reportRecord(record))}\n`).join(""));
    if (meant.length < page.length) break;
  }
  return 0;
}

async function prune(
  { store, absence }: StoreUse,
  before: number,
  { json }: JsonOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const removed = (await store?.audit.prune(before)) ?? 0;
  if (json === true) await writeJson(terminal, { removed });
  else if (store === undefined) await terminal.out(`Nothing was removed. ${absence.message}\n`);
  else await terminal.out(`${terminal.paint("green", "✓")} ${countNoun(removed, "record")} removed.\n`);
  return 0;
}
