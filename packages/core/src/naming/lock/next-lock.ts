// The lock after a table was built: assigned names stay, new ones are added, names of missing tools are retired
// (LOCK-1).

import type { Catalog } from "../../catalog/build-catalog.js";
import type { Tool, ToolDefinition } from "../../catalog/tool.js";
import type { ToolKey } from "../../identity/tool-key.js";
import { eachInSteps, eachPairInSteps, type Steps } from "../../names/steps.js";
import type { NamedTool } from "../assign/assign-names.js";
import type { NamingStyle } from "../wish/style.js";
import type { Lock, LockedName, LockedTool, ProfileLock } from "./lock.js";

const NO_NAMES: ProfileLock["names"] = new Map();

export function* nextProfileLock(input: {
  readonly before: ProfileLock | undefined;
  readonly named: readonly NamedTool[];
  readonly toolNamed: (name: string) => Tool | undefined;
  readonly style: NamingStyle;
  /** The tool's server was not queried, so its names stay unchanged. */
  readonly isAbsent: (key: ToolKey) => boolean;
}): Steps<ProfileLock> {
  const names = new Map<string, LockedName>();
  const isRestyled = input.before !== undefined && input.before.style !== input.style;
  let present: Set<ToolKey> | undefined;
  const carryOn = (name: string, entry: LockedName): void => {
    const { key, retired } = entry;
    if (input.toolNamed(name)?.key === key) {
      names.set(name, retired === undefined ? entry : { key });
      return;
    }
    present ??= new Set(input.named.map(({ tool }) => tool.key));
    // With another style, absent tools get new names when they come back; the old ones still resolve to them.
    if (present.has(key) || isRestyled) names.set(name, { key, retired: "renamed" });
    else if (retired !== undefined || input.isAbsent(key)) names.set(name, entry);
    else names.set(name, { key, retired: "removed" });
  };
  yield* eachPairInSteps(input.before?.names ?? NO_NAMES, carryOn);
  // Names in force from the lock are already included.
  yield* eachInSteps(input.named, ({ name, tool }) => {
    const entry = names.get(name);
    if (entry?.key !== tool.key || entry.retired !== undefined) names.set(name, { key: tool.key });
  });
  return { style: input.style, names };
}

/** What the lock records of a naming table. */
export interface RecordedTable {
  readonly lockKey: string;
  readonly nextLock: () => ProfileLock;
}

/**
 * Records the assigned names of the tables. Other profiles keep their records. `digestOf` is called once per tool;
 * the caller computes and caches definition digests.
 */
export function nextLock(
  before: Lock,
  catalog: Catalog,
  tables: readonly RecordedTable[],
  digestOf: (definition: ToolDefinition) => string,
): Lock {
  const profiles = new Map(before.profiles);
  for (const table of tables) profiles.set(table.lockKey, table.nextLock());
  const tools = new Map<ToolKey, LockedTool>(before.tools);
  for (const { key, canonical, definition } of catalog.tools) {
    const successor = tools.get(key)?.successor;
    tools.set(key, {
      canonical,
      digest: digestOf(definition),
      ...(successor === undefined ? {} : { successor }),
    });
  }
  return { profiles, tools };
}
