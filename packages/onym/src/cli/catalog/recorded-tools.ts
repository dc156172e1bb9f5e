// The tools of servers as the lock has them: raw names and versions, without definitions, and as of when (CFG-5).

import { statSync } from "node:fs";
import type { ListedTool, Lock, ToolKey } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { lockFileOf } from "../../configured/lock-file.js";
import { ownerKey } from "../../gateway/catalog/gateway-snapshot.js";
import { showPath } from "../../model/show-path.js";
import { type GivenNames, loadGivenNames } from "../names/lock/given-names.js";
import { partsOf } from "../store/name-keys.js";

export interface RecordedTools {
  /** Of a server that nothing is on record of: `undefined`. */
  readonly toolsOf: (server: ConfigServer) => readonly ListedTool[] | undefined;
  /** For people: the file, or the database. */
  readonly place: string;
  /** When it was last written, ms since 1970; `undefined` where the place does not say. */
  readonly asOf: number | undefined;
}

/** @throws OnymError for a record that cannot be read: a wrong answer would be worse than none. */
export async function loadRecordedTools(config: Config, cwd: string): Promise<RecordedTools | undefined> {
  const given = await loadGivenNames(config, cwd);
  const { lock, from } = given;
  if (lock === undefined || from === undefined) return undefined;
  const byOwner = toolsByOwner(lock);
  return {
    toolsOf: ({ source }) => byOwner.get(ownerKey(source)),
    place: given.isShared ? from : showPath(lockFileOf(config), cwd),
    asOf: momentOf(given, config),
  };
}

function momentOf({ isShared }: GivenNames, config: Config): number | undefined {
  if (isShared) return undefined;
  try {
    return statSync(lockFileOf(config)).mtimeMs;
  } catch {
    return undefined;
  }
}

function toolsByOwner(lock: Lock): ReadonlyMap<string, readonly ListedTool[]> {
  const byOwner = new Map<string, ListedTool[]>();
  for (const key of presentKeys(lock)) {
    const known = lock.tools.get(key);
    if (known === undefined) continue;
    const { raw, ...owner } = partsOf(key);
    const version = versionOf(known.canonical);
    const tool = { name: raw, ...(version === undefined ? {} : { version }) };
    const id = ownerKey(owner);
    const tools = byOwner.get(id);
    if (tools === undefined) byOwner.set(id, [tool]);
    else tools.push(tool);
  }
  return byOwner;
}

/**
 * Not every profile is written each time: one that nobody has asked for since has the names of tools that are gone, and has
 * those as removed that are back. Every list that a gateway gives out writes this one, so it has the last word.
 */
const LATEST = "openai";

function presentKeys({ profiles }: Lock): ReadonlySet<ToolKey> {
  const present = new Set<ToolKey>();
  const removed = new Set<ToolKey>();
  for (const { names } of profiles.values())
    for (const { key, retired } of names.values()) {
      if (retired === undefined) present.add(key);
      else if (retired === "removed") removed.add(key);
    }
  for (const key of removed) present.delete(key);
  for (const { key, retired } of profiles.get(LATEST)?.names.values() ?? [])
    if (retired === undefined) present.add(key);
  return present;
}

/** What stands behind the last `@`; 1 is what a tool has without a word. */
function versionOf(canonical: string): number | undefined {
  const version = Number(canonical.slice(canonical.lastIndexOf("@") + 1));
  return Number.isSafeInteger(version) && version > 1 ? version : undefined;
}
