import { describe, expect, it } from "vitest";
import type { ToolSource } from "../../catalog/source.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { formatLock } from "../../naming/lock/format-lock.js";
import { EMPTY_LOCK, type Lock } from "../../naming/lock/lock.js";
import { parseLock } from "../../naming/lock/parse-lock.js";
import { listProfiles } from "../../profiles/find-profile.js";
import { buildSnapshot, type Snapshot, type SnapshotOptions } from "../../snapshot/build-snapshot.js";
import type { Rename } from "./rename-window.js";

const PROFILES = ["openai", "universal", "canonical"];
const crm = (...tools: string[]): ToolSource[] => [{ server: "crm", tools }];
const boxed = (toolbox: string, ...tools: string[]): ToolSource => ({ toolbox, server: "fs", tools });
const key = (server: string, raw: string, toolbox?: string) => toolKeyOf({ server, raw, toolbox });
const rename = (from: string, to: string, more: Partial<Rename> = {}): Rename => ({
  from: `crm@1/${from}@1`,
  to: `crm@1/${to}@1`,
  ...more,
});
/** Written and read, as between two starts. */
const reread = (lock: Lock): Lock => {
  const read = parseLock(formatLock(lock));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
};
/** One start after the other, each with the lock of the one before. */
function starts(...steps: readonly (readonly [readonly ToolSource[], SnapshotOptions?])[]): Snapshot {
  let lock = EMPTY_LOCK;
  let snapshot: Snapshot | undefined;
  for (const [sources, options] of steps) {
    snapshot = buildSnapshot(sources, { ...options, lock });
    lock = reread(snapshot.nextLock(PROFILES));
  }
  return snapshot as Snapshot;
}
const namesOf = (snapshot: Snapshot, profile = "openai"): string[] =>
  snapshot.namesFor(profile).tools.map(({ name }) => name);
const leadsTo = (snapshot: Snapshot, text: string, profile = "openai"): string => {
  const found = snapshot.resolve(text, { profile });
  return found.outcome === "resolved" ? found.tool.canonical : found.outcome;
};

