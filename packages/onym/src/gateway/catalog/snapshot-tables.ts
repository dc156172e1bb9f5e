// The naming tables of one view in one namespace, and which of their names are recorded.

import type { Lock, NamingTable, Profile, Snapshot, Tool } from "@onym/core";
import { MANY_TOOLS, runInSlices, SharedTurn, type SlicedFor } from "../../model/run-slices.js";
import {
  isShared,
  type NameKeeper,
  recordNames,
  recordNamesInSlices,
  type SharedKeeper,
} from "./name-lock.js";
import { draftNames, type NameDraft, recordedPart } from "./shared-names.js";

export interface NamesChoice {
  readonly profile: Profile;
  readonly as: string | undefined;
  /** For whom the names are made: whose turn it takes, whatever the names. */
  readonly callerKey?: string | undefined;
}

/** What callers with the same names wait for. */
interface SharedWork {
  readonly made: Promise<void>;
  readonly turn: SharedTurn;
}

export interface SnapshotTables {
  /** The names of one caller that may be shown; for a shared lock, the recorded ones. Writes nothing. */
  readonly tableOf: (choice: NamesChoice) => NamingTable;
  /**
   * Builds the tables of a caller's names and, for a local lock, records them. In slices for many tools
   * (SAFE-4); `undefined` if there is nothing to wait for.
   */
  readonly record: (choice: NamesChoice) => Promise<void> | undefined;
  /** What must be written to a shared lock first; `undefined` for a local lock. */
  readonly draft: (
    choice: NamesChoice,
  ) => { readonly keeper: SharedKeeper; readonly before: Lock; readonly draft: NameDraft } | undefined;
  /** The part of a caller's table that is recorded, in any lock. Writes nothing. */
  readonly recordedTable: (choice: NamesChoice) => NamingTable;
  /** A table was used before all its names were recorded. */
  readonly isPartial: () => boolean;
  readonly unrecorded: (choice: NamesChoice) => readonly Tool[];
}

/** Every tool is also listed with its names for these profiles (GW-2). */
const ADVERTISED = ["openai", "cursor"];

/** All tables whose names a caller may be shown. */
export function advertisedChoices(
  { profile, as }: NamesChoice,
  { profiles }: Pick<Snapshot, "profiles">,
): readonly NamesChoice[] {
  const advertised = ADVERTISED.flatMap((id) => profiles.find((known) => known.id === id) ?? []);
  const aliases = as === undefined ? [undefined] : [as, undefined];
  return [
    { profile, as },
    ...advertised.flatMap((known) => aliases.map((alias) => ({ profile: known, as: alias }))),
  ];
}

/** Choices of one caller that a view waits for. */
const MAX_OWN_CHOICES = 4;

/**
 * Whose names all wait for: of no caller so many that others would wait for them alone (SAFE-5). What else it has is
 * recorded in its own turn, when it asks or is told. These are in nobody's turn.
 */
export function firstChoices(
  callers: readonly (NamesChoice & { readonly callerKey: string })[],
): readonly NamesChoice[] {
  const byCaller = new Map<string, Map<string, NamesChoice>>();
  for (const { callerKey, profile, as } of callers) {
    const own = byCaller.get(callerKey) ?? new Map<string, NamesChoice>();
    byCaller.set(callerKey, own);
    if (own.size < MAX_OWN_CHOICES) own.set(JSON.stringify([profile.id, as ?? null]), { profile, as });
  }
  return [...byCaller.values()].flatMap((own) => [...own.values()]);
}

/**
 * Builds in slices the index that resolves a caller's texts other than public names in a large catalog
 * (SAFE-4). `undefined` if it is ready or quick to build.
 */
export function prepareIndex(
  { catalog, indexSteps }: Snapshot,
  { profile, as, callerKey }: NamesChoice,
): Promise<void> | undefined {
  if (catalog.tools.length < MANY_TOOLS) return undefined;
  const made = indexes.get(catalog) ?? { shared: runInSlices(indexSteps()), own: new Map() };
  indexes.set(catalog, made);
  const key = JSON.stringify([profile.id, as ?? null]);
  const known = made.own.get(key);
  if (known === "done") return undefined;
  known?.turn.join(callerKey);
  if (known !== undefined) return known.made;
  const turn = new SharedTurn({ callerKey });
  const own = made.shared
    .then(() => runInSlices(indexSteps(profile, as === undefined ? {} : { as }), turn))
    .finally(() => made.own.set(key, "done"));
  made.own.set(key, { made: own, turn });
  return own;
}

