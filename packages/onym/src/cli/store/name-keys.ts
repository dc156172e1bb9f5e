// The canonical names of tools that the store knows by their keys, from what it and the config remember of them.

import { escapeText, type Lock, type ToolKey } from "@onym/core";
import { parseToolKey } from "@onym/core/identity";
import { buildCatalog } from "@onym/core/naming";
import type { Config } from "../../config/config.js";
import { readItemKey } from "../../gateway/calls/guarded-item.js";
import { toolLabel } from "../../output/wording.js";
import type { Store, StoredApproval } from "../../store/store.js";
import { givenNamesIn } from "../names/lock/given-names.js";

/** A tool as reports show it. */
export interface KeyedTool {
  /** `undefined` for a tool that nobody remembers the name of. */
  readonly canonical: string | undefined;
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly raw: string;
  /** What the tool was renamed to, as far as the lock has it on record. */
  readonly renamedTo?: string;
}

/** What a decision or an approval request is about. */
type DecidedKey = Pick<StoredApproval, "tool" | "isOfLine">;

export interface KeyNames {
  /** Who a tool is now: what is counted is kept under the first key that it had. */
  readonly nameKey: (key: ToolKey) => KeyedTool;
  /** The tool that was shown when somebody decided or was asked, with its name at that time where that is known. */
  readonly nameDecided: (about: DecidedKey, canonical?: string) => KeyedTool;
}

export async function loadKeyNames(config: Config, store: Store): Promise<KeyNames> {
  const lock = await givenNamesIn(store, config);
  const catalog = buildCatalog(
    config.servers.map(({ source }) => source),
    { recorded: lock.tools },
  );
  const presentKeyOf = presentKeyIn(lock, config);
  const canonicalOf = (key: ToolKey): string | undefined =>
    catalog.toolWithKey(key)?.canonical ?? lock.tools.get(key)?.canonical;
  const presentOf = (key: ToolKey): ToolKey =>
    catalog.toolWithKey(key) === undefined ? presentKeyOf(key) : key;
  const nameKey = (stored: ToolKey): KeyedTool => {
    const key = presentOf(stored);
    return { canonical: canonicalOf(key), ...partsOf(key) };
  };
  return {
    nameKey,
    nameDecided({ tool, isOfLine }, canonical) {
      if (isOfLine === true) {
        const present = nameKey(tool);
        return canonical === undefined ? present : { ...present, canonical };
      }
      if (canonical !== undefined) return { canonical, ...partsOf(tool) };
      const key = presentOf(tool);
      const renamedTo = key === tool ? undefined : canonicalOf(key);
      const own = { canonical: canonicalOf(tool), ...partsOf(tool) };
      return renamedTo === undefined ? own : { ...own, renamedTo };
    },
  };
}

/** For people: the canonical name, or whose it is where nobody remembers that; and what became of it. */
export function showKeyedTool({ canonical, renamedTo, ...parts }: KeyedTool): string {
  const name = canonical === undefined ? toolLabel(parts) : escapeText(canonical);
  return renamedTo === undefined ? name : `${name} → ${escapeText(renamedTo)}`;
}

/** Of a tool, a prompt or a resource. A text in the store that is no key is shown as it is. */
export function partsOf(key: ToolKey): Omit<KeyedTool, "canonical"> {
  const tool = parseToolKey(key);
  if (tool !== undefined) return { server: tool.server, toolbox: tool.toolbox, raw: tool.raw };
  const item = readItemKey(key);
  if (item !== undefined) return { server: item.server, toolbox: item.toolbox, raw: item.text };
  return { server: "", toolbox: undefined, raw: key };
}

/**
 * Who an old tool is now: counts are kept under the first key that a tool had (LOCK-5). As far as the lock has it on
 * record: the last of the line whose server the config has, else the last.
 */
export function presentKeyIn(
  { tools }: Pick<Lock, "tools">,
  { servers }: Pick<Config, "servers">,
): (key: ToolKey) => ToolKey {
  const isHere = (key: ToolKey): boolean => {
    const { server, toolbox } = partsOf(key);
    return servers.some(({ source }) => source.server === server && source.toolbox === toolbox);
  };
  return (key) => {
    const line = [key];
    for (
      let at = tools.get(key)?.successor;
      at !== undefined && !line.includes(at);
      at = tools.get(at)?.successor
    )
      line.push(at);
    return line.findLast(isHere) ?? line.at(-1) ?? key;
  };
}
