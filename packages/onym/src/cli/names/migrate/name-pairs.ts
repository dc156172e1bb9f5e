// Old text → new text: each name as it is, and as clients show it behind their prefixes. Onym gives a client names that are
// made for it, so that each has pairs of its own.

import { listProfiles, type Profile, sentName, type Tool } from "@onym/core";
import { canonicalWith } from "./alias-block.js";
import type { Naming, NamingContext } from "./build-naming.js";
import type { Migration } from "./plan-migration.js";

export interface NamePairs {
  /** For a source tree: the names themselves, and what clients make of them. */
  readonly everywhere: ReadonlyMap<string, string>;
  /** For the files of one client, by the id of its profile. */
  readonly clients: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** One tool as each client shows it: one whose name changes there, where there is any. */
  readonly examples: ReadonlyMap<string, Pair>;
}

export type Pair = readonly [from: string, to: string];

export interface PairsInput extends Pick<NamingContext, "level"> {
  readonly from: Naming;
  readonly to: Naming;
  readonly migration: Migration;
  /** Under what clients have registered what gives the new names. */
  readonly as: string;
  /** The same for the old ones. */
  readonly fromAs: string;
  /** The clients that get pairs of their own, as ids of profiles. */
  readonly wanted: readonly string[];
}

export function buildNamePairs(input: PairsInput): NamePairs {
  const { migration, wanted } = input;
  const unclear = new Set(migration.ambiguous.map(({ name }) => name));
  const profiles = listProfiles().filter(({ kind, retired }) => kind !== "specification" && !retired);
  const own = collect([ownPairs(input)], unclear);
  const shown = profiles.filter(showsNames).map((profile) => clientPairs(input, profile));
  const clients = profiles.filter(({ id }) => wanted.includes(id));
  return {
    // What was asked for comes first, on the way back too; forms of clients that contradict each other say nothing.
    everywhere: new Map([...own, ...[...collect(shown, unclear)].filter(([text]) => !own.has(text))]),
    clients: new Map(
      clients.map((profile) => {
        // Lists of tools to show or hide hold a name without what the client puts around it.
        const bare = plainPairs(input, profile);
        return [profile.id, collect([clientPairs(input, profile), bare], unclear)];
      }),
    ),
    examples: new Map(
      clients.flatMap((profile) => {
        const pairs = clientPairs(input, profile);
        const example = pairs.find(([from, to]) => from !== to) ?? pairs[0];
        return example === undefined ? [] : [[profile.id, example]];
      }),
    ),
  };
}

/** The way back. */
export function invertNamePairs({ everywhere, clients, examples }: NamePairs): NamePairs {
  return {
    everywhere: invertPairs(everywhere),
    clients: new Map([...clients].map(([id, pairs]) => [id, invertPairs(pairs)])),
    examples: new Map([...examples].map(([id, [from, to]]) => [id, [to, from]])),
  };
}

/** Where several old texts became one, the first of them. */
function invertPairs(pairs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const back = new Map<string, string>();
  for (const [from, to] of pairs) if (!back.has(to)) back.set(to, from);
  return back;
}

function ownPairs({ from, to, migration, level, as, fromAs }: PairsInput): readonly Pair[] {
  return migration.tools.flatMap(({ tool, from: old, to: name, others }): readonly Pair[] => {
    // A client's own form becomes its own form.
    const whole = from.client ?? to.client;
    if (whole !== undefined) {
      const before = textIn(from, tool, { profile: whole, alias: fromAs });
      const after = textIn(to, tool, { profile: whole, alias: as });
      return before === undefined || after === undefined ? [] : [[before, after]];
    }
    const canonicals: readonly Pair[] =
      level === "server" ? [[canonicalWith(tool, old), canonicalWith(tool, name)]] : [];
    return [[old, name] as const, ...others.map((other) => [other, name] as const), ...canonicals];
  });
}

function clientPairs(
  { from, to, migration, level, as, fromAs }: PairsInput,
  profile: Profile,
): readonly Pair[] {
  return migration.tools.flatMap(({ tool, others }): readonly Pair[] => {
    const [before, after] = level === "server" ? [tool.server, tool.server] : [fromAs, as];
    const name = textIn(to, tool, { profile, alias: after });
    const old = textIn(from, tool, { profile, alias: before });
    if (name === undefined || old === undefined) return [];
    const further = from.client === undefined ? others : [];
    return [old, ...further.map((other) => sentName(other, profile, before))].map((text) => [text, name]);
  });
}

function plainPairs({ from, to, migration }: PairsInput, profile: Profile): readonly Pair[] {
  if (from.client !== undefined || to.client !== undefined) return [];
  return migration.tools.flatMap(({ tool }): readonly Pair[] => {
    const [old, name] = [from, to].map((naming) => namesFor(naming, profile).get(tool));
    return old === undefined || name === undefined ? [] : [[old, name]];
  });
}

/** A tool as a client shows it; `undefined` where the naming is another client's. */
function textIn(
  naming: Naming,
  tool: Tool,
  { profile, alias }: { readonly profile: Profile; readonly alias: string },
): string | undefined {
  if (naming.client !== undefined)
    return naming.client.id === profile.id ? naming.names.get(tool) : undefined;
  const name = namesFor(naming, profile).get(tool);
  return name === undefined ? undefined : sentName(name, profile, alias);
}

function namesFor(naming: Naming, profile: Profile): ReadonlyMap<Tool, string> {
  return naming.namesIn?.(profile) ?? naming.names;
}

function collect(lists: readonly (readonly Pair[])[], unclear: ReadonlySet<string>): Map<string, string> {
  const pairs = new Map<string, string>();
  const doubtful = new Set(unclear);
  for (const [from, to] of lists.flat()) {
    if ((pairs.get(from) ?? to) === to) pairs.set(from, to);
    else doubtful.add(from);
  }
  for (const [from, to] of pairs) if (from === to || doubtful.has(from)) pairs.delete(from);
  return pairs;
}

/** It puts something around a name or changes it; others show it as it came. */
function showsNames({ client }: Profile): boolean {
  return (
    client.countsOnly !== true &&
    (client.prefix !== "" || client.suffix !== "" || client.rewrite !== undefined)
  );
}
