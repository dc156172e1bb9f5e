import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { EMPTY_LOCK, type Lock } from "../../naming/lock/lock.js";
import { buildSnapshot, type Snapshot, type SnapshotOptions } from "../../snapshot/build-snapshot.js";
import type { Rename } from "./rename-window.js";
import { settleRenames } from "./settle-renames.js";

const PROFILES = ["openai", "canonical"];
const outside = (...tools: string[]): ToolSource => ({ server: "crm", tools });
const inBox = (toolbox: string, ...tools: string[]): ToolSource => ({ toolbox, server: "crm", tools });

/** One start after the other, each with the lock of the one before. */
function starts(...steps: readonly (readonly [readonly ToolSource[], SnapshotOptions?])[]): Snapshot {
  let lock = EMPTY_LOCK;
  let snapshot: Snapshot | undefined;
  for (const [sources, options] of steps) {
    snapshot = buildSnapshot(sources, { ...options, lock });
    lock = snapshot.nextLock(PROFILES);
  }
  return snapshot as Snapshot;
}
const leadsTo = (snapshot: Snapshot, text: string, profile = "openai"): string => {
  const found = snapshot.resolve(text, { profile });
  return found.outcome === "resolved" ? found.tool.canonical : found.outcome;
};

describe("a rename whose `to` has no toolbox (LOCK-5) (CANON-7)", () => {
  const renames = [{ from: "prod:crm@1/x@1", to: "crm@1/y@1" }];
  const first = [[[inBox("prod", "x")]], [[inBox("prod", "y")], { renames }]] as const;

  it.each([
    ["outside", outside("y"), "crm@1/y@1"],
    ["in another toolbox", inBox("dev", "y"), "dev:crm@1/y@1"],
  ])("still means its tool when that is gone and one %s has the name", (_, other, canonical) => {
    const snapshot = starts(...first, [[inBox("prod"), other], { renames }]);
    for (const name of ["prod__crm__x", "prod:crm@1/x@1", "prod:crm@1/y@1"])
      for (const profile of PROFILES)
        expect([name, profile, leadsTo(snapshot, name, profile)]).toEqual([name, profile, "retired"]);
    expect(leadsTo(snapshot, canonical)).toBe(canonical);
  });

  it("leads into no toolbox for a tool outside whose server is gone", () => {
    const renames = [{ from: "crm@1/x@1", to: "crm@1/y@1" }];
    const snapshot = starts([[outside("x"), inBox("dev", "x")]], [[inBox("dev", "y")], { renames }]);
    for (const name of ["crm_x", "crm@1/x@1"])
      for (const profile of PROFILES)
        expect([name, profile, leadsTo(snapshot, name, profile)]).toEqual([name, profile, "retired"]);
    expect(snapshot.problems.map(({ code }) => code)).toContain("rename-to-nothing");
  });

  it("hands nothing of a toolbox's tool to one outside where `from` has no toolbox either", () => {
    const renames = [{ from: "crm@1/x@1", to: "crm@1/y@1" }];
    const snapshot = starts([[inBox("dev", "x")]], [[outside("y")], { renames }]);
    for (const name of ["dev__crm__x", "dev:crm@1/x@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "retired"]);
    expect(leadsTo(snapshot, "crm@1/x@1")).toBe("crm@1/y@1");
  });

  it("still means its tool when that was renamed again beside another of the name", () => {
    const more = [...renames, { from: "prod:crm@1/y@1", to: "prod:crm@1/z@1" }];
    const snapshot = starts(...first, [[inBox("prod", "z"), inBox("dev", "y")], { renames: more }]);
    for (const name of ["prod__crm__x", "prod:crm@1/x@1", "prod:crm@1/y@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "prod:crm@1/z@1"]);
    expect(snapshot.problems).toEqual([]);
  });

  it("is left as it is where nothing is on record, or it is changed to another tool", () => {
    const catalog = buildCatalog([]);
    const settle = (entries: readonly Rename[], lock: Lock) =>
      settleRenames(entries, { lock, catalog, sources: [] });
    expect(settle(renames, EMPTY_LOCK)).toEqual(renames);
    const { lock } = starts(...first, [[inBox("prod", "y")], { renames }]);
    expect(settle(renames, lock)).toEqual([{ ...renames[0], to: "prod:crm@1/y@1" }]);
    const changed = [{ from: "prod:crm@1/x@1", to: "crm@1/z@1" }];
    expect(settle(changed, lock)).toEqual(changed);
  });

  it("still means its tool when a server outside of its former id was called otherwise", () => {
    const moved: ToolSource = { server: "hub", formerly: ["crm"], tools: ["y"] };
    const snapshot = starts(
      ...first,
      [[inBox("prod", "y")], { renames }],
      [[outside("y")], { renames }],
      [[moved], { renames }],
    );
    for (const name of ["prod__crm__x", "prod:crm@1/x@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "retired"]);
    expect(leadsTo(snapshot, "crm_y")).toBe("hub@1/y@1");
  });

  it.each(["prod:crm@1/x@1", "prod__crm__x"])(
    "is not the old tool itself, %s, where that only moved with its server (LOCK-5)",
    (from) => {
      const CRM: ToolSource = { server: "CRM", tools: ["x"] };
      const snapshot = starts(
        [[inBox("prod", "x")]],
        [[{ ...CRM, toolbox: "prod", formerly: ["crm"] }]],
        [[CRM]],
        [[CRM], { renames: [{ from, to: "crm@1/x@1" }] }],
      );
      expect(leadsTo(snapshot, "prod__crm__x")).toBe("crm@1/x@1");
      expect(snapshot.problems).toEqual([]);
    },
  );

  it("is about a tool outside where `from` is that one's own name, whatever tools in toolboxes were called", () => {
    const renamed = [
      { from: "prod:crm@1/x@1", to: "prod:crm@1/y@1" },
      { from: "crm@1/y@1", to: "crm@1/x@1" },
    ];
    const snapshot = starts(
      ...first,
      [[outside("y")], { renames: renamed.slice(0, 1) }],
      [[outside("x")], { renames: renamed }],
      [[outside("x")], { renames: renamed }],
    );
    expect(leadsTo(snapshot, "crm@1/y@1")).toBe("crm@1/x@1");
    expect(leadsTo(snapshot, "prod:crm@1/x@1")).toBe("retired");
  });

  it("is about the tool outside that is there, though what `from` was before had that name in a toolbox", () => {
    const renames = [
      { from: "prod:crm@1/x@1", to: "crm@1/y@1" },
      { from: "crm@1/y@1", to: "crm@1/x@1" },
    ];
    const snapshot = starts(
      [[outside("y"), inBox("prod", "x")]],
      [[outside("y")], { renames: renames.slice(0, 1) }],
      [[outside("x")], { renames }],
    );
    expect(snapshot.problems).toEqual([]);
    for (const name of ["prod__crm__x", "prod:crm@1/x@1", "crm_y", "crm@1/y@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "crm@1/x@1"]);
  });

  it("is about the tool outside where `from` is a public name of one that was called so at first", () => {
    const server = { toolbox: "prod", server: "erp", formerly: ["crm"], tools: ["x"] };
    const snapshot = starts(
      [[outside("x"), inBox("prod", "x")]],
      [[outside("x"), server]],
      [[outside("x")], { renames: [{ from: "prod__crm__x", to: "crm@1/x@1" }] }],
    );
    expect(snapshot.problems).toEqual([]);
    expect(leadsTo(snapshot, "prod__crm__x")).toBe("crm@1/x@1");
  });

  it("means nothing while the server outside that may have a tool of the name does not answer", () => {
    const away = outside();
    const pins = { find: "crm@1/y@1" };
    const options = { renames: [{ from: "old", to: "crm@1/y@1" }], pins, absent: [away] };
    const before = starts([[away, inBox("prod", "y")], options]);
    expect(before.namesFor("openai").tools.map(({ name }) => name)).toEqual(["prod__crm__y"]);
    expect(leadsTo(before, "old")).toBe("unknown");
    const after = starts(
      [[away, inBox("prod", "y")], options],
      [[outside("y"), inBox("prod", "y")], { ...options, absent: [] }],
    );
    expect(leadsTo(after, "find")).toBe("crm@1/y@1");
    expect(leadsTo(after, "old")).toBe("crm@1/y@1");
  });
});

describe("a rename whose `from` is the own name of a tool outside toolboxes (LOCK-5) (CANON-7)", () => {
  it("is about that one, though tools in toolboxes that are gone were called so, too", () => {
    const snapshot = starts(
      [[outside("x"), inBox("prod", "x")]],
      [[inBox("dev", "y")], { renames: [{ from: "crm@1/x@1", to: "dev:crm@1/y@1" }] }],
    );
    expect(snapshot.problems).toEqual([]);
    expect(leadsTo(snapshot, "crm@1/x@1")).toBe("dev:crm@1/y@1");
    expect(leadsTo(snapshot, "prod:crm@1/x@1")).toBe("retired");
    expect(leadsTo(snapshot, "prod__crm__x")).toBe("retired");
  });
});
