// Decisions, the audit and the policy at the command line: the built program, on a real SQLite file.

import { spawn } from "node:child_process";
import { createHash, hkdfSync } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { ToolDefinition } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../packages/onym/src/audit/audit-record.js";
import { openStore } from "../packages/onym/src/store/open-store.js";
import { openLibsql } from "../packages/onym/src/store/sqlite/libsql.js";
import type { PendingApproval, Store } from "../packages/onym/src/store/store.js";
import { folderWith, runOnym } from "./cli/run-onym.js";
import { ONYM_BIN } from "./gateway/harness.js";

const USER = userInfo().username;
const DAY = 86_400_000;
const CONFIG = {
  mcpServers: {
    mail: {
      tools: [
        { name: "send", description: "Sends a mail", inputSchema: { type: "object" } },
        { name: "list", annotations: { readOnlyHint: true } },
      ],
    },
    chat: { tools: ["send"] },
  },
  policy: {
    default: "allow",
    rules: [
      { effect: "ask", tool: "mail@1/send@1" },
      { effect: "deny", server: "mail", caller: "ci-*", note: "people only" },
    ],
  },
};

const configured = (config: object = CONFIG) => folderWith({ "onym.json": config });

function onym(folder: string, ...args: readonly string[]) {
  // The user's own state, with the key of an earlier gateway in it, is none of a test's business.
  return runOnym(folder, args, { env: { XDG_STATE_HOME: join(folder, "state") } });
}

function json(folder: string, ...args: readonly string[]) {
  const ran = onym(folder, ...args, "--json");
  expect(ran.err).toBe("");
  return JSON.parse(ran.out);
}