describe("a declared rename (LOCK-5)", () => {
  const renames = [rename("leads.get", "leads_get")];

  it("hands on the public name in every profile, and no _2 is born", () => {
    const snapshot = starts([crm("leads.get")], [crm("leads_get"), { renames }]);
    expect(namesOf(snapshot)).toEqual(["crm_leads_get"]);
    expect(namesOf(snapshot, "universal")).toEqual(["crm_leads_get"]);
    expect(namesOf(snapshot, "canonical")).toEqual(["crm@1/leads_get@1"]);
    expect(snapshot.problems).toEqual([]);
  });

  it.each(["openai", "universal", "canonical"])(
    "leads to the tool by the name that its new raw name makes, too, in %s",
    (profile) => {
      const all = listProfiles().map(({ id }) => id);
      const { lock } = starts([crm("list_leads")]);
      const first = buildSnapshot(crm("list_leads"), { lock }).nextLock(all);
      const snapshot = buildSnapshot(crm("get_leads"), {
        lock: first,
        renames: [rename("list_leads", "get_leads")],
      });
      expect(leadsTo(snapshot, "crm_list_leads", profile)).toBe("crm@1/get_leads@1");
      expect(leadsTo(snapshot, "crm_get_leads", profile)).toBe("crm@1/get_leads@1");
    },
  );

  it("hands on a name that the new tool would not have", () => {
    const snapshot = starts(
      [crm("list")],
      [crm("find"), { renames: [rename("list", "find")] }],
      [crm("find", "list")],
    );
    expect(namesOf(snapshot)).toEqual(["crm_list", "crm_list_2"]);
    expect(leadsTo(snapshot, "crm_list")).toBe("crm@1/find@1");
  });

  it("takes back the number that a tool was given while its name was held for its former self", () => {
    const before = starts([crm("leads.get")], [crm("leads_get")]);
    expect(namesOf(before)).toEqual(["crm_leads_get_2"]);
    const snapshot = starts([crm("leads.get")], [crm("leads_get")], [crm("leads_get"), { renames }]);
    expect(namesOf(snapshot)).toEqual(["crm_leads_get"]);
    for (const name of ["crm_leads_get", "crm_leads_get_2", "crm@1/leads.get@1", "crm.leads.get"])
      expect(leadsTo(snapshot, name), name).toBe("crm@1/leads_get@1");
    const later = starts(
      [crm("leads.get")],
      [crm("leads_get")],
      [crm("leads_get"), { renames }],
      [crm("leads_get")],
    );
    expect(namesOf(later)).toEqual(["crm_leads_get"]);
    expect(leadsTo(later, "crm_leads_get_2")).toBe("crm@1/leads_get@1");
  });

  it("is followed by the structured form of the old name (BOX-6)", () => {
    const snapshot = starts([crm("list")], [crm("find"), { renames: [rename("list", "find")] }]);
    expect(snapshot.resolve({ server: "crm", name: "list" })).toMatchObject({
      outcome: "resolved",
      tool: { raw: "find" },
    });
  });

  it("moves no other name that the new tool already has", () => {
    const snapshot = starts([crm("list", "find")], [crm("find"), { renames: [rename("list", "find")] }]);
    expect(namesOf(snapshot)).toEqual(["crm_find"]);
    expect(leadsTo(snapshot, "crm_list")).toBe("crm@1/find@1");
  });

  it("is on record: it holds when it is declared no more", () => {
    const snapshot = starts([crm("leads.get")], [crm("leads_get"), { renames }], [crm("leads_get")]);
    expect(namesOf(snapshot)).toEqual(["crm_leads_get"]);
    expect(leadsTo(snapshot, "crm@1/leads.get@1")).toBe("crm@1/leads_get@1");
    const [tool] = snapshot.catalog.tools;
    expect(tool && snapshot.lineageOf(tool)).toEqual({
      key: key("crm", "leads.get"),
      former: [{ key: key("crm", "leads.get"), canonical: "crm@1/leads.get@1" }],
      later: [],
      line: [{ key: key("crm", "leads.get"), canonical: "crm@1/leads.get@1" }],
    });
  });

  it("lets the name be pinned to the new tool", () => {
    const pins = { crm_leads_get: "crm@1/leads_get@1" };
    const snapshot = starts([crm("leads.get")], [crm("leads_get"), { renames, pins }]);
    expect(namesOf(snapshot)).toEqual(["crm_leads_get"]);
    expect(snapshot.namesFor("openai").problems).toEqual([]);
  });

  it("may name the old tool by a public name, which is then in no list unless it is the tool's own (LOCK-2)", () => {
    const to = "crm@1/find@1";
    const hidden = starts([crm("list")], [crm("find"), { renames: [{ from: "crm_list", to }] }]);
    expect(namesOf(hidden)).toEqual(["crm_find"]);
    expect(hidden.resolve("crm_list", { profile: "openai" })).toMatchObject({ step: "alias", successor: to });
    expect(hidden.lineageOf(hidden.catalog.tools[0] as never).key).toBe(key("crm", "list"));
    const own = starts(
      [crm("leads.get")],
      [crm("leads_get"), { renames: [{ from: "crm_leads_get", to: "crm@1/leads_get@1" }] }],
    );
    expect(namesOf(own)).toEqual(["crm_leads_get"]);
  });

  it("is a lineage without a lock, too, for approvals and signals", () => {
    const snapshot = buildSnapshot(crm("leads_get"), { renames });
    const [tool] = snapshot.catalog.tools;
    expect(tool && snapshot.lineageOf(tool).key).toBe(key("crm", "leads.get"));
    expect(namesOf(snapshot)).toEqual(["crm_leads_get"]);
  });

  it.each([
    ["at once", [[["a"]], [["c"], ["a", "b"], ["b", "c"]]]],
    ["one by one", [[["a"]], [["b"], ["a", "b"]], [["c"], ["b", "c"]]]],
    ["with the entry changed", [[["a"]], [["b"], ["a", "b"]], [["c"], ["a", "c"]]]],
  ] as const)("goes on over a chain, declared %s", (_, steps) => {
    const snapshot = starts(
      ...steps.map(
        ([tools, ...pairs]) =>
          [crm(...tools), { renames: pairs.map(([from = "", to = ""]) => rename(from, to)) }] as const,
      ),
    );
    expect(namesOf(snapshot)).toEqual(["crm_a"]);
    expect(snapshot.problems).toEqual([]);
    const [tool] = snapshot.catalog.tools;
    expect(tool && snapshot.lineageOf(tool).key).toBe(key("crm", "a"));
    expect(leadsTo(snapshot, "crm@1/a@1")).toBe("crm@1/c@1");
    expect(leadsTo(snapshot, "crm@1/b@1")).toBe("crm@1/c@1");
  });

  it("holds for a server that goes back", () => {
    const snapshot = starts(
      [crm("list")],
      [crm("find"), { renames: [rename("list", "find")] }],
      [crm("list")],
    );
    expect(namesOf(snapshot)).toEqual(["crm_list"]);
    expect(leadsTo(snapshot, "crm@1/find@1")).toBe("crm@1/list@1");
    expect(snapshot.lineageOf(snapshot.catalog.tools[0] as never)).toMatchObject({
      key: key("crm", "list"),
      former: [],
      later: [{ key: key("crm", "find"), canonical: "crm@1/find@1" }],
    });
  });

  it("leaves the name with the new tool when the old one comes back beside it", () => {
    const snapshot = starts(
      [crm("list")],
      [crm("find"), { renames: [rename("list", "find")] }],
      [crm("find", "list")],
    );
    expect(leadsTo(snapshot, "crm_list")).toBe("crm@1/find@1");
    expect(leadsTo(snapshot, "crm@1/list@1")).toBe("crm@1/list@1");
    const [find, list] = snapshot.catalog.tools.map((tool) => snapshot.lineageOf(tool));
    expect(find).toMatchObject({ former: [], line: [{ canonical: "crm@1/list@1" }] });
    expect(list).toMatchObject({ former: [], line: [{ canonical: "crm@1/find@1" }] });
  });

  it("keeps to its toolbox (CANON-7)", () => {
    const renames = [{ from: "dev:fs@1/read@1", to: "dev:fs@1/load@1" }];
    const before = [boxed("dev", "read"), boxed("prod", "read")];
    const plain = starts([before], [[boxed("dev", "load"), boxed("prod", "read")], { renames }]);
    expect(plain.problems).toEqual([]);
    expect(leadsTo(plain, "dev__fs__read")).toBe("dev:fs@1/load@1");
    expect(leadsTo(plain, "dev:fs@1/read@1")).toBe("dev:fs@1/load@1");
    expect(leadsTo(plain, "prod__fs__read")).toBe("prod:fs@1/read@1");
    expect(leadsTo(plain, "fs@1/read@1")).toBe("ambiguous");
  });

  it("of two old tools hands on neither, and says so", () => {
    const renames = [rename("a", "c"), rename("b", "c")];
    const snapshot = starts([crm("a", "b")], [crm("c"), { renames }]);
    expect(namesOf(snapshot)).toEqual(["crm_c"]);
    expect(snapshot.problems.map(({ code }) => code)).toEqual([
      "rename-claimed-twice",
      "rename-claimed-twice",
    ]);
    for (const old of ["crm@1/a@1", "crm@1/b@1"]) expect(leadsTo(snapshot, old)).toBe("crm@1/c@1");
    expect([leadsTo(snapshot, "crm_a"), leadsTo(snapshot, "crm_b")]).toEqual(["retired", "retired"]);
  });

  it("to two new tools hands on nothing, and says so", () => {
    const renames = [rename("a", "b"), rename("a", "c")];
    const snapshot = starts([crm("a")], [crm("b", "c"), { renames }]);
    expect(namesOf(snapshot)).toEqual(["crm_b", "crm_c"]);
    expect(new Set(snapshot.problems.map(({ code }) => code))).toEqual(new Set(["rename-claimed-twice"]));
    expect(leadsTo(snapshot, "crm_a")).toBe("retired");
  });

  it("in a circle is not used, and says so", () => {
    const renames = [rename("a", "b"), rename("b", "a")];
    const snapshot = starts([crm("a", "b")], [crm("c"), { renames }]);
    expect(snapshot.problems.map(({ code }) => code)).toContain("rename-circle");
    expect([leadsTo(snapshot, "crm_a"), leadsTo(snapshot, "crm_b")]).toEqual(["retired", "retired"]);
  });

  it("stays with the tool that it was first recorded for", () => {
    const snapshot = starts(
      [crm("a")],
      [crm("b", "c"), { renames: [rename("a", "b")] }],
      [crm("b", "c"), { renames: [rename("a", "c")] }],
    );
    expect(leadsTo(snapshot, "crm_a")).toBe("crm@1/b@1");
    expect(snapshot.problems).toMatchObject([{ code: "rename-from-live", tools: ["crm@1/b@1"] }]);
  });

  it("never takes a name that was given to a tool that is there", () => {
    const snapshot = starts(
      [crm("a", "b")],
      [crm("a", "b"), { renames: [{ from: "crm_a", to: "crm@1/b@1" }] }],
    );
    expect(namesOf(snapshot)).toEqual(["crm_a", "crm_b"]);
    expect(snapshot.problems).toMatchObject([{ code: "rename-from-live", tools: ["crm@1/a@1"] }]);
  });

  it("of a server that does not answer waits for it", () => {
    const renames = [{ from: "crm@1/a@1", to: "hub@1/a@1" }];
    const hub = { server: "hub", tools: ["a"] };
    const snapshot = starts([crm("a")], [[...crm(), hub], { renames, absent: [{ server: "crm" }] }]);
    expect(namesOf(snapshot)).toEqual(["hub_a"]);
    expect(leadsTo(snapshot, "crm_a")).toBe("unknown");
  });
});

