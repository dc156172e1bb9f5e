import { describe, expect, it } from "vitest";
import type { ToolSource } from "../catalog/source.js";
import { diffLocks } from "../naming/lock/diff-locks.js";
import { formatLock } from "../naming/lock/format-lock.js";
import { EMPTY_LOCK, type Lock } from "../naming/lock/lock.js";
import { parseLock } from "../naming/lock/parse-lock.js";
import { defineProfile } from "../profiles/define/define-profile.js";
import type { Profile } from "../profiles/profile.js";
import { matchesProfile } from "../profiles/sent/sent-name.js";
import { buildSnapshot, type Snapshot, type SnapshotOptions } from "./build-snapshot.js";

const docs: ToolSource = { server: "docs", tools: ["search", "read"] };
const names = (snapshot: Snapshot, profile: string | Profile): string[] =>
  snapshot.namesFor(profile).tools.map(({ name, tool }) => `${name}=${tool.server}/${tool.raw}`);
const codes = (snapshot: Snapshot): string[] => snapshot.problems.map(({ code }) => code);
const lockFrom = (lock: Lock): Lock => {
  const read = parseLock(formatLock(lock));
  return read.ok ? read.value : EMPTY_LOCK;
};
const own = (pattern: string, more: object = {}): Profile => {
  const defined = defineProfile({ id: "own", pattern, ...more });
  if (!defined.ok) throw new Error(defined.problem.message);
  return defined.value;
};

describe("pins", () => {
  it("that lead nowhere are told with the name that was meant, once the server has answered (NAME-8)", () => {
    const pins = { find: "docs@1/saerch@1" };
    expect(buildSnapshot([docs], { pins }).problems).toMatchObject([
      { code: "pin-to-nothing", fix: expect.stringMatching(/^Did you mean "docs@1\/search@1"\? Correct /) },
    ]);
    const waiting = { server: "docs", tools: [] };
    expect(codes(buildSnapshot([waiting], { pins, absent: [waiting] }))).toEqual([]);
    expect(codes(buildSnapshot([waiting], { pins }))).toEqual(["pin-to-nothing"]);
    expect(codes(buildSnapshot([waiting], { pins: { a: "dosc@1/x@1" }, absent: [waiting] }))).toEqual([
      "pin-to-nothing",
    ]);
  });

  const pinned = (pins: Record<string, string>): Snapshot => buildSnapshot([docs], { pins });

  it("name a tool once, and the first by code point counts, with a problem for the other (NAME-5)", () => {
    for (const order of [
      { b: "docs@1/read@1", a: "docs@1/read@1" },
      { a: "docs@1/read@1", b: "docs@1/read@1" },
    ]) {
      expect(names(pinned(order), "openai")).toContain("a=docs/read");
      expect(codes(pinned(order))).toEqual(["pin-twice"]);
    }
  });

  it("are refused where the client would confuse two of them (NAME-4)", () => {
    const table = pinned({ "do-it": "docs@1/read@1", do_it: "docs@1/search@1" }).namesFor("roo-code");
    expect(table.problems).toMatchObject([{ code: "pin-taken" }]);
    expect(table.tools.map(({ name }) => name.replaceAll("-", "_"))).toHaveLength(2);
    expect(new Set(table.tools.map(({ name }) => name.replaceAll("-", "_"))).size).toBe(2);
  });

  it("to a tool of several toolboxes say so (NAME-5)", () => {
    const boxes = ["dev", "ops"].map((toolbox) => ({ toolbox, server: "docs", tools: ["search"] }));
    expect(codes(buildSnapshot(boxes, { pins: { find: "docs@1/search@1" } }))).toEqual(["pin-ambiguous"]);
  });

  it("leave the name that was there before leading to the tool (RES-1) (NAME-4)", () => {
    const lock = buildSnapshot([docs]).nextLock(["openai"]);
    for (const options of [{}, { lock }]) {
      const snapshot = buildSnapshot([docs], { pins: { find: "docs@1/search@1" }, ...options });
      const old = snapshot.resolve("docs_search", { profile: "openai" });
      expect(old.outcome === "resolved" && old.tool.raw).toBe("search");
    }
  });

  it("are found from any profile, whatever characters they hold (RES-1)", () => {
    const snapshot = pinned({ "my@tool": "docs@1/read@1", "find it!": "docs@1/search@1" });
    expect(names(snapshot, "canonical")).toEqual(["my@tool=docs/read", "find it!=docs/search"]);
    expect(snapshot.resolve("my@tool", { profile: "openai" })).toMatchObject({ outcome: "resolved" });
    expect(snapshot.resolve("find it!", { profile: "openai" })).toMatchObject({ outcome: "resolved" });
  });
});

