// Declared renames whose `to` has no toolbox, written out as they were understood when they came into force (CANON-7).

import type { ToolKey } from "../identity/tool-key.js";
import { withoutToolbox } from "../names/canonical-name.js";
import type { Lock } from "../naming/lock.js";
import type { Rename } from "./former-names.js";

/**
 * A name without a toolbox may come to mean another tool: a server is added outside, or a second toolbox has one of that
 * name. An entry that is in force and on record still means the tool that it meant.
 */
export function settleRenames(renames: readonly Rename[], lock: Lock): readonly Rename[] {
  if (renames.length === 0) return renames;
  const lines = new Map<ToolKey, ToolKey[]>();
  for (const [key, { successor }] of lock.tools) {
    if (successor === undefined) continue;
    const line = [...(lines.get(key) ?? [key]), ...(lines.get(successor) ?? [successor])];
    for (const member of line) lines.set(member, line);
  }
  if (lines.size === 0) return renames;
  const byText = textsOf(lines.keys(), lock);
  return renames.map((rename) => {
    const meant = new Set<string>();
    for (const key of [...(byText.get(rename.from) ?? []), ...publicKeys(rename.from, lock)]) {
      for (const member of lines.get(key) ?? []) {
        const canonical = lock.tools.get(member)?.canonical ?? "";
        if (canonical !== rename.to && withoutToolbox(canonical) === rename.to) meant.add(canonical);
      }
    }
    const [canonical] = meant;
    return meant.size !== 1 || canonical === undefined ? rename : { ...rename, to: canonical };
  });
}

/** Members of lines by what `from` may call them: in full, or without the toolbox. */
function textsOf(keys: Iterable<ToolKey>, { tools }: Lock): ReadonlyMap<string, readonly ToolKey[]> {
  const byText = new Map<string, ToolKey[]>();
  for (const key of keys) {
    const canonical = tools.get(key)?.canonical ?? "";
    for (const text of new Set([canonical, withoutToolbox(canonical)]))
      byText.set(text, [...(byText.get(text) ?? []), key]);
  }
  return byText;
}

function publicKeys(name: string, { profiles }: Lock): readonly ToolKey[] {
  return [...profiles.values()].flatMap(({ names }) => names.get(name)?.key ?? []);
}
