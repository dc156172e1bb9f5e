// The laws of NAME-4, each as a property over nasty catalogs, every profile, many aliases and every style.

import {
  buildSnapshot,
  EMPTY_LOCK,
  formatLock,
  type Lock,
  listProfiles,
  NAMING_STYLES,
  type NamingStyle,
  type Profile,
  parseLock,
  type Snapshot,
  sentName,
  type ToolKey,
  type ToolSource,
  withoutToolbox,
} from "@onym/core";
import { matchesProfile } from "@onym/core/profiles";
import fc from "fast-check";
import { describe, it } from "vitest";
import { lawRuns } from "./law-runs.js";
import { alias, rawName, sources } from "./nasty.js";

const profile = fc.constantFrom(...listProfiles());
const style = fc.option(fc.constantFrom(...NAMING_STYLES), { nil: undefined });
const setting = fc.record({ sources, profile, as: alias, style });

function snapshotOf(list: readonly ToolSource[], as: string, lock: Lock = EMPTY_LOCK): Snapshot {
  return buildSnapshot(list, { as, lock });
}

/** Steps that come before spellings. */
const EARLIER: readonly string[] = ["public", "canonical", "alias"];

describe("the laws of naming", () => {
  // Five laws over each case, because what is dear is what they share: the catalog and its table.
  it("injective, legal, total, order-free, callable: every tool that is listed has a name of its own that keeps the rules, or a problem that says why not; it stays apart after the client rewrote it, does not depend on the order of servers and tools, and leads back at the first step (NAME-4) (NAME-5) (RULE-5) (RES-1)", () => {
    fc.assert(
      fc.property(setting, fc.integer(), (given, seed) => {
        const snapshot = snapshotOf(given.sources, given.as);
        const table = snapshot.namesFor(
          given.profile,
          given.style === undefined ? {} : { style: given.style },
        );
        holdInjective(given, table);
        holdLegal(given, table);
        holdTotal(given, snapshot, table);
        holdOrderFree(given, table, seed);
        holdCallable(given, snapshot);
      }),
      lawRuns(),
    );
  });

  it("sticky and tombstoned: with the lock no name moves, and none is given to another tool (NAME-4) (LOCK-1)", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), sources }),
      fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
      fc.record({ kind: fc.constant("readd" as const), at: fc.nat() }),
      fc.record({
        kind: fc.constant("list" as const),
        at: fc.nat(),
        tools: fc.array(rawName, { maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(
        sources,
        profile,
        fc.array(change, { minLength: 1, maxLength: 5 }),
        (first, profile, changes) => {
          let present: readonly ToolSource[] = first;
          const gone: ToolSource[] = [];
          let lock: Lock = EMPTY_LOCK;
          const owner = new Map<string, string>();
          const nameOf = new Map<string, string>();
          const settle = (): void => {
            const snapshot = snapshotOf(present, "onym", lock);
            for (const { name, tool } of snapshot.namesFor(profile).tools) {
              hold((owner.get(name) ?? tool.key) === tool.key, `${name} went to another tool`);
              hold((nameOf.get(tool.key) ?? name) === name, `${tool.canonical} lost its name`);
              owner.set(name, tool.key);
              nameOf.set(tool.key, name);
            }
            lock = snapshot.nextLock([profile]);
          };
          settle();
          for (const step of changes) {
            if (step.kind === "add") present = [...present, ...step.sources];
            else if (step.kind === "list") {
              present = present.map((source, index) =>
                index === step.at % present.length ? { ...source, tools: step.tools } : source,
              );
            } else if (step.kind === "remove" && present.length > 0) {
              const at = step.at % present.length;
              gone.push(...present.slice(at, at + 1));
              present = present.filter((_, index) => index !== at);
            } else if (step.kind === "readd" && gone.length > 0) {
              present = [...gone.splice(step.at % gone.length, 1), ...present];
            }
            settle();
          }
        },
      ),
      lawRuns("dear"),
    );
  });

  it("moving: pins and styles move names in tables built one after another from the lock, and none ever leads to another tool (NAME-4) (LOCK-1)", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("list" as const), list: sources }),
      // To a name of anybody's wish, or to one that somebody has or had.
      fc.record({ kind: fc.constant("pin" as const), name: fc.oneof(rawName, fc.nat()), at: fc.nat() }),
      fc.record({ kind: fc.constant("unpin" as const), at: fc.nat() }),
      fc.record({ kind: fc.constant("style" as const), style }),
    );
    fc.assert(
      fc.property(
        sources,
        profile,
        fc.array(change, { minLength: 1, maxLength: 5 }),
        (first, profile, changes) => {
          let present: readonly ToolSource[] = first;
          let lock: Lock = EMPTY_LOCK;
          const pins = new Map<string, string>();
          let styled: NamingStyle | undefined;
          const owner = new Map<string, ToolKey>();
          const snapshotNow = (): Snapshot =>
            buildSnapshot(present, {
              lock,
              pins: Object.fromEntries(pins),
              ...(styled === undefined ? {} : { style: styled }),
            });
          const settle = (): Snapshot => {
            const snapshot = snapshotNow();
            const { tools } = snapshot.namesFor(profile);
            hold(new Set(tools.map(({ name }) => name)).size === tools.length, "two tools share a name");
            for (const { name, tool } of tools) {
              hold((owner.get(name) ?? tool.key) === tool.key, `${name} went to another tool`);
              hold(matchesProfile(name, profile, "onym"), `${name} is illegal in ${profile.id}`);
              owner.set(name, tool.key);
            }
            lock = snapshot.nextLock([profile]);
            return snapshot;
          };
          let snapshot = settle();
          for (const step of changes) {
            const { tools } = snapshot.catalog;
            if (step.kind === "list") present = step.list;
            else if (step.kind === "style") styled = step.style;
            else if (step.kind === "unpin") pins.delete([...pins.keys()][step.at % pins.size] ?? "");
            else if (tools.length > 0) {
              const given = [...owner.keys()];
              const name = typeof step.name === "string" ? step.name : given[step.name % given.length];
              pins.set(name ?? "", tools[step.at % tools.length]?.canonical ?? "");
            }
            snapshot = settle();
          }
          // As after a restart: from what the lock remembers of all of it.
          const resolve = snapshotNow().resolverFor(profile);
          for (const [name, key] of owner) {
            const found = resolve(name);
            hold(found.outcome !== "resolved" || found.tool.key === key, `${name} leads to another tool`);
          }
          for (const { name, tool } of snapshot.namesFor(profile).tools) {
            const found = resolve(name);
            hold(found.outcome === "resolved" && found.tool.key === tool.key, `${name} is not callable`);
          }
        },
      ),
      lawRuns("sequence"),
    );
  });

  it("canonical names are injective, and each leads to its tool in every profile, whatever the style (CANON-7)", () => {
    fc.assert(
      fc.property(setting, ({ sources, profile, as, style }) => {
        const snapshot = buildSnapshot(sources, { as, ...(style === undefined ? {} : { style }) });
        const { tools } = snapshot.catalog;
        hold(new Set(tools.map(({ canonical }) => canonical)).size === tools.length, "two share a name");
        const resolve = snapshot.resolverFor(profile);
        const outside = new Set(tools.map(({ canonical }) => withoutToolbox(canonical)));
        for (const tool of tools) {
          const found = resolve(tool.canonical);
          hold(
            found.outcome === "resolved" && found.tool === tool,
            `${tool.canonical} is ${found.outcome} in ${profile.id}`,
          );
        }
        for (const text of outside) {
          const meant = tools.filter(({ canonical }) => withoutToolbox(canonical) === text);
          const found = resolve(text);
          if (found.outcome === "ambiguous") {
            hold(found.candidates.length === meant.length, `${text} is said to be others`);
          } else {
            const isIts = meant.length === 1 || meant.some(({ canonical }) => canonical === text);
            hold(found.outcome === "resolved" && meant.includes(found.tool) && isIts, `${text} is guessed`);
          }
        }
      }),
      lawRuns(),
    );
  });

  it("known everywhere: a name in one profile leads to its tool from any other, or is claimed by two; any text gets one of four outcomes, with its steps (RES-1) (RES-4)", () => {
    const text = fc.oneof(rawName, fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(setting, text, ({ sources, profile, as }, text) => {
        const snapshot = snapshotOf(sources, as);
        const resolve = snapshot.resolverFor("canonical");
        for (const { name, tool } of snapshot.namesFor(profile).tools) {
          const found = resolve(name);
          const claimed = found.outcome === "ambiguous" && found.candidates.includes(tool);
          // A name that is another tool's in an earlier step is that tool's.
          const earlier = found.outcome !== "unknown" && EARLIER.includes(found.step);
          const led = earlier || (found.outcome === "resolved" && found.tool === tool);
          hold(claimed || led, `${JSON.stringify(name)} of ${profile.id} is ${found.outcome}`);
        }
        const { outcome, steps } = snapshot.resolve(text, { profile });
        hold(["resolved", "ambiguous", "unknown", "retired"].includes(outcome), "an outcome of its own");
        hold(steps.length > 0, "no steps");
      }),
      lawRuns("dear"),
    );
  });

  it("a lock is the same after it was written and read (LOCK-1)", () => {
    fc.assert(
      fc.property(sources, fc.array(profile, { maxLength: 3 }), (list, profiles) => {
        const written = formatLock(snapshotOf(list, "onym").nextLock(profiles));
        const read = parseLock(written);
        hold(read.ok && formatLock(read.value) === written, "the lock changed on its way");
      }),
      lawRuns(),
    );
  });
});

