// The store of a gateway, and its guards: one for each config in force.

import { escapeText } from "@onym/core";
import type { Config } from "../../config/config.js";
import { configPath } from "../../config/files/config-path.js";
import { userConfigFile } from "../../config/files/user-folders.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { isIsolated } from "../../config/launches/place-server.js";
import { confinesAnybody } from "../../config/sections/read-auth.js";
import { hasStore } from "../../configured/store-place.js";
import { findStoreSeal } from "../../configured/store-seal.js";
import { realConfigPath } from "../../control/registration.js";
import { createGuard } from "../../gateway/calls/create-guard.js";
import { type Guard, OPEN_GUARD } from "../../gateway/calls/guard.js";
import type { Log } from "../../model/log.js";
import { shellWord } from "../../output/wording.js";
import { createMemoryStore } from "../../store/create-memory-store.js";
import type { AuditStore, AuditWriter, DecisionStore, Store } from "../../store/store.js";

/** Beside the config, unless it says otherwise. */
const DEFAULT_STORE = "onym.db";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface GuardSource {
  /** `undefined` if nothing is recorded, and decisions last as long as the process. */
  readonly store: Store | undefined;
  /** A guard for a config. @throws OnymError for a store that cannot be used. */
  readonly guardFor: (config: Config) => Promise<Guard>;
  /** The problem that currently prevents deciding and recording calls. */
  readonly trouble: () => Promise<unknown>;
  /** Audit records that are not written yet. */
  readonly recordsWaiting: () => number;
  /** Call after the last guard was closed. */
  readonly close: () => Promise<void>;
}

/** Decides nothing and records nothing: for the demo. */
export const NO_GUARD: GuardSource = {
  store: undefined,
  guardFor: async () => OPEN_GUARD,
  trouble: async () => undefined,
  recordsWaiting: () => 0,
  close: async () => {},
};

/**
 * Opens the store that the config names. With `"store": "none"` decisions last as long as the process, and
 * calls are not recorded.
 * @throws OnymError if the store is damaged, newer, or unreachable. The store stays unchanged.
 */
export async function openGuards(config: Config, log: Log, env: Environment): Promise<GuardSource> {
  const location = config.store ?? DEFAULT_STORE;
  const isKept = location !== "none";
  const open = async (): Promise<Store> => {
    const { openStore } = await import("../../store/open-store.js");
    const { seal, reason, hint } = findStoreSeal(config, env, "seal");
    if (seal === undefined && hasStore(config))
      log("warn", `decisions and records are not sealed: ${reason}. ${hint}`);
    return openStore({ location, folder: config.folder, log, seal });
  };
  const store = isKept ? await open() : undefined;
  /** Shared by all guards: decisions under an earlier guard remain valid. */
  let decisions: DecisionStore | undefined = store;
  /** Shared by all guards: calls of an earlier guard still have to be recorded. */
  let writer: AuditWriter | undefined;
  let stopRetention = (): void => {};
  /** If unrecorded calls may run, the gateway works without the store. */
  let isNeeded = true;
  return {
    store,
    async guardFor(next) {
      if ((next.store ?? DEFAULT_STORE) !== location)
        log("warn", "the config names another store; it is used from the next start on");
      // A later config may be the first with rules.
      if (decisions === undefined && !isGuarded(next)) return OPEN_GUARD;
      decisions ??= createMemoryStore(log);
      const { policy, audit, renames } = next;
      isNeeded = audit.onFailure === "deny";
      stopRetention();
      // Without a store, decisions are kept in memory; call records are not: they would fill it.
      if (store !== undefined) {
        if (writer === undefined)
          log("info", "the audit is kept until it is full, then its oldest records go", {
            maxBytes: audit.maxBytes,
            retentionDays: audit.retentionDays,
          });
        writer ??= store.audit.createWriter();
        stopRetention = keepRetention(store.audit, {
          days: audit.retentionDays,
          maxBytes: audit.maxBytes,
          // Measuring the size in PostgreSQL reads all of it.
          everyMs: store.engine === "postgres" ? HOUR_MS : MINUTE_MS,
          log,
          now: Date.now,
        });
      }
      const maxSuspended = next.limits.callerQuestions;
      return createGuard({
        policy,
        audit,
        renames,
        sources: next.servers.map(({ source }) => source),
        maxSuspended,
        asksAnonymous: !next.servers.some(isIsolated),
        store: decisions,
        writer,
        log,
        now: Date.now,
        config: configWords(next, env),
      });
    },
    recordsWaiting: () => writer?.waiting() ?? 0,
    trouble: async () => (isNeeded ? store?.trouble() : undefined),
    async close() {
      stopRetention();
      await writer?.close();
      await store?.close();
    },
  };
}

/** The config restricts what some caller may see or run. */
function isGuarded({ policy, auth }: Config): boolean {
  const { newTools, rules } = policy;
  return policy.default !== "allow" || newTools !== "allow" || rules.length > 0 || confinesAnybody(auth);
}

// Removes audit records that are too old or too many for the config: at the start, and periodically.

const DAY_MS = 24 * 60 * 60_000;

export interface RetentionOptions {
  /** `undefined`: regardless of age. */
  readonly days: number | undefined;
  readonly maxBytes: number;
  /** How often the size is checked. */
  readonly everyMs: number;
  readonly log: Log;
  readonly now: () => number;
}

/** Returns a function that stops it. */
export function keepRetention(
  audit: Pick<AuditStore, "prune" | "shrink">,
  { days, maxBytes, everyMs, log, now }: RetentionOptions,
): () => void {
  let isBusy = false;
  const remove = async (text: string, work: () => Promise<number>): Promise<void> => {
    try {
      const removed = await work();
      if (removed > 0) log("info", text, { removed });
    } catch (error) {
      log("error", `audit records cannot be removed: ${escapeText(String(error))}`);
    }
  };
  const shrink = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    await remove(`the audit took more than ${maxBytes} bytes: its oldest records were removed`, () =>
      audit.shrink(maxBytes),
    );
    isBusy = false;
  };
  const prune = async (): Promise<void> => {
    if (days === undefined) return;
    await remove("audit records past their time were removed", () => audit.prune(now() - days * DAY_MS));
  };
  void prune().then(shrink);
  const timers = [setInterval(() => void prune(), DAY_MS), setInterval(() => void shrink(), everyMs)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** What makes a command be about this config, wherever it is run; `undefined` for the user's own. */
function configWords(config: Config, env: Environment): string | undefined {
  const file = configPath(config);
  const own = userConfigFile({ platform: process.platform, env });
  return realConfigPath(file) === realConfigPath(own) ? undefined : `--config ${escapeText(shellWord(file))}`;
}
