// The lock: the record of names already given out, and of those that may never be given again (LOCK-1).

import { type ToolKey, toolboxOfKey } from "../identity/tool-key.js";
import { parseToolName } from "../names/canonical-name.js";
import type { NamingStyle } from "./style.js";

/** A name on record and whose it is. */
export interface LockedName {
  readonly key: ToolKey;
  /**
   * `removed`: the tool is gone; should it come back, the name is its again. `renamed`: the tool has another name
   * now, and this one still leads to it. Either way nobody else gets it.
   */
  readonly retired?: "removed" | "renamed";
}

/** The names of one profile, under one gateway alias where the alias matters. */
export interface ProfileLock {
  readonly style: NamingStyle;
  readonly names: ReadonlyMap<string, LockedName>;
}

/** What the lock knows of a tool beside its names. */
export interface LockedTool {
  readonly canonical: string;
  /** Digest of the definition when it was last seen. */
  readonly digest: string;
  /** Who this tool is now: a declared rename was in force, and holds when it is declared no more (LOCK-5). */
  readonly successor?: ToolKey;
}

export interface Lock {
  /** By `lockKey`. */
  readonly profiles: ReadonlyMap<string, ProfileLock>;
  readonly tools: ReadonlyMap<ToolKey, LockedTool>;
}

export const EMPTY_LOCK: Lock = Object.freeze({ profiles: new Map(), tools: new Map() });

/** The default name under which people register the gateway in a client. */
export const DEFAULT_ALIAS = "onym";

/**
 * Where the names of a profile are kept in a lock. The alias counts only where it takes room from the names.
 *
 * @example
 * lockKey("claude-code", { as: "acme", aliasMatters: true }); // "claude-code?as=acme"
 */
export function lockKey(
  profileId: string,
  options: { readonly as: string; readonly aliasMatters: boolean },
): string {
  return options.aliasMatters && options.as !== DEFAULT_ALIAS ? `${profileId}?as=${options.as}` : profileId;
}

/**
 * What a record says of a tool. Records that were written before canonical names had toolboxes in front of them are read
 * as if they had (CANON-7).
 *
 * @example
 * const key = toolKeyOf({ toolbox: "dev", server: "fs", raw: "read" });
 * readLockedTool(key, { canonical: "fs@1/read@1", digest: "…" }).canonical; // "dev:fs@1/read@1"
 */
export function readLockedTool(key: ToolKey, recorded: LockedTool): LockedTool {
  const { canonical } = recorded;
  const toolbox = toolboxOfKey(key);
  const parsed = toolbox === undefined ? undefined : parseToolName(canonical);
  if (parsed?.ok !== true || parsed.value.toolbox !== undefined) return recorded;
  return { ...recorded, canonical: `${toolbox}:${canonical}` };
}
