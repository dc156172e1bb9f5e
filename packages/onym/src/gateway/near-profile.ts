// Finds the profile that an unknown id probably meant: one or two letters off, or the name a client gives
// itself.

import type { ProfileSet } from "@onym/core/profiles";

const LONGEST = 64;

/** @example nearProfile("curser", profiles); // "cursor" */
export function nearProfile(text: string, profiles: ProfileSet): string | undefined {
  if (text.length === 0 || text.length > LONGEST) return undefined;
  const plain = plainText(text);
  let best: string | undefined;
  let least = plain.length > 5 ? 3 : plain.length > 2 ? 2 : 1;
  for (const { id } of profiles.list()) {
    const off = lettersOff(plain, plainText(id));
    if (off >= least) continue;
    best = id;
    least = off;
  }
  if (best !== undefined) return best;
  const { profile, confidence } = profiles.detect({ clientInfo: { name: text } });
  return confidence === "none" ? undefined : profile.id;
}

function plainText(text: string): string {
  return text.toLowerCase().replace(/[-_\s.]/g, "");
}

/** Edit distance: insertions, deletions and replacements. */
export function lettersOff(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced));
    }
    last = row;
  }
  return last[b.length] ?? 0;
}
