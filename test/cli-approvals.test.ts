// Decisions at the command line: the built program, on a real SQLite file.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { openStore } from "../packages/onym/src/store/open-store.js";
import {
  ask,
  CONFIG,
  configured,
  DAY,
  inStore,
  json,
  onym,
  question,
  record,
  SEND,
  USER,
} from "./cli/decisions.js";

describe("where there is no store yet, or none at all", () => {
  it("looking says so and makes none", () => {
    const folder = configured();
    expect(onym(folder, "approvals")).toMatchObject({
      code: 0,
      out: "Nothing waits for a decision.\n",
      err: expect.stringContaining("does not exist"),
    });
    expect(json(folder, "approvals")).toEqual({ pending: [], new: [], decided: [] });
    expect(onym(folder, "audit")).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("does not exist"),
    });
    expect(json(folder, "audit")).toEqual({ records: [] });
    const file = join(folder, "onym.db");
    const absence = `onym.db does not exist; the gateway creates it when it starts.\n`;
    expect(onym(folder, "audit", "verify")).toEqual({
      code: 1,
      out: `✗ Nothing was verified. ${absence}`,
      err: "",
    });
    expect(json(folder, "audit", "verify")).toEqual({ records: 0, chains: 0, broken: [], missing: file });
    expect(onym(folder, "audit", "export")).toEqual({
      code: 1,
      out: "",
      err: `Nothing was exported. ${absence}`,
    });
    expect(json(folder, "audit", "prune", "--before", "2026-01-01")).toEqual({ removed: 0 });
    expect(onym(folder, "renames")).toMatchObject({ code: 0, out: "No renames are declared.\n" });
    for (const command of ["approve", "deny", "revoke"]) expect(onym(folder, command, "1").code).toBe(1);
    expect(existsSync(join(folder, "onym.db"))).toBe(false);
  });

  it("a store whose folder is missing is not said to come by itself", () => {
    const folder = configured({ ...CONFIG, store: "kept/onym.db" });
    const { code, out } = onym(folder, "audit", "verify");
    expect(code).toBe(1);
    expect(out).toContain(" does not exist: create its folder, ");
  });

  it("a store that was there is told from one that never was, and none is made in its place (POL-4)", async () => {
    const folder = configured();
    await inStore(folder, (store) => store.audit.append([record()]));
    expect(onym(folder, "audit", "verify").code).toBe(0);
    renameSync(join(folder, "onym.db"), join(folder, "elsewhere.db"));
    writeFileSync(join(folder, "onym.db-wal"), "");
    rmSync(join(folder, "onym.db-shm"), { force: true });
    const { code, out } = onym(folder, "audit", "verify");
    expect(code).toBe(1);
    expect(out).toContain("The database onym.db is gone: onym.db-wal is still beside it.");
    for (const args of [["approvals"], ["audit"], ["approve", "1"], ["audit", "export"]])
      expect(onym(folder, ...args).err).toContain("is gone");
    expect(existsSync(join(folder, "onym.db"))).toBe(false);
  });

  it.each(["none", ":memory:"])('"store": %j is told of, with exit 2', (store) => {
    const folder = configured({ ...CONFIG, store });
    for (const args of [
      ["approvals"],
      ["approve", "1"],
      ["deny", "1"],
      ["revoke", "1"],
      ["audit"],
      ["audit", "verify"],
    ])
      expect(onym(folder, ...args)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("There is no store"),
      });
    expect(onym(folder, "renames")).toMatchObject({
      code: 0,
      err: expect.stringContaining("there is no store"),
    });
  });

  it("a file that is no store is refused and left alone", () => {
    const folder = configured();
    writeFileSync(join(folder, "onym.db"), "not a database");
    expect(onym(folder, "approvals")).toMatchObject({ code: 2, err: expect.stringContaining("refused") });
    expect(readFileSync(join(folder, "onym.db"), "utf8")).toBe("not a database");
  });

  it("finds the store where the config says", async () => {
    const folder = configured({ ...CONFIG, store: "kept.db" });
    const store = await openStore({ location: "kept.db", folder });
    await store.approvals.await(question());
    await store.close();
    expect(json(folder, "approvals").pending).toHaveLength(1);
  });
});