/** What all callers share is built first, and once. */
interface Index {
  readonly shared: Promise<void>;
  readonly own: Map<string, SharedWork | "done">;
}

const indexes = new WeakMap<Snapshot["catalog"], Index>();

/** Connects the view in force and the one being built: each learns of names that the other recorded. */
export interface RecordingWatch {
  /** Call after names of this view were recorded. */
  readonly onRecorded: () => void;
  /** Names of another view were recorded since this one was started. */
  readonly isOutdated: () => boolean;
}

const UNWATCHED: RecordingWatch = { onRecorded: () => {}, isOutdated: () => false };

export function createSnapshotTables(
  snapshot: Snapshot,
  keeper: NameKeeper,
  {
    choicesOf,
    watch: { onRecorded, isOutdated } = UNWATCHED,
  }: {
    /** The tables that are recorded together with a caller's. */
    readonly choicesOf: (choice: NamesChoice) => readonly NamesChoice[];
    readonly watch?: RecordingWatch | undefined;
  },
): SnapshotTables {
  /** Tables whose names are all recorded. */
  const whole = new Set<NamingTable>();
  const parts = new WeakMap<NamingTable, { readonly lock: Lock; readonly part: NamingTable }>();
  let isPartial = false;
  const [shared, local] = isShared(keeper) ? [keeper, undefined] : [undefined, keeper];
  const fullTable = ({ profile, as }: NamesChoice): NamingTable =>
    snapshot.namesFor(profile, as === undefined ? {} : { as });
  const tableOf = (choice: NamesChoice): NamingTable => {
    const table = fullTable(choice);
    if (shared === undefined || whole.has(table)) return table;
    const lock = shared.current();
    const kept = parts.get(table);
    const part = kept?.lock === lock ? kept.part : recordedPart(table, snapshot.followRenames(lock));
    parts.set(table, { lock, part });
    if (part === table) whole.add(table);
    else isPartial = true;
    return part;
  };
  const recordAtOnce = (choice: NamesChoice): void => {
    if (local === undefined) return;
    const unrecorded = choicesOf(choice)
      .map(fullTable)
      .filter((table) => !whole.has(table));
    if (unrecorded.length === 0) return;
    if (recordNames(unrecorded, snapshot, local)) onRecorded();
    for (const table of unrecorded) whole.add(table);
  };
  const recordInSlices = async (choice: NamesChoice, whom: SlicedFor): Promise<void> => {
    const tables = new Set<NamingTable>();
    for (const { profile, as } of choicesOf(choice)) {
      await new Promise(setImmediate);
      tables.add(await runInSlices(snapshot.tableSteps(profile, as === undefined ? {} : { as }), whom));
    }
    if (local === undefined) return;
    const unrecorded = [...tables].filter((table) => !whole.has(table));
    if (await recordNamesInSlices(unrecorded, snapshot, local, { whom, isOutdated })) onRecorded();
    for (const table of unrecorded) whole.add(table);
  };
  const sliced = new Map<string, SharedWork | "done">();
  return {
    tableOf,
    record(choice) {
      if (snapshot.catalog.tools.length < MANY_TOOLS) {
        recordAtOnce(choice);
        return undefined;
      }
      const key = JSON.stringify([choice.profile.id, choice.as ?? null]);
      const known = sliced.get(key);
      if (known === "done") return undefined;
      known?.turn.join(choice.callerKey);
      if (known !== undefined) return known.made;
      const turn = new SharedTurn({ callerKey: choice.callerKey });
      const made = recordInSlices(choice, turn).finally(() => sliced.set(key, "done"));
      sliced.set(key, { made, turn });
      return made;
    },
    draft(choice) {
      if (shared === undefined) return undefined;
      const before = shared.current();
      const tables = new Set(choicesOf(choice).map(fullTable));
      return { keeper: shared, before, draft: draftNames(tables, snapshot, before) };
    },
    recordedTable: (choice) =>
      local === undefined
        ? tableOf(choice)
        : recordedPart(fullTable(choice), snapshot.followRenames(local.current())),
    isPartial: () => isPartial,
    unrecorded(choice) {
      const full = fullTable(choice);
      const shown = tableOf(choice);
      if (shown === full) return [];
      return full.tools.flatMap(({ tool }) => (shown.nameOf(tool) === undefined ? [tool] : []));
    },
  };
}