describe("renames", () => {
  const renamed = (renames: NonNullable<SnapshotOptions["renames"]>): Snapshot =>
    buildSnapshot([docs, { server: "web", tools: ["search"] }], { renames });

  it("say for whom a name is kept that a tool would like to have (RES-5)", () => {
    const snapshot = renamed([{ from: "docs_search", to: "web@1/search@1" }]);
    expect(names(snapshot, "openai")).toContain("docs_search_2=docs/search");
    expect(snapshot.explain("docs_search_2", { profile: "openai" }).join(" ")).toContain(
      "the declared rename to web@1/search@1",
    );
  });

  it("never take a canonical name from its tool (RES-1)", () => {
    const snapshot = renamed([{ from: "docs@1/search@1", to: "web@1/search@1" }]);
    expect(codes(snapshot)).toEqual(["rename-from-live"]);
    expect(names(snapshot, "canonical")).toContain("docs@1/search@1=docs/search");
  });

  it("are followed from one to the next (LOCK-1)", () => {
    const snapshot = renamed([
      { from: "oldest", to: "web@1/find@1" },
      { from: "web@1/find@1", to: "web@1/search@1" },
    ]);
    expect(snapshot.resolve("oldest")).toMatchObject({ outcome: "resolved", step: "alias" });
  });
});

describe("spellings", () => {
  it("that the client's own prefix and another server share are nobody's (RES-1)", () => {
    const snapshot = buildSnapshot([
      { server: "onym", tools: ["x_y"] },
      { server: "x", tools: ["y"] },
    ]);
    expect(snapshot.resolve("mcp__onym__x_y", { profile: "claude-code" }).outcome).toBe("ambiguous");
  });

  it("of raw names that look encoded are read as they came, too (CANON-3) (CANON-4) (CANON-5)", () => {
    const snapshot = buildSnapshot([{ server: "s", tools: ["50%25"] }]);
    for (const text of ["s@1/50%25@1", "s/50%25", "s@v1/50%25", "s@latest/50%25", "S@1/50%25@1"]) {
      expect(snapshot.resolve(text).outcome, text).toBe("resolved");
    }
  });

  it("by a server that is in several places are ambiguous, and exact in the structured form (RES-1) (BOX-6)", () => {
    const snapshot = buildSnapshot([docs, { toolbox: "dev", server: "docs", tools: ["search"] }]);
    expect(snapshot.resolve("search", { context: { server: "docs" } }).outcome).toBe("ambiguous");
    const structured = snapshot.resolve({ server: "docs", name: "search" });
    expect(structured.outcome === "resolved" && structured.tool.toolbox).toBeUndefined();
  });

  it("that are no text at all are unknown, not a throw (RES-4)", () => {
    for (const input of [undefined, null, 5, {}, []] as unknown as string[]) {
      expect(buildSnapshot([docs]).resolve(input).outcome).toBe("unknown");
    }
  });
});

describe("the lock", () => {
  it("keeps its style for new tools, until another is configured (LOCK-1)", () => {
    const lock = buildSnapshot([docs], { style: "dotted" }).nextLock(["mcp"]);
    const more: ToolSource = { server: "docs", tools: ["search", "read", "write"] };
    expect(names(buildSnapshot([more], { lock }), "mcp")).toContain("docs.write=docs/write");
    expect(names(buildSnapshot([more], { lock, style: "flat" }), "mcp")).toContain("docs_write=docs/write");
  });

  it("holds when somebody asks for the style that is in force (LOCK-1)", () => {
    const lock = buildSnapshot([{ server: "docs", tools: ["a_b"] }]).nextLock(["openai"]);
    const snapshot = buildSnapshot([{ server: "docs", tools: ["a b", "a_b"] }], { lock });
    expect(snapshot.namesFor("openai", { style: "flat" })).toBe(snapshot.namesFor("openai"));
  });

  it("remembers for each profile on its own what is gone (LOCK-1)", () => {
    const both = buildSnapshot([docs]).nextLock(["openai", "cursor"]);
    const one = buildSnapshot([{ server: "docs", tools: ["read"] }], { lock: both }).nextLock(["openai"]);
    expect(diffLocks(one, lockFrom(one))).toMatchObject({ added: [], retired: [], moved: [] });
    expect(formatLock(one)).toContain('"retired":["openai"]');
  });

  it("cannot give a tool a name that the gateway uses itself (NAME-6)", () => {
    const text = formatLock(buildSnapshot([docs]).nextLock(["openai"])).replace("docs_read", "find_tools");
    const read = parseLock(text);
    const snapshot = buildSnapshot([docs], {
      lock: read.ok ? read.value : EMPTY_LOCK,
      ownNames: ["find_tools"],
    });
    expect(names(snapshot, "openai")).toContain("docs_read=docs/read");
  });

  it("says what a name is without it (RES-5)", () => {
    const lock = buildSnapshot([{ server: "docs", tools: ["a_b"] }]).nextLock(["openai"]);
    const { tools } = buildSnapshot([{ server: "docs", tools: ["a b", "a_b"] }], { lock }).namesFor("openai");
    expect(tools.map(({ why }) => why.kind)).toEqual(["numbered", "wish"]);
  });
});

