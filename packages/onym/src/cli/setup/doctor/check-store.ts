// Where decisions and records of calls are kept: can it be opened, is it of this version, may it be written to, is the
// audit whole. Looking makes no store, and brings none up to date.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { escapeText } from "@onym/core";
import type { Config } from "../../../config/config.js";
import { type Absence, findAbsence, hasStore, storePlaceOf } from "../../../configured/store-place.js";
import { findLostStore, findMissingProofs, findStoreSeal } from "../../../configured/store-seal.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun } from "../../../output/wording.js";
import type { StoreState } from "../../../store/inspect-store.js";
import type { AuditCheck } from "../../../store/store.js";
import { LOSS, LOST } from "../../audit/accept-loss.js";
import type { Check } from "./check.js";

const STORE = { group: "Store", name: "store" } as const;
const AUDIT = { group: "Store", name: "audit" } as const;

export async function checkStore(
  config: Config,
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
): Promise<readonly Check[]> {
  if (!hasStore(config)) {
    const message = `none ("store" is ${JSON.stringify(config.store)}): decisions and records do not outlive the gateway`;
    return [{ ...STORE, status: "ok", message }];
  }
  const absence = findAbsence(config, cwd);
  if (absence !== undefined) {
    const lost = findLostStore(absence, config, { cwd, env });
    return [lost === undefined ? checkAbsence(absence) : { ...STORE, status: "warning", ...lost }];
  }
  const { inspectStore } = await import("../../../store/inspect-store.js");
  try {
    const { location } = storePlaceOf(config);
    const { seal } = findStoreSeal(config, env, "open");
    const state = await inspectStore({ location, folder: config.folder, seal });
    const missing = state.audit === undefined ? [] : findMissingProofs(state.audit, seal, config);
    return [...checkState(state, missing), ...checkRetention(state, config.audit)];
  } catch (error) {
    return [refused(error)];
  }
}

function checkAbsence({ file, remains, message }: Absence): Check {
  if (remains.length > 0) {
    const fix = "Else the next gateway begins with an empty one: decisions, names and records are forgotten.";
    return { ...STORE, status: "error", message, fix };
  }
  const reason = whyUnwritable(dirname(file));
  if (reason === undefined) return { ...STORE, status: "ok", message };
  return {
    ...STORE,
    status: "error",
    message: `${showPath(file)} cannot be made: ${showPath(dirname(file))} ${reason}.`,
    fix: 'Make the folder, writable for the gateway, or name another place in "store".',
  };
}

function whyUnwritable(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return "is no folder";
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "does not exist";
    return code === "ENOTDIR" ? "is no folder" : `may not be written to (${code ?? "unknown error"})`;
  }
}

function checkState(
  { place, schema, unwritable, records, audit }: StoreState,
  missing: AuditCheck["broken"],
): readonly Check[] {
  if (schema === "empty")
    return [{ ...STORE, status: "ok", message: `${place} is reached; the first gateway makes its tables` }];
  if (schema === "older") {
    const fix =
      "onym serve, or any command that opens it, brings it up to date; earlier versions refuse it then.";
    return [{ ...STORE, status: "warning", message: `${place} is of an earlier version`, fix }];
  }
  return [
    unwritable === undefined
      ? { ...STORE, status: "ok", message: `${place} can be read and written` }
      : refused(unwritable),
    ...(audit === undefined
      ? []
      : [checkAudit({ ...audit, broken: [...audit.broken, ...missing] }, records)]),
  ];
}

function checkAudit({ records, chains, broken }: AuditCheck, claimed: number): Check {
  const [first] = broken;
  if (chains === 0 && first === undefined) return { ...AUDIT, status: "ok", message: "no records yet" };
  if (first === undefined) {
    const counted = `${countNoun(records, "record")} in ${countNoun(chains, "chain")}`;
    const message =
      claimed <= records
        ? `${counted}, all in place`
        : `the last ${counted} are in place; onym audit verify checks the others too`;
    return { ...AUDIT, status: "ok", message };
  }
  if (broken.every(({ isLost }) => isLost === true))
    return {
      ...AUDIT,
      status: "error",
      message: `records are gone: ${LOSS}; ${countNoun(records, "record")} in place`,
      fix: `${LOST} onym audit verify shows what is missing.`,
    };
  const others = broken.length === 1 ? "" : `, and ${countNoun(broken.length - 1, "other chain")}`;
  const place = first.seq === 0 ? "" : `broken at record ${first.seq} of ${escapeText(first.chain)}: `;
  return {
    ...AUDIT,
    status: "error",
    message: `${place}${escapeText(first.problem)}${others}.`,
    fix:
      first.seq === 0
        ? "Put back what is missing, from where it went or from a backup; onym audit verify looks again."
        : `Records were altered or lost. onym audit verify reports each chain; compare with a backup or an export.${first.isLost === true ? ` ${LOST}` : ""}`,
  };
}

/** How long records are kept, and how much of their room is taken. */
function checkRetention(
  { schema, bytes }: StoreState,
  { retentionDays, maxBytes }: Config["audit"],
): readonly Check[] {
  if (schema !== "current") return [];
  const days = retentionDays === undefined ? "" : `${countNoun(retentionDays, "day")}, and `;
  const message = `records are kept for ${days}up to ${megabytes(maxBytes)} (audit.maxBytes), then the oldest go; about ${megabytes(bytes)} taken`;
  return [{ group: "Store", name: "retention", status: "ok", message }];
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MiB`;
}

/** What else is thrown is a bug. */
function refused(error: unknown): Check {
  if (!(error instanceof OnymError)) throw error;
  return { ...STORE, status: "error", message: error.message, fix: error.hint };
}
