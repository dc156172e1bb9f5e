// The store of a gateway, and the guards that work with it: one for each config that is in force.

import { findStoreSeal } from "../../cli/decisions/store-seal.js";
import { hasStore } from "../../cli/decisions/with-store.js";
import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { confinesAnybody } from "../../config/sections/auth-config.js";
import { createGuard } from "../../gateway/calls/create-guard.js";
import { type Guard, OPEN_GUARD } from "../../gateway/calls/guard.js";
import type { Log } from "../../model/log.js";
import { type AuditWriter, createAuditWriter } from "../../store/audit/create-audit-writer.js";
import { createMemoryStore } from "../../store/create-memory-store.js";
import type { DecisionStore, Store } from "../../store/store.js";
import { keepRetention } from "./keep-retention.js";

/** Beside the config, unless it says otherwise. */
const DEFAULT_STORE = "onym.db";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface GuardSource {
  /** `undefined` where nothing is recorded, and decisions last as long as the process does. */
  readonly store: Store | undefined;
  /** A guard for a config. @throws OnymError for a store that cannot be used. */
  readonly guardFor: (config: Config) => Promise<Guard>;
  /** What keeps calls from being decided and recorded now. */
  readonly trouble: () => Promise<unknown>;
  /** After the last guard was closed. */
  readonly close: () => Promise<void>;
}

/** Nothing is decided and nothing recorded: for the demo. */
export const NO_GUARD: GuardSource = {
  store: undefined,
  guardFor: async () => OPEN_GUARD,
  trouble: async () => undefined,
  close: async () => {},
};

/**
 * Opens the store that the config names. With `"store": "none"` decisions last as long as the process does, and calls are
 * not recorded anywhere.
 *
 * @throws OnymError where the store is damaged, newer, or out of reach. It is left as it is.
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
  /** One for all guards: what was decided under an earlier one still stands. */
  let decisions: DecisionStore | undefined = store;
  /** One for all guards: calls that an earlier one let run are still to be recorded. */
  let writer: AuditWriter | undefined;
  let stopRetention = (): void => {};
  /** Where calls that cannot be recorded run all the same, the gateway does its work without the store. */
  let isNeeded = true;
  return {
    store,
    async guardFor(next) {
      if ((next.store ?? DEFAULT_STORE) !== location)
        log("warn", "the config names another store; it is used from the next start on");
      // A config that comes into force later may be the first to decide something.
      if (decisions === undefined && !isGuarded(next)) return OPEN_GUARD;
      decisions ??= createMemoryStore(log);
      const { policy, audit, renames } = next;
      isNeeded = audit.onFailure === "deny";
      stopRetention();
      // Without a store decisions are kept as long as the process runs, records of calls are not: they would fill its memory.
      if (store !== undefined) {
        if (writer === undefined)
          log("info", "the audit is kept until it is full, then its oldest records go", {
            maxBytes: audit.maxBytes,
            retentionDays: audit.retentionDays,
          });
        writer ??= createAuditWriter(store.audit, { room: store.room });
        stopRetention = keepRetention(store.audit, {
          days: audit.retentionDays,
          maxBytes: audit.maxBytes,
          // There, measuring reads all of it.
          everyMs: store.engine === "postgres" ? HOUR_MS : MINUTE_MS,
          log,
          now: Date.now,
        });
      }
      return createGuard({ policy, audit, renames, store: decisions, writer, log, now: Date.now });
    },
    trouble: async () => (isNeeded ? store?.trouble() : undefined),
    async close() {
      stopRetention();
      await writer?.close();
      await store?.close();
    },
  };
}

/** There is something that a caller may not see or run. */
function isGuarded({ policy, auth }: Config): boolean {
  const { newTools, rules } = policy;
  return policy.default !== "allow" || newTools !== "allow" || rules.length > 0 || confinesAnybody(auth);
}
