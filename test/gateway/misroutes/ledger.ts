// Every name that any list showed during the run, and for whom. A name that moves is written down as a wrong.

import { canonicalOf, type Identity, isSame, keyOf } from "./identity.js";

export interface Ledger {
  /** Takes a list as a client got it; what is wrong with it goes to `wrongs`. */
  readonly read: (profile: string, tools: readonly unknown[]) => ReadonlyMap<string, Identity>;
  /** For whom a profile has ever shown a name. */
  readonly ownerOf: (profile: string, name: string) => Identity | undefined;
  readonly namesOf: (profile: string) => readonly string[];
  readonly profiles: () => readonly string[];
  readonly lists: () => number;
}

interface Listed {
  readonly name: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** `isKnown` says whether the test ever gave that server a tool of that name. */
export function createLedger(isKnown: (identity: Identity) => boolean, wrongs: string[]): Ledger {
  const seen = new Map<string, Map<string, Identity>>();
  const names = new Map<string, string[]>();
  let lists = 0;
  const write = (profile: string, name: string, identity: Identity): void => {
    const known = seen.get(profile) ?? new Map<string, Identity>();
    seen.set(profile, known);
    const before = known.get(name);
    if (before === undefined) {
      known.set(name, identity);
      names.set(profile, [...(names.get(profile) ?? []), name]);
    } else if (!isSame(before, identity))
      wrongs.push(`${profile}: the name ${name} was ${keyOf(before)} and is now ${keyOf(identity)}`);
  };
  return {
    read(profile, tools) {
      lists += 1;
      const shown = new Map<string, Identity>();
      for (const tool of tools as readonly Listed[]) {
        const { name, _meta } = tool;
        const identity = { server: String(_meta["source_server"]), raw: String(_meta["original_name"]) };
        if (!isKnown(identity))
          wrongs.push(`${profile}: ${name} is listed for ${keyOf(identity)}, which never was`);
        if (_meta["onym/canonicalName"] !== canonicalOf(identity))
          wrongs.push(`${profile}: ${keyOf(identity)} is listed as ${String(_meta["onym/canonicalName"])}`);
        if (shown.has(name)) wrongs.push(`${profile}: one list shows ${name} twice`);
        shown.set(name, identity);
        write(profile, name, identity);
        const openai = _meta["onym/openaiName"];
        const cursor = _meta["onym/cursorName"] ?? openai;
        if (typeof openai === "string") write("openai", openai, identity);
        if (typeof cursor === "string") write("cursor", cursor, identity);
      }
      return shown;
    },
    ownerOf: (profile, name) => seen.get(profile)?.get(name),
    namesOf: (profile) => names.get(profile) ?? [],
    profiles: () => [...seen.keys()],
    lists: () => lists,
  };
}