describe("profiles of one's own", () => {
  it("take the place of a built-in one with their id (RULE-1)", () => {
    const mine = { ...own("^[a-z0-9_]{1,40}$"), id: "openai" };
    const snapshot = buildSnapshot([{ server: "docs", tools: ["Search"] }], { profiles: [mine] });
    expect(names(snapshot, "openai")).toEqual(["docs_search=docs/Search"]);
    expect(snapshot.profiles.filter(({ id }) => id === "openai")).toEqual([mine]);
    expect(formatLock(snapshot.nextLock(snapshot.profiles))).toContain('"docs_search"');
  });

  it.each([
    [own("^[a-z_]{1,30}$")],
    [own("^[A-Z_]{1,30}$")],
    [own("^[a-f0-9]{10,30}$")],
    [own("^[a-zA-Z0-9_-]{1,40}$", { forbidden: ["__", "--"] })],
    [own("^[a-zA-Z0-9_-]{1,40}$", { forbidden: ["_"] })],
    [own("^[a-zA-Z0-9_-]{1,40}$", { forbidden: ["__"], minLength: 4 })],
  ])("get legal names or a problem, however narrow they are (NAME-4) (NAME-5)", (profile) => {
    const tools = ["get.x", "get_x", "a--b", "a__b", "x", "a_very_long_tool_name_that_is_cut_here_and_there"];
    const table = buildSnapshot([{ server: "a", tools }], { profiles: [profile] }).namesFor("own", {
      style: "bare",
    });
    for (const { name } of table.tools) expect(matchesProfile(name, profile, "onym"), name).toBe(true);
    const excused = table.problems.flatMap((problem) => problem.tools);
    if (excused.length > 0) expect(table.tools.length + excused.length).toBe(tools.length);
  });
});

describe("misuse", () => {
  it("of a profile id is an error with a hint (RULE-2)", () => {
    expect(() => buildSnapshot([docs]).namesFor("opnai")).toThrowError(
      expect.objectContaining({ code: "unknown-profile" }),
    );
  });

  it("of a source without tools is a problem that leaves the others alone (NAME-5)", () => {
    const snapshot = buildSnapshot([docs, { server: "z" } as unknown as ToolSource]);
    expect(codes(snapshot)).toEqual(["bad-source"]);
    expect(snapshot.catalog.tools).toHaveLength(2);
  });
});

describe("strict registration", () => {
  const odd: ToolSource = { server: "x", tools: ["fine", "not fine", "-edge"] };

  it("warns by default and refuses when asked to (RULE-3)", () => {
    const lenient = buildSnapshot([odd]);
    expect(lenient.catalog.tools).toHaveLength(3);
    expect(lenient.problems.every(({ severity }) => severity === "warning")).toBe(true);
    const strict = buildSnapshot([odd], { strict: true });
    expect(strict.catalog.tools.map(({ raw }) => raw)).toEqual(["-edge", "fine"]);
    expect(strict.problems.some(({ severity, code }) => severity === "error" && code === "spaces")).toBe(
      true,
    );
  });
});