async function inStore<Result>(folder: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({ location: "onym.db", folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const SEND: ToolDefinition = {
  title: "Send",
  description: "Sends a mail.\nTo one person.",
  inputSchema: {
    type: "object",
    properties: {
      to: { type: "string", description: "Whom" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["to"],
  },
  annotations: { destructiveHint: false },
};

function question(over: Partial<PendingApproval> & { readonly raw?: string; readonly server?: string } = {}) {
  const { raw = "send", server = "mail", definition = SEND, ...rest } = over;
  return {
    principal: "ann",
    tool: toolKeyOf({ server, raw }),
    canonical: `${server}@1/${raw}@1`,
    launch: "l1",
    digest: definitionDigest(definition),
    definition,
    askedAt: Date.UTC(2026, 0, 2),
    before: undefined,
    ...rest,
  };
}

const ask = (folder: string, over: Parameters<typeof question>[0] = {}) =>
  inStore(folder, (store) => store.approvals.await(question(over)));

const record = (over: Partial<AuditRecord> = {}): AuditRecord => ({
  kind: "intent",
  at: Date.UTC(2026, 0, 2),
  call: "c1",
  caller: "ann",
  profile: "openai",
  sent: "mail_send",
  tool: toolKeyOf({ server: "mail", raw: "send" }),
  canonical: "mail@1/send@1",
  rule: "rules[0]",
  decision: "allow",
  definition: definitionDigest(SEND),
  argumentsDigest: "0".repeat(64),
  arguments: undefined,
  outcome: undefined,
  ms: undefined,
  ...over,
});

const OUTCOME = { kind: "outcome", rule: undefined, decision: undefined, outcome: "result", ms: 12 } as const;

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

describe("onym policy test (POL-1)", () => {
  it("resolves any spelling and says which rule decides", () => {
    const folder = configured();
    const asked = onym(folder, "policy", "test", "mail_send");
    expect(asked).toMatchObject({ code: 1, err: "" });
    expect(asked.out).toContain('mail@1/send@1 for "local": ask, by rules[0].');
    const denied = onym(folder, "policy", "test", "mail.send", "--as", "ci-7");
    expect(denied.code).toBe(1);
    expect(denied.out).toContain('mail@1/send@1 for "ci-7": deny, by rules[1].');
    expect(denied.out).toContain("outweighed: deny beats ask");
    expect(onym(folder, "policy", "test", "send", "--server", "chat", "--profile", "openai").code).toBe(0);
    expect(json(folder, "policy", "test", "chat_send")).toMatchObject({
      canonical: "chat@1/send@1",
      caller: "local",
      effect: "allow",
      rule: "default",
      matches: [{ rule: "default", decides: true }],
    });
  });

  it("decides nothing about a name that leads nowhere, or to two tools", () => {
    const folder = configured();
    expect(onym(folder, "policy", "test", "send")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("--server"),
    });
    const ran = onym(folder, "policy", "test", "mail_sned", "--json");
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.out)).toMatchObject({ outcome: "unknown" });
  });
});

it("what waits, what was decided and what was called fit a screen of 80 columns", async () => {
  const folder = configured();
  await inStore(folder, async (store) => {
    await store.approvals.await(question({ principal: "continuous-integration" }));
    await store.approvals.await(question({ raw: "list", principal: "ci-with-a-long-name" }));
    const decided = {
      verdict: "approved",
      decidedAt: 1,
      decidedBy: "somebody",
      expiresAt: undefined,
    } as const;
    const { askedAt: _, before: __, canonical: ___, ...about } = question({ server: "chat" });
    await store.approvals.decide({ ...about, ...decided });
    await store.audit.append([record(), record(OUTCOME)]);
  });
  for (const args of [["approvals"], ["audit"], ["policy", "test", "mail_send"], ["explain", "mail_send"]]) {
    const { out } = runOnym(folder, args, { env: { COLUMNS: "80" } });
    expect(out).not.toBe("");
    expect(out.split("\n").filter((line) => Array.from(line).length > 80)).toEqual([]);
  }
});

describe("onym explain, of a tool that the policy speaks about (RES-5) (POL-1)", () => {
  const token = (name: string, over: object = {}) => ({
    name,
    hash: `sha256:${createHash("sha256").update(name).digest("hex")}`,
    ...over,
  });

  it("says to whom it is denied or asked about, by which rule, and how to change that", () => {
    const folder = configured({ ...CONFIG, auth: { tokens: [token("ann"), token("ci-7")] } });
    expect(onym(folder, "trust", "--yes").code).toBe(0);
    const { code, out } = onym(folder, "explain", "mail_send");
    expect(code).toBe(0);
    expect(out).toContain('\n  ask for "local", "ann", by rules[0]: ask where tool is "mail@1/send@1"\n');
    expect(out).toMatch(/deny for "ci-7", by rules\[1\]: deny where .* \("people only"\)\n/);
    expect(out).toContain('To change that, change rules[1] under "policy" in onym.json.');
    expect(out).toContain("onym policy test mail@1/send@1 --as CALLER");
    expect(onym(folder, "explain", "chat_send").out).toContain(
      'allow for "local", "ann", "ci-7", by default',
    );
    const closed = configured({ ...CONFIG, policy: { default: "deny" } });
    expect(onym(closed, "explain", "mail_send").out).toMatch(
      /deny for "local", by default: .*\n.*not listed.*add a rule about it under "policy" in onym\.json/,
    );
  });

  it("says nothing of a policy that lets everybody do everything", () => {
    const { policy: _, ...open } = CONFIG;
    expect(onym(configured(open), "explain", "mail_send").out).not.toContain("Policy");
  });

  it("says what policy test says, also of callers whose token confines them to toolboxes", () => {
    const { mcpServers, policy } = CONFIG;
    const folder = configured({
      toolboxes: { work: { mcpServers }, play: { mcpServers: { chat: { tools: ["send"] } } } },
      policy: { ...policy, rules: [...policy.rules, { effect: "deny", toolbox: "play", caller: "ann" }] },
      auth: { tokens: [token("ann"), token("bob", { toolboxes: ["play"] }), token("ci-7")] },
    });
    expect(onym(folder, "trust", "--yes").code).toBe(0);
    const told: string[] = [];
    for (const name of ["work__mail__send", "work__mail__list", "work__chat__send", "play__chat__send"])
      for (const { caller, effect, rule, why } of json(folder, "explain", name).policy) {
        told.push(`${name} ${caller} ${effect} ${rule}`);
        const ran = onym(folder, "policy", "test", name, "--as", caller, "--json");
        expect(JSON.parse(ran.out)).toMatchObject({ caller, effect, rule, why });
      }
    expect(told).toHaveLength(16);
    expect(told).toContain("work__chat__send bob deny toolboxes");
    expect(told).toContain("play__chat__send bob allow default");
    expect(told).toContain("play__chat__send ann deny rules[2]");
    expect(onym(folder, "explain", "work__chat__send").out).toContain(
      "onym policy test work:chat@1/send@1 --as CALLER",
    );
  });
});

describe("onym renames (LOCK-2, LOCK-3)", () => {
  it("shows declared names with their window and who still calls them", async () => {
    const folder = configured({
      ...CONFIG,
      renames: [
        { from: "mail_post", to: "mail@1/send@1", until: "2999-12-31" },
        { from: "mail_ship", to: "mail@1/send@1", until: "2020-12-31", policy: "accept" },
        { from: "mail_fly", to: "mail@1/gone@1", policy: "reject" },
      ],
    });
    await inStore(folder, async (store) => {
      const use = { caller: "ann", name: "mail_post", tool: toolKeyOf({ server: "mail", raw: "send" }) };
      await store.usage.count({ ...use, at: Date.UTC(2026, 0, 1) });
      await store.usage.count({ ...use, at: Date.UTC(2026, 0, 2) });
    });
    expect(json(folder, "renames")).toMatchObject({
      declared: [
        { from: "mail_post", until: "2999-12-31", policy: "warn", state: "in force", leads: true },
        { from: "mail_ship", state: "ended", policy: "accept" },
        { from: "mail_fly", state: "refused", leads: false },
      ],
      used: [
        {
          name: "mail_post",
          caller: "ann",
          count: 2,
          canonical: "mail@1/send@1",
          lastAt: "2026-01-02T00:00:00.000Z",
        },
      ],
      proposals: [],
    });
    const { out } = onym(folder, "renames");
    expect(out).toMatch(/mail_post +→ mail@1\/send@1 +until 2999-12-31 +warn +in force/);
    expect(out).toMatch(/mail_post +by "ann" +2 calls +last 2026-01-02 00:00:00/);
  });

  it("shows windows in major versions, with what the server announces (LOCK-2)", () => {
    const { tools } = CONFIG.mcpServers.mail;
    const renames = [
      { from: "mail_post", to: "mail@3/send@1", since: "2.1.0" },
      { from: "mail_ship", to: "mail@3/send@1", since: "1.0.0", majors: 2 },
      { from: "chat_post", to: "chat@1/send@1", since: "1.0.0" },
    ];
    const mcpServers = { ...CONFIG.mcpServers, mail: { tools, version: 3 } };
    const folder = configured({ mcpServers, renames });
    expect(json(folder, "renames").declared).toMatchObject([
      { from: "mail_post", since: "2.1.0", serverVersion: "3", state: "in force", isUncounted: false },
      { from: "mail_ship", majors: 2, serverVersion: "3", state: "ended" },
      { from: "chat_post", state: "in force", isUncounted: true },
    ]);
    const { out } = onym(folder, "renames");
    expect(out).toMatch(
      /mail_post +→ mail@3\/send@1 +refused from version 4\.0\.0 of its server on, now 3 +warn +in force/,
    );
    expect(out).toContain("refused from version 2.0.0 of its server on, but that says no version");
    expect(json(folder, "resolve", "mail_post")).toMatchObject({
      outcome: "resolved",
      canonical: "mail@3/send@1",
    });
    const ended = JSON.parse(onym(folder, "resolve", "mail_ship", "--json").out);
    expect(ended).toMatchObject({ outcome: "retired", successor: "mail@3/send@1" });
    for (const command of ["names", "lint"])
      expect(onym(folder, command, "--json").out).toContain("rename-uncounted");
    expect(onym(folder, "explain", "mail_ship").out).toContain("call");
  });

  it("proposes a likely rename, whose block can be pasted and then works", () => {
    const folder = configured();
    expect(onym(folder, "lock").code).toBe(0);
    const renamed = (renames?: object) => ({
      ...CONFIG,
      mcpServers: {
        ...CONFIG.mcpServers,
        mail: { tools: [{ ...CONFIG.mcpServers.mail.tools[0], name: "post" }] },
      },
      ...(renames === undefined ? {} : { renames }),
    });
    writeFileSync(join(folder, "onym.json"), JSON.stringify(renamed()));
    const { code, out } = onym(folder, "renames");
    expect(code).toBe(0);
    expect(out).toMatch(/mail@1\/send@1 +→ mail@1\/post@1 +the same definition/);
    expect(onym(folder, "resolve", "mail_send").code).toBe(1);
    const { renames } = JSON.parse(`{${out.slice(out.indexOf('"renames": ['))}}`);
    writeFileSync(join(folder, "onym.json"), JSON.stringify(renamed(renames)));
    for (const text of ["mail_send", "mail@1/send@1"])
      expect(onym(folder, "resolve", text)).toMatchObject({
        code: 0,
        out: expect.stringContaining("mail@1/post@1"),
      });
    expect(json(folder, "renames").proposals).toEqual([]);
  });
});
