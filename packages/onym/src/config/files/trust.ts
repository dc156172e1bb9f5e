// Which launches of configs that were found in a folder the user has trusted (CFG-6). Kept in the user's own state folder,
// by a digest of each launch as it is written: whoever changes one has to be trusted again.

import { createHash, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalJson, escapeText, OnymError } from "@onym/core";
import type { Config, ConfigServer } from "../config.js";
import type { Environment } from "../json/expand-variables.js";
import { isComment } from "../schema/server-keys.js";
import { readTextFile } from "./read-text-file.js";
import { userStateFolder } from "./user-folders.js";

/** What an entry says of names and of what is shown, and not of what is started or connected to. */
const NO_LAUNCH: ReadonlySet<string> = new Set([
  "alias",
  "description",
  "disabled",
  "formerly",
  "integration",
  "names",
  "speaksFor",
  "toolFilters",
  "tools",
  "version",
]);

/** @param entry As it is written, before variables are filled in: a new token is no new launch. */
export function digestLaunch(folder: string, entry: object): string {
  const parts = Object.entries(entry).filter(([key]) => !NO_LAUNCH.has(key) && !isComment(key));
  return createHash("sha256")
    .update(canonicalJson([folder, Object.fromEntries(parts)]))
    .digest("hex");
}

export function trustFileOf(env: Environment): string {
  return join(userStateFolder({ platform: process.platform, env }), "trust.json");
}

/** The servers of a config that may not be started or connected to yet. None where the user named the file. */
export function findUntrusted(config: Config, env: Environment): ReadonlySet<ConfigServer> {
  if (config.origin !== "found") return new Set();
  const launched = config.servers.filter(({ runs }) => runs);
  if (launched.length === 0) return new Set();
  const trusted = loadTrust(trustFileOf(env));
  return new Set(launched.filter(({ launchDigest }) => !trusted.has(launchDigest)));
}

/** @throws OnymError `trust-unwritable`. Only the user may read the file. */
export function recordTrust(
  servers: readonly ConfigServer[],
  { env, change }: { readonly env: Environment; readonly change: "trust" | "forget" },
): void {
  const file = trustFileOf(env);
  const trusted = new Set(loadTrust(file));
  for (const { launchDigest } of servers) {
    if (change === "trust") trusted.add(launchDigest);
    else trusted.delete(launchDigest);
  }
  const draft = `${file}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify({ launches: [...trusted].sort() }, null, 2)}\n`, {
      mode: 0o600,
      flag: "wx",
    });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "trust-unwritable",
      `${escapeText(file)} cannot be written (${code}), so nothing is trusted.`,
      "Check that its folder may be written to, or name the config with --config.",
      { cause: error },
    );
  }
}

/** What cannot be read trusts nothing. */
function loadTrust(file: string): ReadonlySet<string> {
  const read = readTextFile(file);
  if ("reason" in read) return new Set();
  try {
    const { launches }: { readonly launches?: unknown } = Object(JSON.parse(read.text));
    return new Set(Array.isArray(launches) ? launches.filter((each) => typeof each === "string") : []);
  } catch {
    return new Set();
  }
}