describe("a tool that comes back beside what it became (LOCK-5) (NAME-4)", () => {
  it.each(PROFILES)(
    "has its canonical name again in %s, and the successor keeps the public ones",
    (profile) => {
      const renames = [rename("x", "y")];
      const snapshot = starts([crm("x")], [crm("y"), { renames }], [crm("x", "y"), { renames }]);
      for (const name of ["crm@1/x@1", "crm@1/y@1"]) expect(leadsTo(snapshot, name, profile)).toBe(name);
      expect(leadsTo(snapshot, "crm_x")).toBe("crm@1/y@1");
      for (const { name, tool } of snapshot.namesFor(profile).tools)
        expect(leadsTo(snapshot, name, profile)).toBe(tool.canonical);
      const gone = starts([crm("x")], [crm("y"), { renames }], [crm("x", "y")], [crm("y")]);
      expect(leadsTo(gone, "crm@1/x@1", profile)).toBe("crm@1/y@1");
    },
  );
});

describe("a server that was called otherwise (LOCK-5)", () => {
  const hub = (...tools: string[]): ToolSource[] => [{ server: "hub", formerly: ["crm"], tools }];

  it("has the tools of its former id, with their names", () => {
    const snapshot = starts([crm("a", "b.c")], [hub("a", "b.c", "d")]);
    expect(namesOf(snapshot)).toEqual(["crm_a", "crm_b_c", "hub_d"]);
    expect(leadsTo(snapshot, "crm@1/a@1")).toBe("hub@1/a@1");
    expect(leadsTo(snapshot, "mcp__crm__b.c")).toBe("hub@1/b.c@1");
    expect(snapshot.lineageOf(snapshot.catalog.tools[0] as never)).toEqual({
      key: key("crm", "a"),
      former: [{ key: key("crm", "a"), canonical: "crm@1/a@1" }],
      later: [],
      line: [{ key: key("crm", "a"), canonical: "crm@1/a@1" }],
    });
    expect(snapshot.problems).toEqual([]);
  });

  it("is on record, over several ids", () => {
    const lab: ToolSource[] = [{ server: "lab", formerly: ["crm", "hub"], tools: ["a"] }];
    for (const snapshot of [
      starts([crm("a")], [hub("a")], [[{ server: "hub", tools: ["a"] }]], [lab]),
      starts([crm("a")], [lab], [[{ server: "lab", tools: ["a"] }]]),
    ]) {
      expect(namesOf(snapshot)).toEqual(["crm_a"]);
      expect(snapshot.lineageOf(snapshot.catalog.tools[0] as never).key).toBe(key("crm", "a"));
    }
  });

  it("may have renamed a tool meanwhile, which is then declared", () => {
    const renames = [{ from: "crm@1/a@1", to: "hub@1/b@1" }];
    const snapshot = starts([crm("a", "c")], [hub("b", "c"), { renames }]);
    expect(namesOf(snapshot)).toEqual(["crm_a", "crm_c"]);
    expect(leadsTo(snapshot, "crm@1/a@1")).toBe("hub@1/b@1");
  });

  it("is waited for while it starts", () => {
    const snapshot = starts([crm("a")], [hub(), { absent: [{ server: "hub" }] }]);
    expect(snapshot.resolve("crm_a", { profile: "openai" })).toMatchObject({
      outcome: "unknown",
      problem: { code: "server-absent" },
    });
  });

  it("is not the one that is still there, nor one that two claim", () => {
    const both = starts([crm("a")], [[...crm("a"), ...hub("a")]]);
    expect(namesOf(both)).toEqual(["crm_a", "hub_a"]);
    expect(both.problems).toMatchObject([{ code: "formerly-live", servers: ["hub", "crm"] }]);
    const two = starts([crm("a")], [[...hub("a"), { server: "lab", formerly: ["crm"], tools: ["a"] }]]);
    expect(namesOf(two)).toEqual(["hub_a", "lab_a"]);
    expect(two.problems.map(({ code }) => code)).toEqual([
      "formerly-claimed-twice",
      "formerly-claimed-twice",
    ]);
  });
});

