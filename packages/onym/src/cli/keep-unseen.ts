// A lock after a look at only some of the servers: what belongs to the others stays as it was.

import { type Lock, type LockedName, type ProfileLock, type ToolKey, toolKeyOf } from "@onym/core";

/**
 * Servers whose tools are known only once they run are not seen by static commands. Their names are neither retired
 * nor dropped for that.
 */
export function keepUnseen(input: {
  readonly before: Lock | undefined;
  readonly after: Lock;
  readonly unseen: readonly { readonly server: string; readonly toolbox?: string | undefined }[];
}): Lock {
  const { before, after, unseen } = input;
  if (before === undefined || unseen.length === 0) return after;
  const starts = unseen.map((server) => ownerOf(toolKeyOf({ ...server, raw: "" })));
  const isUnseen = (key: ToolKey): boolean => starts.includes(ownerOf(key));
  const profiles = new Map<string, ProfileLock>();
  for (const [id, profile] of after.profiles) {
    const names = new Map<string, LockedName>(profile.names);
    for (const [name, entry] of before.profiles.get(id)?.names ?? [])
      if (isUnseen(entry.key)) names.set(name, entry);
    profiles.set(id, { ...profile, names });
  }
  return { profiles, tools: after.tools };
}

/** The key without its last part, the raw name; keys are encoded tuples. */
function ownerOf(key: ToolKey): string {
  const parts: unknown = JSON.parse(key);
  return JSON.stringify(Array.isArray(parts) ? parts.slice(0, -1) : parts);
}