describe("a server that goes on renaming its tools (NAME-4, NAME-8, SAFE-4)", () => {
  const toolsOf = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `tool_${from + index}`);
  const sources = (tools: readonly string[]): ToolSource[] => [
    { server: "restless", tools },
    { server: "docs", tools: ["search"] },
  ];
  /** So many tools of the server are on record, and none of them is listed any more. */
  const retired = (count: number): Lock => {
    const before = buildSnapshot(sources(toolsOf(0, count))).nextLock(["openai"]);
    return buildSnapshot(sources([]), { lock: before }).nextLock(["openai"]);
  };

  it.each([
    ["one below", 9_999, true],
    ["at", 10_000, true],
    ["one above", 10_001, false],
  ])(
    "gets new names %s the limit of retired ones (limits: MAX_GONE of build-catalog)",
    (_, count, isNamed) => {
      // One of those on record is back, so there is one more on record than are gone.
      const snapshot = buildSnapshot(sources(["fresh", "tool_7"]), { lock: retired(count + 1) });
      expect(names(snapshot, "openai")).toEqual([
        "docs_search=docs/search",
        ...(isNamed ? ["restless_fresh=restless/fresh"] : []),
        "restless_tool_7=restless/tool_7",
      ]);
      expect(codes(snapshot)).toEqual(isNamed ? [] : ["too-many-retired"]);
    },
  );

  it("fills the lock no further, and no retired name passes to another tool", () => {
    let lock = retired(10_001);
    const size = lock.tools.size;
    for (let round = 0; round < 5; round++) {
      const snapshot = buildSnapshot([...sources([`other_${round}`, "tool.1"])], { lock });
      expect(names(snapshot, "openai")).toEqual(["docs_search=docs/search"]);
      expect(snapshot.problems[0]).toMatchObject({ code: "too-many-retired", servers: ["restless"] });
      lock = snapshot.nextLock(["openai"]);
    }
    expect(lock.tools.size).toBe(size);
  });

  it("fills no profile's names further, and has a limit of its own in each toolbox", () => {
    const PROFILES = ["openai", "cursor", "claude-code"];
    const listing = (tools: readonly string[], toolbox?: string): ToolSource[] => [
      { server: "restless", tools, ...(toolbox === undefined ? {} : { toolbox }) },
    ];
    const full = buildSnapshot(listing(toolsOf(0, 10_001))).nextLock(PROFILES);
    const inToolbox = buildSnapshot(listing(["fresh"], "dev"), { lock: full });
    expect(codes(inToolbox)).toEqual([]);
    const before = inToolbox.nextLock(PROFILES);
    let lock = before;
    for (const round of [0, 1, 2]) {
      const snapshot = buildSnapshot(listing([`other_${round}`]), { lock });
      expect(codes(snapshot)).toEqual(["too-many-retired"]);
      lock = snapshot.nextLock(PROFILES);
    }
    const sizes = ({ tools, profiles }: Lock) => [
      tools.size,
      ...[...profiles.values()].map(({ names: { size } }) => size),
    ];
    expect(sizes(lock)).toEqual(sizes(before));
    expect(sizes(lock)).toEqual([10_002, 10_002, 10_002, 10_002]);
  });
});

describe("the index of spellings", () => {
  const sources: readonly ToolSource[] = [
    { server: "salesforce", tools: ["get_leads", "crm.create-lead"] },
    { server: "fs", toolbox: "dev", tools: ["read_file", "Read.File"] },
  ];
  const texts = [
    "salesforce_get_leads",
    "salesforce/get_leads",
    "SALESFORCE@1/get_leads@1",
    "salesforce@latest/crm.create-lead",
    "mcp__salesforce__get_leads",
    "dev__fs__read_file",
    "fs@1/read_file@1",
    "fs_Read_File",
    "get_leads",
    "nobody",
  ];

  it.each([[undefined], ["claude-code"]])(
    "made in steps leads where it leads when it is made at once, also while it is being made: %s (SAFE-4)",
    (profile) => {
      const options = profile === undefined ? {} : { profile };
      const resolveAll = (snapshot: Snapshot) => texts.map((text) => snapshot.resolve(text, options));
      const expected = JSON.stringify(resolveAll(buildSnapshot(sources)));
      const stepped = buildSnapshot(sources);
      const steps = [...stepped.indexSteps(profile)].length;
      expect(steps).toBeGreaterThan(12);
      expect(JSON.stringify(resolveAll(stepped))).toBe(expected);
      for (let taken = 0; taken < steps; taken += 3) {
        const snapshot = buildSnapshot(sources);
        const rest = snapshot.indexSteps(profile);
        for (let step = 0; step < taken; step++) rest.next();
        expect(JSON.stringify(resolveAll(snapshot))).toBe(expected);
        expect([...rest].length).toBeLessThanOrEqual(steps);
        expect(JSON.stringify(resolveAll(snapshot))).toBe(expected);
      }
    },
  );
});
