// The tables of one view in one space of names, and what of them is on record.

import { findProfile, type Lock, type NamingTable, type Profile, type Snapshot, type Tool } from "@onym/core";
import {
  isShared,
  type NameKeeper,
  recordNames,
  recordNamesInSlices,
  type SharedKeeper,
} from "./name-lock.js";
import { MANY_TOOLS, runInSlices } from "./run-slices.js";
import { draftNames, type NameDraft, recordedPart } from "./shared-names.js";

export interface NamesChoice {
  readonly profile: Profile;
  readonly as: string | undefined;
}

export interface SnapshotTables {
  /** The names of one caller that may be shown: those on record. */
  readonly tableOf: (choice: NamesChoice) => NamingTable;
  /**
   * Makes and records in slices what `tableOf` tells of many tools (SAFE-4). `undefined` where that is done, or takes no time
   * to speak of.
   */
  readonly prepare: (choice: NamesChoice) => Promise<void> | undefined;
  /** What has to be recorded first; `undefined` where the lock is not shared, and recorded as names are shown. */
  readonly draft: (
    choice: NamesChoice,
  ) => { readonly keeper: SharedKeeper; readonly before: Lock; readonly draft: NameDraft } | undefined;
  /** Some table was asked for when not all of its names were on record. */
  readonly isPartial: () => boolean;
  readonly unrecorded: (choice: NamesChoice) => readonly Tool[];
}

/** Beside its own name, every tool is listed with those it has there (GW-2). */
const ADVERTISED = ["openai", "cursor"];

/** All tables that what is shown to a caller may name tools by. */
export function advertisedChoices({ profile, as }: NamesChoice): readonly NamesChoice[] {
  const advertised = ADVERTISED.map((id) => findProfile(id)).filter((known) => known !== undefined);
  const aliases = as === undefined ? [undefined] : [as, undefined];
  return [
    { profile, as },
    ...advertised.flatMap((known) => aliases.map((alias) => ({ profile: known, as: alias }))),
  ];
}

/**
 * Makes in slices what it takes to resolve other texts than public names in a large catalog (SAFE-4). `undefined` where that is
 * done, or takes no time to speak of.
 */
export function prepareIndex({ catalog, indexSteps }: Snapshot): Promise<void> | undefined {
  if (catalog.tools.length < MANY_TOOLS) return undefined;
  const known = indexes.get(catalog);
  if (known !== undefined) return known === "done" ? undefined : known;
  const made = runInSlices(indexSteps()).finally(() => indexes.set(catalog, "done"));
  indexes.set(catalog, made);
  return made;
}

const indexes = new WeakMap<Snapshot["catalog"], Promise<void> | "done">();

export function createSnapshotTables(
  snapshot: Snapshot,
  keeper: NameKeeper,
  choicesOf: (choice: NamesChoice) => readonly NamesChoice[],
): SnapshotTables {
  /** Those whose names are all on record. */
  const whole = new Set<NamingTable>();
  const parts = new WeakMap<NamingTable, { readonly lock: Lock; readonly part: NamingTable }>();
  let isPartial = false;
  const fullTable = ({ profile, as }: NamesChoice): NamingTable =>
    snapshot.namesFor(profile, as === undefined ? {} : { as });
  const tableOf = (choice: NamesChoice): NamingTable => {
    const table = fullTable(choice);
    if (whole.has(table)) return table;
    if (!isShared(keeper)) {
      const tables = choicesOf(choice)
        .map(fullTable)
        .filter((each) => !whole.has(each));
      recordNames(tables, snapshot, keeper);
      for (const recorded of tables) whole.add(recorded);
      return table;
    }
    const lock = keeper.current();
    const kept = parts.get(table);
    const part = kept?.lock === lock ? kept.part : recordedPart(table, snapshot.followRenames(lock));
    parts.set(table, { lock, part });
    if (part === table) whole.add(table);
    else isPartial = true;
    return part;
  };
  const make = async (choice: NamesChoice): Promise<void> => {
    const tables = new Set<NamingTable>();
    for (const each of choicesOf(choice)) {
      await new Promise(setImmediate);
      tables.add(fullTable(each));
    }
    if (isShared(keeper)) return;
    const unrecorded = [...tables].filter((table) => !whole.has(table));
    await recordNamesInSlices(unrecorded, snapshot, keeper);
    for (const table of unrecorded) whole.add(table);
  };
  const prepared = new Map<string, Promise<void> | "done">();
  return {
    tableOf,
    prepare(choice) {
      if (snapshot.catalog.tools.length < MANY_TOOLS) return undefined;
      const key = JSON.stringify([choice.profile.id, choice.as ?? null]);
      const known = prepared.get(key) ?? make(choice).finally(() => prepared.set(key, "done"));
      prepared.set(key, known);
      return known === "done" ? undefined : known;
    },
    draft(choice) {
      if (!isShared(keeper)) return undefined;
      const before = keeper.current();
      const tables = new Set(choicesOf(choice).map(fullTable));
      return { keeper, before, draft: draftNames(tables, snapshot, before) };
    },
    isPartial: () => isPartial,
    unrecorded(choice) {
      const full = fullTable(choice);
      const shown = tableOf(choice);
      if (shown === full) return [];
      return full.tools.flatMap(({ tool }) => (shown.nameOf(tool) === undefined ? [tool] : []));
    },
  };
}