describe("usage", () => {
  it.each([
    [["approve"], "missing required argument"],
    [["approve", "1", "--yess"], "Did you mean --yes?"],
    [["approve", "1", "--until", "2026-02-31"], "is no day"],
    [["approve", "1", "--until", "2020-01-01"], "is over"],
    [["approve", "1", "--until", "2099-01-01", "--for-days", "3"], "do not go together"],
    [["approve", "1", "--once", "--for-days", "3"], "do not go together"],
    [["approve", "1", "--for-days", "-3"], "is no number of days"],
    [["approve", "1", "--json"], "Use --yes"],
    [["revoke", "mail_send"], "is no number of a decision"],
    [["audit", "verfy"], 'Did you mean "verify"?'],
    [["audit", "-n", "x"], "is no number of records"],
    [["audit", "prune"], "--before"],
    [["audit", "prune", "--before", "2999-01-01"], "has not come yet"],
    [["audit", "export", "--since", "yesterday"], "is no day"],
    [["policy", "tst", "x"], "Did you mean test?"],
    [["policy"], "Usage: onym policy"],
    [["policy", "test"], "missing required argument"],
  ])("refuses %j with exit 2 and the way out", (args, told) => {
    const { code, out, err } = onym(configured(), ...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(told);
  });

  it.each(["approvals", "approve", "deny", "revoke", "audit", "policy", "renames"])("%s has help", (name) => {
    const { code, out, err } = onym(configured(), name, "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`Usage: onym ${name}`);
    expect(out).toContain("Examples:");
  });
});

describe("onym approvals, approve, deny, revoke (POL-2, POL-3)", () => {
  it("shows what waits, approves exactly what is shown, and takes it back", async () => {
    const folder = configured();
    const { id, digest } = await ask(folder);
    const list = onym(folder, "approvals");
    expect(list.code).toBe(0);
    expect(list.out).toMatch(new RegExp(`${id} +ann +mail@1/send@1 +asked by rules.0. +2026-01-02 00:00:00`));

    const refused = onym(folder, "approve", String(id));
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(json(folder, "approvals").pending).toHaveLength(1);

    const approved = onym(folder, "approve", String(id), "--for-days", "30", "--yes");
    expect(approved).toMatchObject({ code: 0, err: "" });
    for (const shown of ['"Send"', "    Sends a mail.\n    To one person.", "destructiveHint false", digest])
      expect(approved.out).toContain(shown);
    expect(approved.out).toMatch(/ {4}to +string +required +"Whom"/);
    expect(approved.out).toMatch(/ {4}tags +array of string/);

    const [standing] = await inStore(folder, (store) => store.approvals.inForce(Date.now()));
    const { principal, tool, launch, definition } = question();
    const decided = { principal, tool, launch, digest, definition, verdict: "approved", decidedBy: USER };
    expect(standing).toMatchObject(decided);
    expect((standing?.expiresAt ?? 0) - (standing?.decidedAt ?? 0)).toBeGreaterThan(29 * DAY);
    const report = json(folder, "approvals");
    expect(report).toMatchObject({
      pending: [],
      decided: [
        {
          id: standing?.id,
          verdict: "approved",
          state: "in force",
          caller: "ann",
          canonical: "mail@1/send@1",
          digest,
        },
      ],
    });

    expect(onym(folder, "revoke", String(standing?.id))).toMatchObject({
      code: 0,
      out: expect.stringContaining("no longer approved"),
    });
    expect(onym(folder, "revoke", String(standing?.id))).toMatchObject({
      code: 1,
      err: expect.stringContaining("it is revoked"),
    });
    expect(onym(folder, "revoke", "999")).toMatchObject({
      code: 1,
      err: expect.stringContaining("no decision 999"),
    });
    expect(json(folder, "approvals").decided).toEqual([]);
    expect(json(folder, "approvals", "--all").decided).toMatchObject([{ state: "revoked" }]);
    const audited = json(folder, "audit").records;
    expect(audited).toMatchObject([
      {
        kind: "decision",
        caller: "ann",
        canonical: "mail@1/send@1",
        decision: "approved",
        outcome: `by ${USER}`,
        definition: digest,
      },
      { kind: "decision", decision: "revoked" },
    ]);
  });

  it("shows what has changed since the last approval, and tells a new start of the server from a new definition", async () => {
    const folder = configured();
    const first = await ask(folder);
    onym(folder, "approve", String(first.id), "--yes");
    const changed = { ...SEND, description: "Sends a mail.\nTo everybody." };
    const second = await ask(folder, { definition: changed });
    expect(json(folder, "approvals").pending).toMatchObject([
      { id: second.id, reason: "changed", changed: ["definition"], changes: [{ path: "$.description" }] },
    ]);
    const shown = onym(folder, "approve", "mail@1/send@1", "--yes");
    expect(shown.code).toBe(0);
    expect(shown.out).toContain(
      'changed $.description: "Sends a mail.\\u{000A}To one person." → "Sends a mail.\\u{000A}To everybody."',
    );
    await ask(folder, { definition: changed, launch: "l2" });
    expect(onym(folder, "approvals").out).toContain("changed: how its server is started");
    expect(json(folder, "approvals", "--all").decided.map(({ state }: { state: string }) => state)).toEqual([
      "replaced",
      "in force",
    ]);
  });

  it("refuses what the tool no longer is, and shows what it is now", async () => {
    const folder = configured();
    const first = await ask(folder);
    const second = await ask(folder, { definition: { ...SEND, title: "Send it all" } });
    const ran = onym(folder, "approve", String(first.id), "--yes");
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("Send it all") });
    expect(ran.err).toContain(`onym approve ${second.id}`);
    expect(json(folder, "approvals").decided).toEqual([]);
    expect(onym(folder, "approve", "mail_send", "--yes").code).toBe(0);
    expect(json(folder, "approvals")).toMatchObject({ pending: [], decided: [{ digest: second.digest }] });
  });

  it("approves nothing whose definition is not what its digest says", async () => {
    const folder = configured();
    const { id } = await ask(folder, { digest: definitionDigest({ title: "Other" }) });
    expect(onym(folder, "approve", String(id), "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("altered"),
    });
    expect(json(folder, "approvals").decided).toEqual([]);
  });

  it("goes by the names in the lock, which are those that callers know", async () => {
    const pinned = { ...CONFIG, naming: { pins: { post: "mail@1/send@1", mail_list: "chat@1/send@1" } } };
    const folder = configured(pinned);
    expect(onym(folder, "lock").code).toBe(0);
    writeFileSync(join(folder, "onym.json"), JSON.stringify(CONFIG));
    await ask(folder);
    await ask(folder, { server: "chat" });
    await ask(folder, { raw: "list" });
    expect(json(folder, "approve", "post", "--yes").decided).toMatchObject([{ canonical: "mail@1/send@1" }]);
    // Without the lock that would be the name of another tool that waits.
    expect(json(folder, "deny", "mail_list").decided).toMatchObject([{ canonical: "chat@1/send@1" }]);
  });

  it("takes any name of the tool, one caller or all, and no name that two tools have", async () => {
    const folder = configured();
    await ask(folder);
    await ask(folder, { principal: "bob" });
    await ask(folder, { server: "chat" });
    expect(onym(folder, "approve", "send", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/"send" is ambiguous.* by its id: /),
    });
    expect(onym(folder, "approve", "nothing", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("shows 3 others"),
    });
    expect(onym(folder, "approve", "mail_send", "--for", "eve", "--yes").code).toBe(1);
    expect(json(folder, "approve", "mail_send", "--for", "bob", "--yes").decided).toMatchObject([
      { caller: "bob", canonical: "mail@1/send@1" },
    ]);
    expect(json(folder, "deny", "mail/send").decided).toMatchObject([{ caller: "ann", verdict: "rejected" }]);
    expect(json(folder, "approvals").pending).toMatchObject([{ canonical: "chat@1/send@1" }]);
    expect(onym(folder, "deny", "chat_send")).toMatchObject({
      code: 0,
      out: expect.stringContaining("denied"),
    });
  });

  it.each(["fs@1/write@1", "fs/write", "fs.write", "mcp__fs__write", "write"])(
    "lists what waits where %s could be any of two, and takes the toolbox that is named (POL-3) (CANON-7)",
    async (name) => {
      const fs = { command: "node", args: ["fs.mjs"] };
      const toolboxes = { dev: { mcpServers: { fs } }, prod: { mcpServers: { fs } } };
      const folder = configured({ toolboxes });
      const boxed = (toolbox: string) => ({
        tool: toolKeyOf({ server: "fs", raw: "write", toolbox }),
        canonical: `${toolbox}:fs@1/write@1`,
      });
      await ask(folder, boxed("dev"));
      await ask(folder, boxed("prod"));
      for (const command of ["approve", "deny"]) {
        const ran = onym(folder, command, name, ...(command === "approve" ? ["--yes"] : []));
        expect(ran).toMatchObject({ code: 1, out: "" });
        expect(ran.err).toContain(`${JSON.stringify(name)} is ambiguous`);
        expect(ran.err).toMatch(/1 \(dev:fs@1\/write@1\), 2 \(prod:fs@1\/write@1\)/);
      }
      expect(json(folder, "approvals").pending).toHaveLength(2);
      expect(json(folder, "approve", "prod__fs__write", "--yes").decided).toMatchObject([
        { canonical: "prod:fs@1/write@1" },
      ]);
    },
  );

  it("knows expired decisions", async () => {
    const folder = configured();
    await inStore(folder, async (store) => {
      const { canonical: _, askedAt: __, before: ___, ...binding } = question();
      await store.approvals.decide({
        ...binding,
        verdict: "approved",
        decidedAt: 1,
        decidedBy: "eve",
        expiresAt: 2,
      });
    });
    expect(json(folder, "approvals").decided).toEqual([]);
    expect(json(folder, "approvals", "--all").decided).toMatchObject([
      { state: "expired", decidedBy: "eve" },
    ]);
    await ask(folder);
    expect(onym(folder, "approvals").out).toContain("its approval has expired");
  });

  it("shows a stranger's text escaped, however it is built (SAFE-1)", async () => {
    const folder = configured();
    const evil = "\u001B[2J\u202Ex\nApproved already";
    const properties = JSON.parse(
      '{"__proto__": {"type": "string"}, "\\u001b[2J": {"type": {"a": "\\u001b"}}, "ok": null}',
    );
    const definition = {
      title: evil,
      description: evil,
      inputSchema: { type: "object", properties, required: "x" },
      annotations: { [evil]: evil },
    };
    const { id } = await ask(folder, { raw: evil, principal: evil, definition });
    for (const args of [["approvals"], ["approve", String(id), "--yes"], ["approvals", "--all"], ["audit"]]) {
      const { code, out, err } = onym(folder, ...args);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).not.toMatch(/[\u001B\u202E]/);
      expect(out).toContain("\\u{001B}[2J\\u{202E}x");
    }
    for (const args of [
      ["approvals", "--all", "--json"],
      ["audit", "--json"],
      ["audit", "export"],
    ]) {
      const { code, out } = onym(folder, ...args);
      expect(code).toBe(0);
      expect(out).not.toMatch(/[\u001B\u202E]/);
      expect(out).toContain("\\u001b[2J\\u202ex");
    }
  });
});
