// A lock as rows, and rows as the same lock. Only this file knows both forms.

import type { Lock, LockedName, LockedTool, NamingStyle, ProfileLock, ToolKey } from "@onym/core";
import { isNamingStyle, readLockedTool } from "@onym/core/naming";
import { decodeText, encodeText, rowId } from "../schema/stored-text.js";
import type { NameRow, ProfileRow, ToolRow } from "../schema/tables.js";
import type { NameSpace } from "../store.js";

export interface LockRows {
  readonly profiles: readonly ProfileRow[];
  readonly names: readonly NameRow[];
  readonly tools: readonly ToolRow[];
}

export function lockToRows(space: NameSpace, lock: Lock): LockRows {
  const profiles: ProfileRow[] = [];
  const names: NameRow[] = [];
  for (const [key, { style, names: given }] of lock.profiles) {
    const profile = encodeText(key);
    const profileId = rowId(space, profile);
    profiles.push({ id: profileId, space, profile, style });
    for (const [text, { key: tool, retired }] of given) {
      const name = encodeText(text);
      names.push({
        id: rowId(space, profile, name),
        profile_id: profileId,
        space,
        name,
        tool: encodeText(tool),
        retired: retired ?? null,
      });
    }
  }
  const tools = [...lock.tools].map(([key, { canonical, digest, successor }]) => {
    const tool = encodeText(key);
    return {
      id: rowId(space, tool),
      space,
      tool,
      canonical: encodeText(canonical),
      digest: encodeText(digest),
      successor: successor === undefined ? null : encodeText(successor),
    };
  });
  return { profiles, names, tools };
}

/** The lock that rows hold; `undefined` where they hold none. */
export function rowsToLock({ profiles, names, tools }: LockRows): Lock | undefined {
  const byId = new Map<string, Map<string, LockedName>>();
  const found = new Map<string, ProfileLock>();
  for (const { id, profile, style } of profiles) {
    if (!isNamingStyle(style)) return undefined;
    const given = new Map<string, LockedName>();
    byId.set(id, given);
    found.set(decodeText(profile), { style: style satisfies NamingStyle, names: given });
  }
  for (const { profile_id, name, tool, retired } of names) {
    const given = byId.get(profile_id);
    if (given === undefined) return undefined;
    const key = decodeText(tool) as ToolKey;
    if (retired === null) given.set(decodeText(name), { key });
    else if (retired === "removed" || retired === "renamed") given.set(decodeText(name), { key, retired });
    else return undefined;
  }
  const known = new Map<ToolKey, LockedTool>();
  for (const { tool, canonical, digest, successor } of tools) {
    const key = decodeText(tool) as ToolKey;
    const recorded: LockedTool = {
      canonical: decodeText(canonical),
      digest: decodeText(digest),
      ...(successor === null ? {} : { successor: decodeText(successor) as ToolKey }),
    };
    known.set(key, readLockedTool(key, recorded));
  }
  return { profiles: found, tools: known };
}

/** A digest over all rows in any order: it differs when one is lost, added or altered. */
export function sealRows({ profiles, names, tools }: LockRows): string {
  const seals = [
    ...profiles.map((row) => rowId("profile", row.id, row.space, row.profile, row.style)),
    ...names.map((row) =>
      rowId("name", row.id, row.profile_id, row.space, row.name, row.tool, row.retired ?? ""),
    ),
    ...tools.map((row) => {
      // Most have none, and rows that were written before there were any keep their digest.
      const successor = row.successor === null ? [] : [row.successor];
      return rowId("tool", row.id, row.space, row.tool, row.canonical, row.digest, ...successor);
    }),
  ];
  return rowId(...seals.sort());
}