interface Setting {
  readonly sources: readonly ToolSource[];
  readonly profile: Profile;
  readonly as: string;
  readonly style: NamingStyle | undefined;
}

type Table = ReturnType<Snapshot["namesFor"]>;

/** No two tools share a name, not even after the client rewrote it. */
function holdInjective({ profile, as }: Setting, { tools }: Table): void {
  hold(new Set(tools.map(({ name }) => name)).size === tools.length, "two tools share a name");
  const sent = new Set(tools.map(({ name }) => sentName(name, profile, as)));
  hold(sent.size === tools.length, "the client sends one name for two tools");
}

/** Every name keeps the rules of its profile, prefix and cut included. */
function holdLegal({ profile, as }: Setting, { tools, problems }: Table): void {
  if (problems.some(({ code }) => code === "alias-illegal")) {
    // Some clients pass the alias on as it is; then no name can be legal there, and the table says so.
    hold(!/^[A-Za-z0-9_-]+$/.test(as), "a plain alias is called illegal");
    return;
  }
  for (const { name } of tools) {
    hold(matchesProfile(name, profile, as), `${JSON.stringify(name)} is illegal in ${profile.id} as ${as}`);
  }
}

/** Every tool that is listed has a name, or a problem that says why not. */
function holdTotal({ sources }: Setting, { catalog, problems }: Snapshot, table: Table): void {
  const named = new Set(table.tools.map(({ tool }) => tool.key));
  const excused = new Set(table.problems.flatMap(({ tools }) => tools));
  for (const tool of catalog.tools) {
    hold(named.has(tool.key) || excused.has(tool.canonical), `${tool.canonical} has no name`);
  }
  const blamed = new Set(problems.flatMap(({ servers }) => servers));
  const present = new Set(catalog.servers.map(({ server }) => server));
  for (const { server } of sources) {
    hold(present.has(server) || blamed.has(server), `the server ${server} vanished without a problem`);
  }
}

/** The order of servers and tools changes nothing. */
function holdOrderFree({ sources, profile, as, style }: Setting, table: Table, seed: number): void {
  const shuffled = shuffle(
    sources.map((source) => ({ ...source, tools: shuffle(source.tools, seed + 1) })),
    seed,
  );
  const again = snapshotOf(shuffled, as).namesFor(profile, style === undefined ? {} : { style });
  const list = ({ tools }: Table) => tools.map(({ name, tool }) => `${name} ${tool.key}`).join("\n");
  hold(list(again) === list(table), "the order of arrival shows");
}

/** Advertised = callable: every name leads back to its tool, at the first step. */
function holdCallable({ profile }: Setting, snapshot: Snapshot): void {
  const resolve = snapshot.resolverFor(profile);
  for (const { name, tool } of snapshot.namesFor(profile).tools) {
    const resolution = resolve(name);
    const found = resolution.outcome === "resolved" && resolution.tool === tool;
    hold(found && resolution.step === "public", `${name} does not lead back`);
  }
}

/** Cheaper than an assertion library in a loop of millions. */
function hold(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed | 1;
  for (let index = result.length - 1; index > 0; index--) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = state % (index + 1);
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}
