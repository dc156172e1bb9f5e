// What a gateway decides by and writes to: the guards with their store, and the recorded names. All of it, or
// nothing.

import { EMPTY_LOCK } from "@onym/core";
import type { Config } from "../../config/config.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { type Guard, OPEN_GUARD } from "../../gateway/calls/guard.js";
import { createMemoryKeeper, type NameKeeper } from "../../gateway/catalog/name-lock.js";
import type { Log } from "../../model/log.js";
import { OnymError, type OnymErrorCode } from "../../model/onym-error.js";
import { type GuardSource, NO_GUARD, openGuards } from "./open-guard.js";
import { openNames } from "./open-names.js";

export interface Records {
  readonly guards: GuardSource;
  readonly guard: Guard;
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** Why nothing may be shown or run. */
  readonly denial: OnymError | undefined;
}

/** Decides, records and keeps nothing: for the demo, and when everything is refused. */
export function withoutRecords(denial?: OnymError): Records {
  return {
    guards: NO_GUARD,
    guard: OPEN_GUARD,
    locks: { tools: createMemoryKeeper(EMPTY_LOCK), prompts: createMemoryKeeper(EMPTY_LOCK) },
    denial,
  };
}

/** @throws OnymError for an unusable store; with `deniesWithout`, everything is refused instead. The store stays unchanged. */
export async function openRecords(
  config: Config,
  {
    deniesWithout,
    log,
    env,
  }: { readonly deniesWithout: boolean; readonly log: Log; readonly env: Environment },
): Promise<Records> {
  let guards = NO_GUARD;
  try {
    guards = await openGuards(config, log, env);
    const guard = await guards.guardFor(config);
    const locks = await openNames({ config, store: guards.store, log });
    return { guards, guard, locks, denial: undefined };
  } catch (error) {
    await guards.close();
    if (deniesWithout && error instanceof OnymError && UNUSABLE.has(error.code)) return withoutRecords(error);
    throw error;
  }
}

/** An invalid location is a config error, so it is not among them. */
const UNUSABLE: ReadonlySet<OnymErrorCode> = new Set(["store-corrupt", "store-newer", "store-unavailable"]);
