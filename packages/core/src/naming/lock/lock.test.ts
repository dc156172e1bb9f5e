import { describe, expect, it } from "vitest";
import type { ToolSource } from "../../catalog/source.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { listProfiles, profileOf } from "../../profiles/find-profile.js";
import type { Profile } from "../../profiles/profile.js";
import { buildSnapshot, type SnapshotOptions } from "../../snapshot/build-snapshot.js";
import { diffLocks } from "./diff-locks.js";
import { formatLock } from "./format-lock.js";
import { EMPTY_LOCK, type Lock } from "./lock.js";
import { parseLock } from "./parse-lock.js";

const lockOf = (sources: readonly ToolSource[], lock: Lock = EMPTY_LOCK, as = "onym"): Lock =>
  buildSnapshot(sources, { lock, as }).nextLock(["openai", "claude-code"]);
const namesOf = (sources: readonly ToolSource[], lock: Lock, as = "onym"): string[] =>
  buildSnapshot(sources, { lock, as })
    .namesFor("openai")
    .tools.map(({ name }) => name);
const a: ToolSource = { server: "a", tools: ["x.y"] };
const both: ToolSource = { server: "a", tools: ["x.y", "x-y", "x_y"] };

describe("the lock", () => {
  it("keeps a name when a tool that comes first by order joins (LOCK-1) (NAME-4)", () => {
    expect(namesOf([both], EMPTY_LOCK)).toEqual(["a_x-y", "a_x_y_2", "a_x_y"]);
    expect(namesOf([both], lockOf([a]))).toEqual(["a_x-y", "a_x_y", "a_x_y_2"]);
  });

  it("never gives a retired name to another tool, and gives it back to its own (LOCK-1)", () => {
    const retired = lockOf([{ server: "a", tools: [] }], lockOf([a]));
    expect(namesOf([{ server: "a", tools: ["x_y"] }], retired)).toEqual(["a_x_y_2"]);
    expect(namesOf([a], retired)).toEqual(["a_x_y"]);
  });

  it("gives nobody a name that a client cannot tell from a retired one (LOCK-1) (RULE-5) (NAME-4)", () => {
    // It takes `-` and `_` for the same.
    const [loose] = listProfiles().filter(({ client }) => client.equatesHyphens === true);
    if (loose === undefined) throw new Error("no client is loose");
    const first = buildSnapshot([{ server: "a", tools: ["x-y"] }]);
    const lock = first.nextLock([loose]);
    expect(first.namesFor(loose).tools.map(({ name }) => name)).toEqual(["a_x-y"]);
    const later = buildSnapshot([{ server: "a", tools: ["x_y"] }], { lock });
    expect(later.namesFor(loose).tools.map(({ name }) => name)).toEqual(["a_x_y_2"]);
  });

  it("moves a name only when a provider has come to refuse it, and the old one still leads to its tool (LOCK-1) (RULE-4)", () => {
    const raw = "r".repeat(40);
    const sources: ToolSource[] = [{ server: "srv", tools: [raw] }];
    const text = formatLock(buildSnapshot(sources).nextLock(["openai"])).replaceAll(
      `srv_${raw}`,
      `srv_${raw}-${"q".repeat(30)}`,
    );
    const read = parseLock(text);
    const snapshot = buildSnapshot(sources, { lock: read.ok ? read.value : EMPTY_LOCK });
    const table = snapshot.namesFor("openai");
    expect(table.problems).toMatchObject([{ code: "locked-name-illegal", severity: "warning" }]);
    expect(table.tools.map(({ name }) => name)).toEqual([`srv_${raw}`]);
    const old = `srv_${raw}-${"q".repeat(30)}`;
    const next = buildSnapshot(sources, { lock: snapshot.nextLock(["openai"]) });
    expect(next.resolve(old, { profile: "openai" })).toMatchObject({
      outcome: "resolved",
      step: "alias",
    });
  });

  it("keeps a name that a corrected rule would not give, and tells what is in danger (RULE-7) (LOCK-1)", () => {
    const tools = ["a__b", "a_b", "constructor", "c"];
    const sources: ToolSource[] = [{ server: "s", tools }];
    const kimi = profileOf("kimi-cli");
    // What was known of the client when the lock was written: it took any name of these characters.
    const before: Profile = {
      ...kimi,
      client: { ...profileOf("openai").client, sentMaxLength: 64 },
      rules: { ...kimi.rules, maxLength: 64 },
    };
    const lock = buildSnapshot(sources).nextLock([before]);
    const given = lock.profiles.get("kimi-cli")?.names;
    expect([...(given?.keys() ?? [])].sort()).toEqual(["s_a__b", "s_a_b", "s_c", "s_constructor"]);

    const strict: Profile = { ...kimi, rules: { ...kimi.rules, maxLength: 12, reserved: ["s_c"] } };
    for (const [profile, endangered] of [
      [kimi, ["s@1/a_b@1"]],
      [strict, ["s@1/a_b@1", "s@1/c@1", "s@1/constructor@1"]],
    ] as const) {
      const table = buildSnapshot(sources, { lock }).namesFor(profile);
      expect(table.tools.map(({ name }) => name).sort()).toEqual([...(given?.keys() ?? [])].sort());
      expect(table.problems.map(({ code }) => code)).toEqual(endangered.map(() => "locked-name-endangered"));
      expect(table.problems.flatMap(({ tools }) => tools).sort()).toEqual(endangered);
      expect(table.problems[0]).toMatchObject({ severity: "warning", fix: expect.stringContaining("pins") });
    }

    // Without the lock nothing is in danger, because the client is given what it takes.
    const fresh = buildSnapshot(sources).namesFor(kimi);
    expect(fresh.problems).toEqual([]);
    expect(fresh.tools.map(({ name }) => name)).toContain("s_a_b_2");
  });

  it("is read where it was written before a row was told apart or counted the alias (RULE-7)", () => {
    const names = new Map([["old", { key: toolKeyOf({ server: "a", raw: "x.y" }) }]]);
    const lockAt = (key: string): Lock => ({
      profiles: new Map([[key, { style: "flat", names }]]),
      tools: new Map(),
    });
    for (const [id, as, key] of [
      ["kimi-cli", "acme", "kimi-cli"],
      ["kimi-cli", "onym", "kimi-cli"],
      ["anthropic-mcp-connector", "acme", "anthropic-mcp-connector"],
      ["continue", "acme", "continue?as=acme"],
      ["continue-ide", "acme", "continue?as=acme"],
      ["continue-ide", "onym", "continue"],
    ] as const) {
      const table = buildSnapshot([a], { as, lock: lockAt(key) }).namesFor(id);
      expect([id, as, table.tools.map(({ name }) => name)]).toEqual([id, as, ["old"]]);
    }
  });

  it("holds names per alias where the alias takes room (LOCK-1) (RULE-4)", () => {
    const lock = buildSnapshot([a], { as: "acme" }).nextLock(["claude-code", "openai"]);
    expect([...lock.profiles.keys()].sort()).toEqual(["claude-code?as=acme", "openai"]);
  });

  it("is written one tool a line, in one order, and read back the same (LOCK-1)", () => {
    const text = formatLock(lockOf([{ server: "b", tools: ["__proto__"] }, both]));
    expect(text).toBe(formatLock(lockOf([both, { server: "b", tools: ["__proto__"] }])));
    expect(text.split("\n").filter((line) => line.includes('"tool":'))).toHaveLength(4);
    const read = parseLock(text);
    expect(read.ok && formatLock(read.value)).toBe(text);
    expect(formatLock(EMPTY_LOCK)).toBe('{\n  "onymLock": 1,\n  "profiles": {},\n  "tools": []\n}\n');
  });

  it.each([
    ["", "lock-corrupt", "JSON"],
    ["{", "lock-corrupt", "JSON"],
    ["[]", "lock-corrupt", "the file should be an object"],
    ['{"onymLock":2}', "lock-newer", "format 2"],
    ['{"onymLock":"1"}', "lock-corrupt", "onymLock"],
    ['{"onymLock":1,"profiles":{"openai":"round"},"tools":[]}', "lock-corrupt", "profiles.openai"],
    ['{"onymLock":1,"profiles":{},"tools":[5]}', "lock-corrupt", "tools[0]"],
    [
      '{"onymLock":1,"profiles":{},"tools":[{"tool":["bare","x"],"canonical":"","digest":""}]}',
      "lock-corrupt",
      "tools[0].tool",
    ],
  ])("explains what is wrong with %j (LOCK-1)", (text, code, reason) => {
    const read = parseLock(text);
    expect(read).toMatchObject({ ok: false, problem: { code } });
    expect(read.ok ? "" : read.problem.message).toContain(reason);
  });

  const line = (more: object) =>
    JSON.stringify({
      onymLock: 1,
      profiles: { openai: "flat" },
      tools: [{ tool: ["namespaced", "a", "x"], canonical: "a@1/x@1", digest: "d", ...more }],
    });
  it.each([
    ['{"onymLock":1}', "profiles should be an object"],
    ['{"onymLock":1,"profiles":[],"tools":[]}', "profiles should be an object"],
    ['{"onymLock":1,"profiles":null,"tools":[]}', "profiles should be an object"],
    ['{"onymLock":0,"profiles":{},"tools":[]}', "onymLock should be 1"],
    ['{"onymLock":1,"profiles":{"a":5},"tools":[]}', "profiles.a should be a naming style"],
    ['{"onymLock":1,"profiles":{},"tools":{}}', "tools should be a list"],
    [line({ tool: "x" }), "tools[0].tool should be a list"],
    [line({ tool: ["namespaced", "a", 5] }), "tools[0].tool should be a text"],
    [
      line({ tool: ["namespaced", "a"] }),
      'tools[0].tool should be ["namespaced", server, tool] or ["toolbox", toolbox, server, tool]',
    ],
    [
      line({ tool: ["toolbox", "a", "b"] }),
      'tools[0].tool should be ["namespaced", server, tool] or ["toolbox", toolbox, server, tool]',
    ],
    [line({ canonical: 5 }), "tools[0].canonical should be a text"],
    [line({ digest: null }), "tools[0].digest should be a text"],
    [
      line({ successor: [] }),
      'tools[0].successor should be ["namespaced", server, tool] or ["toolbox", toolbox, server, tool]',
    ],
    [line({ name: 5 }), "tools[0].name should be a text"],
    [line({ others: [] }), "tools[0].others should be an object"],
    [line({ others: { openai: 5 } }), "tools[0].others.openai should be a text"],
    [
      line({ others: { cursor: "x" } }),
      'tools[0].others names the profile "cursor", which the file does not list',
    ],
    [line({ former: [] }), "tools[0].former should be an object"],
    [line({ former: { openai: "x" } }), "tools[0].former.openai should be a list"],
    [line({ former: { openai: [5] } }), "tools[0].former.openai should be a text"],
    [
      line({ former: { cursor: ["x"] } }),
      'tools[0].former names the profile "cursor", which the file does not list',
    ],
    [line({ name: "x", former: { openai: ["x"] } }), 'tools[0].former gives the name "x" to a second tool'],
    [line({ retired: "all" }), "tools[0].retired should be a list"],
    [line({ retired: [5] }), "tools[0].retired should be a text"],
    [
      JSON.stringify({
        ...JSON.parse(line({})),
        tools: [JSON.parse(line({})).tools[0], JSON.parse(line({})).tools[0]],
      }),
      "tools[1].tool stands in the file twice",
    ],
  ])("says where %s is wrong, and what to do (LOCK-1)", (text, reason) => {
    expect(parseLock(text)).toEqual({
      ok: false,
      problem: {
        code: "lock-corrupt",
        severity: "error",
        message: `The lock cannot be read: ${reason}.`,
        fix: "Restore the file from version control; it is the record of names already given out.",
      },
    });
  });

  it("says that a file is newer, and that it holds the marks of a merge (LOCK-1)", () => {
    expect(parseLock('{"onymLock":2}')).toEqual({
      ok: false,
      problem: {
        code: "lock-newer",
        severity: "error",
        message: "The lock has format 2; this program knows formats up to 1.",
        fix: "Use the version of Onym that wrote it, or a later one.",
      },
    });
    const messageOf = (text: string) => {
      const read = parseLock(text);
      return read.ok ? "" : read.problem.message;
    };
    expect(messageOf("{\n<<<<<<< ours\n")).toMatch(
      /it is not JSON, but holds the marks of a merge conflict \(.+\)\.$/,
    );
    expect(messageOf("{")).toMatch(/it is not JSON \(.+\)\.$/);
  });

  it("reads names that are shared, others, former and retired ones (LOCK-1)", () => {
    const read = (more: object) => {
      const text = JSON.stringify({
        onymLock: 1,
        profiles: { openai: "flat", cursor: "flat", mcp: "dotted" },
        tools: [{ tool: ["toolbox", "dev", "a", "x"], canonical: "dev:a@1/x@1", digest: "d", ...more }],
      });
      const lock = parseLock(text);
      if (!lock.ok) throw new Error(lock.problem.message);
      return [...lock.value.profiles].map(([id, { style, names }]) => [
        id,
        style,
        ...[...names].map(([name, { key, retired }]) => [name, key, retired]),
      ]);
    };
    const key = '["toolbox","dev","a","x"]';
    expect(
      read({ name: "s", others: { cursor: "c", mcp: null }, former: { openai: ["o"] }, retired: ["cursor"] }),
    ).toEqual([
      ["openai", "flat", ["s", key, undefined], ["o", key, "renamed"]],
      ["cursor", "flat", ["c", key, "removed"]],
      ["mcp", "dotted"],
    ]);
    expect(read({ name: "s", retired: true })).toEqual([
      ["openai", "flat", ["s", key, "removed"]],
      ["cursor", "flat", ["s", key, "removed"]],
      ["mcp", "dotted", ["s", key, "removed"]],
    ]);
    expect(read({ name: "s", retired: false })[0]).toEqual(["openai", "flat", ["s", key, undefined]]);
    expect(read({})).toEqual([
      ["openai", "flat"],
      ["cursor", "flat"],
      ["mcp", "dotted"],
    ]);
  });

  it("refuses a file that gives one name to two tools (LOCK-1)", () => {
    const text = formatLock(lockOf([{ server: "a", tools: ["one", "two"] }])).replaceAll("a_two", "a_one");
    expect(parseLock(text)).toMatchObject({ ok: false, problem: { code: "lock-corrupt" } });
  });

  it("tells what was added, kept, retired, moved and redefined (LOCK-1)", () => {
    const before = lockOf([{ server: "a", tools: ["stays", "goes", { name: "changes", description: "1" }] }]);
    const after = lockOf(
      [{ server: "a", tools: ["stays", "comes", { name: "changes", description: "2" }] }],
      before,
    );
    const diff = diffLocks(before, after);
    const named = (changes: readonly { profile: string; name: string }[]) =>
      changes.map(({ profile, name }) => `${profile} ${name}`);
    expect(named(diff.added)).toEqual(["claude-code a_comes", "openai a_comes"]);
    expect(named(diff.retired)).toEqual(["claude-code a_goes", "openai a_goes"]);
    expect(diff).toMatchObject({ kept: 4, moved: [], redefined: ["a@1/changes@1"] });
    expect(diffLocks(after, after)).toEqual({
      added: [],
      kept: 6,
      retired: [],
      moved: [],
      handedOn: [],
      redefined: [],
    });
  });

  it("tells names that a declared rename hands on, and neither adds nor retires them (LOCK-5) (LOCK-6)", () => {
    const first = (tools: readonly string[], options: SnapshotOptions = {}) =>
      buildSnapshot([{ server: "a", tools }], options).nextLock(["openai", "canonical"]);
    const before = first(["old", "stays"]);
    const renames = [{ from: "a@1/old@1", to: "a@1/new@1" }];
    const after = first(["new", "stays"], { lock: before, renames });
    const told = { canonical: "a@1/new@1", formerly: "a@1/old@1" };
    expect(diffLocks(before, after)).toEqual({
      added: [],
      kept: 2,
      retired: [],
      moved: [],
      handedOn: [
        { profile: "canonical", name: "a@1/new@1", from: "a@1/old@1", ...told },
        { profile: "openai", name: "a_old", from: "a_old", ...told },
      ],
      redefined: [],
    });
  });

  it("loses no name of a tool that has those of another one, too, whichever profiles are written (LOCK-5) (NAME-4)", () => {
    const next = (tools: readonly string[], lock: Lock, profiles: readonly string[]): Lock => {
      const renames = [{ from: "a@1/old@1", to: "a@1/new@1" }];
      const text = formatLock(buildSnapshot([{ server: "a", tools }], { lock, renames }).nextLock(profiles));
      const read = parseLock(text);
      if (!read.ok) throw new Error(read.problem.message);
      return read.value;
    };
    const before = lockOf([{ server: "a", tools: ["old", "new"] }]);
    for (const [tools, profiles] of [
      [["new"], []],
      [["new"], ["openai"]],
      [[], ["openai"]],
    ] as const) {
      const after = next([...tools], next(["new"], before, []), profiles);
      expect([...(after.profiles.get("openai")?.names.keys() ?? [])].sort()).toEqual(["a_new", "a_old"]);
      expect([...(after.profiles.get("claude-code")?.names.keys() ?? [])].sort()).toEqual(["a_new", "a_old"]);
    }
  });

  it("names a tool that nobody has seen by its server and raw name, not by its key (LOCK-6)", () => {
    const before = buildSnapshot([{ server: "a", toolbox: "dev", tools: ["x"] }]).nextLock(["openai"]);
    const moved: ToolSource = { server: "b", toolbox: "dev", tools: [], formerly: ["a"] };
    const after = buildSnapshot([moved], { lock: before, absent: [moved] }).nextLock(["openai"]);
    expect(diffLocks(before, after).handedOn).toMatchObject([
      { name: "dev__a__x", canonical: "dev:b@1/x@1", formerly: "dev:a@1/x@1" },
    ]);
    // Locks of earlier versions have no line for it.
    const tools = new Map([...after.tools].filter(([key]) => before.tools.has(key)));
    expect(diffLocks(before, { ...after, tools }).handedOn).toMatchObject([
      { name: "dev__a__x", canonical: "dev / b / x", formerly: "dev:a@1/x@1" },
    ]);
  });
});