describe("a server that was called otherwise after a tool of it was renamed (LOCK-5) (NAME-4)", () => {
  const renames = [rename("x", "y")];
  const renamed = [[crm("x")], [crm("y"), { renames }]] as const;
  const CRM = (...tools: string[]): ToolSource[] => [{ server: "CRM", formerly: ["crm"], tools }];
  const forgotten = (...tools: string[]): ToolSource[] => [{ server: "CRM", tools }];

  it.each(PROFILES)("brings the old tool back as the one that it was, in %s", (profile) => {
    for (const snapshot of [
      starts(...renamed, [CRM("y")], [CRM("x")]),
      starts(...renamed, [CRM("y")], [forgotten("y")], [forgotten("x")]),
    ]) {
      const [tool] = snapshot.catalog.tools;
      expect(tool && snapshot.lineageOf(tool).key).toBe(key("crm", "x"));
      for (const name of ["crm@1/x@1", "crm_x", "crm@1/y@1"])
        expect(leadsTo(snapshot, name, profile), name).toBe("crm@1/x@1");
    }
  });

  it.each(PROFILES)("has both where the old tool had come back beside what it became, in %s", (profile) => {
    const snapshot = starts(...renamed, [crm("x", "y")], [CRM("x", "y")]);
    for (const name of ["crm@1/x@1", "crm@1/y@1"]) expect(leadsTo(snapshot, name, profile)).toBe(name);
    expect(leadsTo(snapshot, "crm_x")).toBe("crm@1/y@1");
    expect(snapshot.problems).toEqual([]);
  });

  it.each(PROFILES)("leads by its own canonical name to a tool that came back alone, in %s", (profile) => {
    const snapshot = starts(...renamed, [crm("z")], [crm("z", "x")], [CRM("z", "x")]);
    for (const { name, tool } of snapshot.namesFor(profile).tools) {
      expect(leadsTo(snapshot, name, profile)).toBe(tool.canonical);
      expect(leadsTo(snapshot, tool.canonical, profile)).toBe(tool.canonical);
    }
  });

  it("keeps its canonical names beside a server that has its former id (CANON-1)", () => {
    const snapshot = starts([crm("x")], [CRM("x", "y")], [[...forgotten("x", "y"), ...crm("x", "y")]]);
    for (const name of ["crm@1/x@1", "crm@1/y@1"])
      expect(snapshot.resolve(name), name).toMatchObject({ outcome: "resolved", tool: { server: "CRM" } });
    expect(snapshot.problems).toMatchObject([{ code: "similar-ids", servers: ["CRM", "crm"] }]);
    // Also in a profile that was listed last when the other one had them.
    const { lock } = starts([crm("x")]);
    const first = buildSnapshot(crm("x"), { lock }).nextLock(PROFILES);
    const moved = buildSnapshot(CRM("x"), { lock: first }).nextLock([]);
    const pins = { chosen: "crm@1/x@1" };
    const beside = buildSnapshot([...forgotten("x"), ...crm("x")], { lock: moved, pins });
    for (const profile of PROFILES)
      expect(beside.resolve("crm@1/x@1", { profile })).toMatchObject({ tool: { server: "CRM" } });
  });

  it("is what its id was again, when the one that the id had become is gone", () => {
    const hub: ToolSource[] = [{ server: "hub", formerly: ["crm"], tools: ["x"] }];
    const lab: ToolSource[] = [{ server: "lab", formerly: ["crm"], tools: ["x"] }];
    const snapshot = starts([crm("x")], [hub], [crm("x")], [lab]);
    expect(namesOf(snapshot)).toEqual(["crm_x"]);
    expect(leadsTo(snapshot, "crm@1/x@1")).toBe("lab@1/x@1");
    expect(snapshot.problems).toEqual([]);
  });

  it("hands nothing on where two lines would become one, and says so (NAME-8)", () => {
    const hub: ToolSource = { server: "hub", tools: ["y"] };
    const snapshot = starts(
      [[...crm("x"), { server: "hub", tools: ["x"] }]],
      [[...crm("y"), hub], { renames: [rename("x", "y"), { from: "hub@1/x@1", to: "hub@1/y@1" }] }],
      [[{ ...hub, formerly: ["crm"] }]],
    );
    expect(namesOf(snapshot)).toEqual(["hub_x"]);
    expect(snapshot.problems).toMatchObject([{ code: "formerly-taken", servers: ["hub"] }]);
    expect(snapshot.problems[0]?.message).toContain('"x"');
  });

  it("is meant by a rename that names its new tool under the former id", () => {
    const hub: ToolSource[] = [{ server: "hub", formerly: ["crm"], tools: ["y"] }];
    const absent = [{ server: "crm" }];
    for (const snapshot of [
      starts([crm("x")], [crm(), { renames, absent }], [hub, { renames }]),
      starts([crm("x")], [hub, { renames: [{ from: "crm_x", to: "crm@1/y@1" }] }]),
    ]) {
      for (const name of ["crm_x", "crm@1/x@1"]) expect(leadsTo(snapshot, name), name).toBe("hub@1/y@1");
      expect(snapshot.problems).toEqual([]);
    }
  });

  it("is not meant by a rename of another server, whose id was nearly alike", () => {
    const hub: ToolSource[] = [{ server: "hub", formerly: ["CRM"], tools: ["y"] }];
    const snapshot = starts(...renamed, [forgotten("y"), { renames }], [hub, { renames }]);
    expect(namesOf(snapshot)).not.toContain("crm_x");
    expect(leadsTo(snapshot, "crm_x")).toBe("retired");
  });

  it("keeps names that waited for it under an id that it never answered with", () => {
    const hub: ToolSource = { server: "hub", formerly: ["crm"], tools: [] };
    const lab: ToolSource = { server: "lab", formerly: ["hub"], tools: [] };
    let { lock } = starts([crm("x")]);
    lock = reread(buildSnapshot(crm("x"), { lock }).nextLock(PROFILES));
    lock = reread(buildSnapshot([hub], { lock, absent: [hub] }).nextLock(["openai"]));
    lock = reread(buildSnapshot([lab], { lock, absent: [lab] }).nextLock([]));
    const snapshot = buildSnapshot([{ ...lab, tools: ["x"] }], { lock });
    for (const profile of PROFILES) expect(leadsTo(snapshot, "crm_x", profile)).toBe("lab@1/x@1");
  });
});

