import { describe, expect, it } from "vitest";
import { buildSnapshot, type Snapshot } from "../../snapshot/build-snapshot.js";
import { type Rename, renameWindow } from "./rename-window.js";

describe("a window in major versions (LOCK-2, S002-12)", () => {
  it.each([
    // Renamed in a new major version: all of it, and no more.
    ["2.0.0", undefined, "2.0.0", "open"],
    ["2.0.0", undefined, "2.99.1", "open"],
    ["2.0.0", undefined, "3.0.0", "ended"],
    ["2", undefined, "3", "ended"],
    ["v2.0", undefined, "V3.1.4", "ended"],
    // Renamed within one: what is left of it is no major version yet.
    ["2.3.0", undefined, "3.9.9", "open"],
    ["2.3.0", undefined, "4.0.0", "ended"],
    ["2.0.1", 1, "3.0.0", "open"],
    ["2.0.0", 3, "4.9.0", "open"],
    ["2.0.0", 3, "5.0.0", "ended"],
    ["0.4.0", undefined, "1.7.0", "open"],
    ["0.4.0", undefined, "2.0.0", "ended"],
    ["2.0.0-beta.1", undefined, "3.0.0-rc.1+build.5", "ended"],
    ["2025.4.8", undefined, "2026.12.1", "open"],
    // A server that went back is asked by its old name again.
    ["2.3.0", undefined, "1.0.0", "open"],
    // Nobody is refused for want of knowledge.
    ["2.0.0", undefined, undefined, "unknown"],
    ["2.0.0", undefined, "", "unknown"],
    ["2.0.0", undefined, "next", "unknown"],
    ["2.0.0", undefined, "3.0.0 of today", "unknown"],
    ["2.0.0", undefined, "-3", "unknown"],
    ["2.0.0", undefined, `${"9".repeat(400)}`, "unknown"],
    ["soon", undefined, "3.0.0", "unknown"],
  ] as const)("since %s for %s, at %s, is %s", (since, majors, serverVersion, state) => {
    const rename = { since, ...(majors === undefined ? {} : { majors }) };
    expect(renameWindow(rename, { serverVersion }).state).toBe(state);
  });

  it("says from which version on the name is refused", () => {
    expect(renameWindow({ since: "2.3.0", majors: 2 }, {}).ends).toBe("from version 5.0.0 of its server on");
    expect(renameWindow({ since: "2.0.0" }, {}).ends).toBe("from version 3.0.0 of its server on");
  });

  it("has no end where nothing is declared, and that is a major version at least", () => {
    expect(renameWindow({}, { serverVersion: "99.0.0", today: "2999-01-01" })).toEqual({ state: "open" });
  });
});

describe("a window to a day (LOCK-2)", () => {
  it("holds that day, and without a clock for good", () => {
    const until = "2027-06-30";
    expect(renameWindow({ until }, { today: until })).toEqual({ state: "open", ends: "after 2027-06-30" });
    expect(renameWindow({ until }, { today: "2027-07-01" }).state).toBe("ended");
    expect(renameWindow({ until }, {}).state).toBe("open");
  });
});

describe("an old name in a snapshot (LOCK-2, S002-15)", () => {
  const RENAME: Rename = { from: "mail_post", to: "mail@1/send@1", since: "2.0.0" };
  const at = (serverVersion: string | undefined, rename: Partial<Rename> = {}): Snapshot =>
    buildSnapshot([{ server: "mail", tools: ["send"], serverVersion }], {
      renames: [{ ...RENAME, ...rename }],
    });

  it("leads to its tool, is in no list, and says what to call and how long it works", () => {
    const snapshot = at("2.5.0");
    expect(snapshot.resolve("mail_post")).toMatchObject({
      outcome: "resolved",
      step: "alias",
      successor: "mail@1/send@1",
      warnings: [
        "This name is deprecated; call mail@1/send@1 by its present name. It is refused from version 3.0.0 of its server on.",
      ],
    });
    for (const { id } of snapshot.profiles)
      expect(snapshot.namesFor(id).tools.map(({ name }) => name)).not.toContain("mail_post");
    expect(snapshot.problems).toEqual([]);
  });

  it("is refused after its window, with the successor", () => {
    expect(at("3.0.0").resolve("mail_post")).toMatchObject({
      outcome: "retired",
      successor: "mail@1/send@1",
    });
  });

  it("follows its policy: accepted in silence, or refused within its window", () => {
    const accepted = at("2.5.0", { policy: "accept" }).resolve("mail_post");
    expect(accepted).toMatchObject({ outcome: "resolved", warnings: [], successor: "mail@1/send@1" });
    expect(at("3.0.0", { policy: "accept" }).resolve("mail_post").outcome).toBe("retired");
    const rejected = at("2.5.0", { policy: "reject" }).resolve("mail_post");
    expect(rejected).toMatchObject({ outcome: "retired", successor: "mail@1/send@1" });
  });

  it.each([undefined, "next"])("goes on working where the server says %s, and a problem says so", (said) => {
    const snapshot = at(said);
    expect(snapshot.resolve("mail_post").outcome).toBe("resolved");
    expect(snapshot.problems).toMatchObject([
      { code: "rename-uncounted", severity: "warning", servers: ["mail"] },
    ]);
  });

  it("is counted by the server of its own tool, in whichever toolbox", () => {
    const boxes = [
      { toolbox: "a", server: "mail", tools: ["send"], serverVersion: "3.0.0" },
      { toolbox: "b", server: "mail", tools: ["list"], serverVersion: "2.0.0" },
    ];
    const renames = [RENAME, { ...RENAME, from: "mail_all", to: "mail@1/list@1" }];
    const { resolve } = buildSnapshot(boxes, { renames });
    expect([resolve("mail_post").outcome, resolve("mail_all").outcome]).toEqual(["retired", "resolved"]);
  });

  it("of a server that does not answer is unknown for now, not retired, and no mistake", () => {
    const absent = [{ server: "mail" }];
    const sources = [{ server: "mail", tools: [] }];
    const away = buildSnapshot(sources, { absent, renames: [RENAME] });
    expect(away.problems).toEqual([]);
    expect(away.resolve("mail_post")).toMatchObject({
      outcome: "unknown",
      problem: { code: "server-absent" },
    });
    const renames = [{ ...RENAME, policy: "reject" as const }];
    expect(buildSnapshot(sources, { absent, renames }).resolve("mail_post")).toMatchObject({
      outcome: "retired",
      successor: "mail@1/send@1",
    });
  });
});
