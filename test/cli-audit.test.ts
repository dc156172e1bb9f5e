// The audit at the command line: the built program, on a real SQLite file.

import { spawn } from "node:child_process";
import { hkdfSync } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { openLibsql } from "../packages/onym/src/store/sqlite/libsql.js";
import { CONFIG, configured, inStore, json, OUTCOME, onym, record } from "./cli/decisions.js";
import { ONYM_BIN } from "./gateway/harness.js";

describe("onym audit (POL-4)", () => {
  it("shows calls, one a line, with the name as sent and where it led", async () => {
    const folder = configured();
    await inStore(folder, (store) =>
      store.audit.append([
        record(),
        record({ ...OUTCOME, at: Date.UTC(2026, 0, 2) + 12 }),
        record({
          kind: "refusal",
          call: "c2",
          caller: "ci-1",
          canonical: undefined,
          tool: undefined,
          sent: "nope",
          rule: undefined,
          decision: "refused",
          outcome: "unknown",
        }),
        record({ call: "c3", sent: "mail@1/send@1" }),
      ]),
    );
    const { code, out } = onym(folder, "audit");
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^TIME \(UTC\) +CALLER +NAME +DECISION +OUTCOME +MS$/);
    expect(out).toMatch(
      /2026-01-02 00:00:00 +ann +mail_send → mail@1\/send@1 +allow, rules\[0\] +result +12\n/,
    );
    expect(out).toMatch(/ci-1 +nope +refused +unknown\n/);
    expect(out).toMatch(/ann +mail@1\/send@1 +allow, rules\[0\] +…\n/);
    expect(json(folder, "audit", "tail", "-n", "2").records).toHaveLength(2);
    expect(onym(folder, "audit", "verify")).toEqual({
      code: 0,
      // No gateway has made a key yet.
      out: expect.stringMatching(
        /^✓ 4 records in 1 chain, all in place\.\n {2}Hashes only: the key file \S+secret\.key is missing\.\n$/,
      ),
      err: "",
    });
  });

  it("hands out what it holds as JSON lines, between two days, and shortens it", async () => {
    const folder = configured();
    const days = Array.from({ length: 5 }, (_, day) => Date.UTC(2026, 0, 1 + day, 12));
    await inStore(folder, (store) =>
      store.audit.append(days.map((at, day) => record({ at, call: `c${day}` }))),
    );
    const lines = (...args: readonly string[]) =>
      onym(folder, "audit", "export", ...args)
        .out.split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).call);
    expect(lines()).toEqual(["c0", "c1", "c2", "c3", "c4"]);
    expect(lines("--since", "2026-01-02", "--until", "2026-01-03")).toEqual(["c1", "c2"]);
    expect(lines("--since", "2026-01-02T12:00:00.001Z")).toEqual(["c2", "c3", "c4"]);
    expect(json(folder, "audit", "prune", "--before", "2026-01-03")).toEqual({ removed: 2 });
    expect(lines()).toEqual(["c2", "c3", "c4"]);
    expect(json(folder, "audit", "verify")).toEqual({
      records: 3,
      chains: 1,
      broken: [],
      sealed: false,
      anchored: 0,
    });
  });

  it("names the first broken record of each chain, with exit 1", async () => {
    const folder = configured();
    await inStore(folder, async (store) => {
      for (const call of ["c1", "c2", "c3"]) await store.audit.append([record({ call })]);
    });
    const db = openLibsql(join(folder, "onym.db"), "rw");
    await db.exec("delete from onym_audit where seq = 2");
    db.close();
    expect(onym(folder, "audit", "verify")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/✗ 1 chain broken[\s\S]*record 2 /),
    });
    const ran = onym(folder, "audit", "verify", "--json");
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ chains: 1, broken: [{ seq: 2 }] });
  });

  it("vouches for nothing where the second place of the config was emptied or deleted (POL-4)", async () => {
    const folder = configured({ ...CONFIG, audit: { anchor: "outside.jsonl" } });
    const secret = "ab".repeat(32);
    writeFileSync(join(folder, "onym.db.key"), secret, { mode: 0o600 });
    const anchorFile = join(folder, "outside.jsonl");
    const key = new Uint8Array(hkdfSync("sha256", Buffer.from(secret, "hex"), "", "onym store 1", 32));
    const appendOne = async (at: number) => {
      const store = await openStore({ location: "onym.db", folder, seal: { key, anchorFile } });
      await store.audit.append([record({ at })]);
      await store.close();
    };
    await appendOne(Date.now());
    const before = readFileSync(anchorFile, "utf8");
    rmSync(anchorFile);
    // Too new to stand there yet.
    expect(onym(folder, "audit", "verify").code).toBe(0);
    await appendOne(Date.UTC(2026, 0, 2));
    writeFileSync(anchorFile, before);
    expect(onym(folder, "audit", "verify").code).toBe(0);
    writeFileSync(anchorFile, "");
    expect(onym(folder, "audit", "verify")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/outside\.jsonl \(audit\.anchor\)[\s\S]*holds no end/),
    });
    rmSync(anchorFile);
    const ran = onym(folder, "audit", "verify", "--json");
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ records: 2, anchored: 0, broken: [{ chain: "(outside)" }] });
  });

  it("follows what other processes record, until it is stopped", async () => {
    const folder = configured();
    await inStore(folder, (store) => store.audit.append([record({ at: Date.now() - 5000, call: "before" })]));
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [ONYM_BIN, "audit", "--follow", "--json"], {
      cwd: folder,
      env: { PATH, HOME: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    const heard = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (said.includes(text)) resolve();
        };
        child.stdout.on("data", look);
        look();
      });
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      said += part;
    });
    const ended = new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
    await heard('"before"');
    // Its clock is behind.
    await inStore(folder, (store) => store.audit.append([record({ at: Date.now() - 1000, call: "late" })]));
    await inStore(folder, (store) => store.audit.append([record({ at: Date.now() + 1000, call: "after" })]));
    await heard('"after"');
    await inStore(folder, (store) =>
      store.audit.append([record({ at: Date.now() - 2000, call: "later still" })]),
    );
    await heard('"later still"');
    child.kill("SIGINT");
    expect(await ended).toBe("SIGINT");
    const calls = said
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).call);
    expect([...calls].sort()).toEqual(["after", "before", "late", "later still"]);
  });
});