describe("a rename whose new tool is not there (LOCK-5) (CANON-7)", () => {
  it("hands nothing on to a server in a toolbox that does not answer, where the old tool was outside", () => {
    const renames = [rename("x", "y")];
    const away: ToolSource = { server: "crm", toolbox: "dev", tools: [] };
    const snapshot = starts(
      [crm("x")],
      [[away], { renames, absent: [away] }],
      [[{ ...away, tools: ["y"] }], { renames }],
    );
    expect(leadsTo(snapshot, "crm_x")).toBe("retired");
    expect(namesOf(snapshot)).not.toContain("crm_x");
  });
});

describe("a rename whose new name is misspelt (LOCK-5)", () => {
  const lock = buildSnapshot(crm("list_leads")).nextLock(PROFILES);
  const misspelt = [{ from: "crm@1/list_leads@1", to: "crm@1/get_laeds@1" }];

  it("is told with the name that was meant, and no key of the lock is shown", () => {
    const snapshot = buildSnapshot(crm("get_leads"), { lock, renames: misspelt });
    expect(snapshot.problems).toMatchObject([
      { code: "rename-to-nothing", fix: expect.stringMatching(/^Did you mean "crm@1\/get_leads@1"\? /) },
    ]);
    for (const text of ["crm_list_leads", "crm@1/list_leads@1"])
      expect(snapshot.resolve(text, { profile: "openai" })).toMatchObject({
        outcome: "retired",
        canonical: "crm@1/get_laeds@1",
      });
  });

  it("keeps no name from the right tool once it is corrected, also where a lock was written meanwhile", () => {
    const recorded = reread(buildSnapshot(crm("get_leads"), { lock, renames: misspelt }).nextLock(PROFILES));
    const renames = [{ from: "crm@1/list_leads@1", to: "crm@1/get_leads@1" }];
    const corrected = buildSnapshot(crm("get_leads"), { lock: recorded, renames });
    expect(corrected.problems).toEqual([]);
    for (const text of ["crm_list_leads", "crm@1/list_leads@1"])
      expect(leadsTo(corrected, text)).toBe("crm@1/get_leads@1");
  });
});

