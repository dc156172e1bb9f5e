// The key that a store is sealed with, and the second place for the ends of its audit chains: both outside of the store
// (POL-4, SAFE-7).

import { createHash, hkdfSync } from "node:crypto";
import { join, resolve } from "node:path";
import type { StoreSeal } from "../../audit/audit-anchor.js";
import type { Config } from "../../config/config.js";
import { userStateFolder } from "../../config/files/user-folders.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { loadSecretKey } from "../../oauth/load-secret-key.js";
import { keyPlaceOf } from "../../serve/parts/credential-source.js";
import { hasStore, storePlaceOf } from "./with-store.js";

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
