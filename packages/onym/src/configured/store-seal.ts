// The key that a store is sealed with, and the second place for the ends of its audit chains: both outside of the store
// (POL-4, SAFE-7).

import { createHash, hkdfSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StoreSeal } from "../audit/audit-anchor.js";
import type { Config } from "../config/config.js";
import { userStateFolder } from "../config/files/user-folders.js";
import type { Environment } from "../config/json/expand-variables.js";
import { showPath } from "../model/show-path.js";
import { loadSecretKey } from "../oauth/load-secret-key.js";
import type { AuditCheck } from "../store/store.js";
import { keyPlaceOf } from "./credential-source.js";
import { type Absence, hasStore, storePlaceOf } from "./store-place.js";

export type FoundSeal =
  | {
      readonly seal: StoreSeal & { readonly anchorFile: string };
      readonly reason: undefined;
      readonly hint: undefined;
    }
  /** There is no key. For people. */
  | { readonly seal: undefined; readonly reason: string; readonly hint: string };

/** A gateway makes the key where there is none (`seal`); who only looks does not (`open`). */
export function findStoreSeal(config: Config, env: Environment, use: "open" | "seal"): FoundSeal {
  if (!hasStore(config)) return { seal: undefined, reason: "nothing is kept", hint: "" };
  const loaded = loadSecretKey(keyPlaceOf(config, env), use);
  if (loaded.kind === "problem") return { seal: undefined, reason: loaded.reason, hint: loaded.hint };
  // Not the key itself: what seals records opens no token.
  const key = new Uint8Array(hkdfSync("sha256", loaded.key, "", "onym store 1", 32));
  return { seal: { key, anchorFile: anchorFileOf(config, env) }, reason: undefined, hint: undefined };
}

/** The end of a chain is in the second place after ten seconds. */
const ANCHORED_AFTER_MS = 60_000;

/**
 * What the seals of a store show to have existed, and is not there: the key, or the second place. Who can change the store,
 * but has no key, takes away what would tell.
 */
export function findMissingProofs(
  { sealedSince, anchored = 0, broken }: AuditCheck,
  seal: FoundSeal["seal"],
  config: Config,
): AuditCheck["broken"] {
  if (sealedSince === undefined) return [];
  if (seal === undefined) {
    const problem =
      "chains were sealed with a key that is not here: whether records were changed and hashed anew is not known";
    return [{ chain: "(key)", seq: 0, problem }];
  }
  // A database is shared by machines that each have a second place of their own, unless the config names one.
  const isExpected = config.audit.anchor !== undefined || storePlaceOf(config).file !== undefined;
  const isOld = Date.now() - sealedSince > ANCHORED_AFTER_MS;
  if (!isExpected || !isOld || anchored > 0 || broken.some(({ chain }) => chain === OUTSIDE)) return [];
  const named = config.audit.anchor === undefined ? "" : " (audit.anchor)";
  const problem = `${seal.anchorFile}${named} holds no end of any chain: it was emptied or deleted, or nothing was recorded since it was set or the store was moved`;
  return [{ chain: OUTSIDE, seq: 0, problem }];
}

const OUTSIDE = "(outside)";

/** A store that is not there although the second place has the ends of its chains: it was deleted, and is not only to come. */
export function findLostStore(
  { file, remains }: Absence,
  config: Config,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): { readonly message: string; readonly fix: string } | undefined {
  const anchor = anchorFileOf(config, env);
  if (remains.length > 0 || !existsSync(anchor)) return undefined;
  return {
    message: `${showPath(file, cwd)} is gone, with its records and decisions; ${showPath(anchor, cwd)} shows that there were some.`,
    fix: "Put it back from where it went, or from a backup. If you deleted it, start a gateway, which makes a new one, and then run onym audit accept-loss.",
  };
}

function anchorFileOf(config: Config, env: Environment): string {
  const { anchor } = config.audit;
  if (anchor !== undefined) return resolve(config.folder, anchor);
  const { location, file } = storePlaceOf(config);
  const name = createHash("sha256")
    .update(file ?? location.replace(/^.*@/, ""))
    .digest("hex")
    .slice(0, 16);
  return join(userStateFolder({ platform: process.platform, env }), "audit", `${name}.jsonl`);
}