describe("names that move (RES-7)", () => {
  const lock = buildSnapshot(crm("a", "b")).nextLock(PROFILES);

  it("by a pin lead to their tool before the lock is written again", () => {
    const snapshot = buildSnapshot(crm("a", "b"), { lock, pins: { find: "crm@1/a@1" } });
    expect(namesOf(snapshot)).toEqual(["find", "crm_b"]);
    for (const profile of ["openai", "canonical", "claude-code"])
      expect(leadsTo(snapshot, "crm_a", profile), profile).toBe("crm@1/a@1");
    expect(snapshot.resolve("mcp__onym__crm_a", { profile: "openai" }).outcome).toBe("resolved");
  });

  it("by a style lead to their tool, and are its again when the style comes back (NAME-1)", () => {
    const dotted = buildSnapshot(crm("a", "b"), { lock, style: "slashed" });
    expect(namesOf(dotted, "sep-986")).toEqual(["crm/a", "crm/b"]);
    const restyled = buildSnapshot(crm("a", "b"), { lock, style: "prefixed" });
    expect(namesOf(restyled)).toEqual(["mcp_crm__a", "mcp_crm__b"]);
    for (const profile of ["openai", "universal", "cursor"])
      expect(leadsTo(restyled, "crm_a", profile), profile).toBe("crm@1/a@1");
    const next = reread(restyled.nextLock(PROFILES));
    expect(namesOf(buildSnapshot(crm("a", "b"), { lock: next }))).toEqual(["mcp_crm__a", "mcp_crm__b"]);
    const back = buildSnapshot(crm("a", "b"), { lock: next, style: "flat" });
    expect(namesOf(back)).toEqual(["crm_a", "crm_b"]);
    expect(leadsTo(back, "mcp_crm__b")).toBe("crm@1/b@1");
  });

  it("by a style also of tools that are away meanwhile", () => {
    const absent = [{ server: "crm" }];
    const away = buildSnapshot(crm(), { lock, style: "prefixed", absent });
    const back = buildSnapshot(crm("a", "b"), { lock: reread(away.nextLock(PROFILES)) });
    expect(namesOf(back)).toEqual(["mcp_crm__a", "mcp_crm__b"]);
    expect(leadsTo(back, "crm_a")).toBe("crm@1/a@1");
  });
});

