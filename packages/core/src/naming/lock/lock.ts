// The lock: the record of names that are assigned, and of those that may never be assigned again (LOCK-1).

import { type ToolKey, toolboxOfKey } from "../../identity/tool-key.js";
import { parseToolName } from "../../names/canonical-name.js";
import type { NamingStyle } from "../wish/style.js";

/** A recorded name and its tool. */
export interface LockedName {
  readonly key: ToolKey;
  /**
   * `removed`: the tool is gone, and gets the name back if it returns. `renamed`: the tool has another name now,
   * and this one still resolves to it. In both cases no other tool gets it.
   */
  readonly retired?: "removed" | "renamed";
}

/** The names of one profile, under one gateway alias if the alias matters. */
export interface ProfileLock {
  readonly style: NamingStyle;
  readonly names: ReadonlyMap<string, LockedName>;
}

/** What the lock records about a tool besides its names. */
export interface LockedTool {
  readonly canonical: string;
  /** Digest of the definition when it was last seen. */
  readonly digest: string;
  /**
   * The tool that this one became through a declared rename. Stays in force after the declaration is removed
   * (LOCK-5).
   */
  readonly successor?: ToolKey;
}

export interface Lock {
  /** By `lockKey`. */
  readonly profiles: ReadonlyMap<string, ProfileLock>;
  readonly tools: ReadonlyMap<ToolKey, LockedTool>;
}

export const EMPTY_LOCK: Lock = Object.freeze({ profiles: new Map(), tools: new Map() });

/** The default alias under which people register the gateway in a client. */
export const DEFAULT_ALIAS = "onym";

/**
 * The key of a profile's names in a lock. The alias is part of it only if it takes room from the names.
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
 * The record of a tool. Records from before canonical names had toolbox prefixes are read as if they had them
 * (CANON-7).
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
