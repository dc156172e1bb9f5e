// Every name of a lock, from all profiles, and who may have it. Used where no name may move to another tool
// (LIB-4).

import type { ToolKey } from "../../identity/tool-key.js";
import type { Lock } from "../lock/lock.js";

export interface NamesOnRecord {
  readonly has: (name: string) => boolean;
  /** The only tool that ever had the name; `undefined` if none or several had it. */
  readonly ownerOf: (name: string) => ToolKey | undefined;
  /** Whether no other tool ever had the name. */
  readonly allows: (name: string, key: ToolKey) => boolean;
}

/** Marks a name that two profiles assigned to two tools. */
const SEVERAL = Symbol("several");

const known = new WeakMap<Lock, NamesOnRecord>();

/** Cached per lock. */
export function namesOnRecord(lock: Lock): NamesOnRecord {
  const made = known.get(lock) ?? readNames(lock);
  known.set(lock, made);
  return made;
}

function readNames(lock: Lock): NamesOnRecord {
  const owners = new Map<string, ToolKey | typeof SEVERAL>();
  for (const { names } of lock.profiles.values()) {
    for (const [name, { key }] of names) {
      const owner = owners.get(name);
      if (owner !== key) owners.set(name, owner === undefined ? key : SEVERAL);
    }
  }
  return {
    has: (name) => owners.has(name),
    ownerOf(name) {
      const owner = owners.get(name);
      return owner === SEVERAL ? undefined : owner;
    },
    allows(name, key) {
      const owner = owners.get(name);
      return owner === undefined || owner === key;
    },
  };
}