describe("names of a server that is gone, or went on, do not go to another that looks like it (LOCK-5) (CANON-7)", () => {
  const top = (...tools: string[]): ToolSource => ({ server: "crm", tools });
  const prod: ToolSource = { toolbox: "prod", server: "crm", tools: ["y"] };
  const first = rename("x", "y");
  const second = rename("y", "z");

  it("such as one of the same id in a toolbox, where a renamed tool was renamed again", () => {
    const snapshot = starts(
      [[top("x"), prod]],
      [[top("y"), prod], { renames: [first] }],
      [[top("z"), prod], { renames: [first, second] }],
    );
    for (const name of ["crm_x", "crm@1/x@1", "crm_y", "crm@1/y@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "crm@1/z@1"]);
    expect(leadsTo(snapshot, "prod:crm@1/y@1")).toBe("prod:crm@1/y@1");
  });

  it("such as one of the same id in a toolbox, where the server was taken out", () => {
    const snapshot = starts(
      [[top("x"), prod]],
      [[top("y"), prod], { renames: [first] }],
      [[prod], { renames: [first] }],
    );
    for (const name of ["crm_x", "crm@1/x@1", "crm@1/y@1"])
      expect([name, leadsTo(snapshot, name)]).toEqual([name, "retired"]);
  });

  it.each(["openai", "universal", "canonical", "mcp"])(
    "such as one whose id makes the same integration, in %s",
    (profile) => {
      const renames: Rename[] = [{ from: "a-b@1/old@1", to: "a-b@1/new@1" }];
      const snapshot = starts(
        [[{ server: "a-b", tools: ["old", "c"] }]],
        [[{ server: "a-b", tools: ["new", "c"] }], { renames }],
        [[{ server: "a_b", tools: ["new", "c"] }], { renames }],
      );
      for (const name of ["a-b@1/old@1", "a-b@1/new@1", "a-b@1/c@1"])
        expect([name, leadsTo(snapshot, name, profile)]).toEqual([name, "retired"]);
      expect(snapshot.problems.map(({ code }) => code)).toContain("similar-ids");
    },
  );
});

describe("an old name that two profiles gave to two tools (LOCK-5) (NAME-4)", () => {
  const sources = (server: string, ...tools: string[]): ToolSource => ({ server, tools });
  const encoded = { style: "encoded" as const };

  it("goes on where it was the renamed tool's, and stays retired where it was another's", () => {
    const snapshot = starts(
      [[sources("a", "get.x"), sources("b", "get x")], encoded],
      [[sources("b", "get x")], encoded],
      [[sources("b", "fetch")], { ...encoded, renames: [{ from: "get_x", to: "b@1/fetch@1" }] }],
    );
    expect(leadsTo(snapshot, "get_x", "openai")).toBe("b@1/fetch@1");
    expect(leadsTo(snapshot, "get_x", "universal")).toBe("retired");
    expect(leadsTo(snapshot, "get_x_2", "universal")).toBe("b@1/fetch@1");
  });

  it("of one server hands on nothing, and that is told", () => {
    const snapshot = starts(
      [[sources("a", "get.x", "get~x")], encoded],
      [[sources("a", "fetch")], { ...encoded, renames: [{ from: "get_x", to: "a@1/fetch@1" }] }],
    );
    expect(snapshot.problems.map(({ code }) => code)).toEqual(["rename-from-several"]);
    expect(namesOf(snapshot)).toEqual(["fetch"]);
  });
});
