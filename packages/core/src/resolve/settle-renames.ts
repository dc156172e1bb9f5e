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
  const byText = textsOf(lock);
  return renames.map((rename) => {
    const meant = new Set<string>();
    const add = (members: readonly ToolKey[]): void => {
      for (const member of members) {
        const canonical = lock.tools.get(member)?.canonical ?? "";
        if (canonical !== rename.to && withoutToolbox(canonical) === rename.to) meant.add(canonical);
      }
    };
    const old = byText(rename.from);
    for (const key of old) add(membersAfter(key, lines.get(key) ?? []));
    // Public names went on with the tool, so that any but the first may be meant. Canonical names say who is.
    if (old.length === 0)
      for (const key of publicKeys(rename.from, lock)) add((lines.get(key) ?? []).slice(1));
    const [canonical] = meant;
    return meant.size !== 1 || canonical === undefined ? rename : { ...rename, to: canonical };
  });
}

function membersAfter(key: ToolKey, line: readonly ToolKey[]): readonly ToolKey[] {
  return line.slice(line.indexOf(key) + 1);
}

/** Tools by what `from` may call them: by their own names, and where nobody has it, without the toolbox. */
function textsOf({ tools }: Lock): (text: string) => readonly ToolKey[] {
  const own = new Map<string, ToolKey[]>();
  const unboxed = new Map<string, ToolKey[]>();
  for (const [key, { canonical }] of tools) {
    const plain = withoutToolbox(canonical);
    own.set(canonical, [...(own.get(canonical) ?? []), key]);
    if (plain !== canonical) unboxed.set(plain, [...(unboxed.get(plain) ?? []), key]);
  }
  return (text) => own.get(text) ?? unboxed.get(text) ?? [];
}

function publicKeys(name: string, { profiles }: Lock): readonly ToolKey[] {
  return [...profiles.values()].flatMap(({ names }) => names.get(name)?.key ?? []);
}
