// Who can write to the store tries to change what its audit says. Each attempt is held against what finds it first: the hashes
// alone, the key, or the ends of chains that stand in a second place.

import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSealer } from "../../audit/audit-chain.js";
import { aboutApproval, decidePending, recordDecision } from "../decide-pending.js";
import { openStore } from "../open-store.js";
import type { ChainRow } from "../schema/tables.js";
import { type LibsqlDatabase, openLibsql } from "../sqlite/libsql.js";
import type { AuditCheck } from "../store.js";
import { approvalOf, pendingOf, recordOf } from "../testing/test-place.js";

const KEY = new Uint8Array(32).fill(7);
const OTHER_KEY = new Uint8Array(32).fill(8);
const ZEROS = "0".repeat(64);

let folder: string;
let file: string;
let anchorFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-tampering-"));
  file = join(folder, "onym.db");
  anchorFile = join(folder, "outside", "heads.jsonl");
  await record("one", 100, 6);
  await copyStore(`${file}.old`);
  await record("two", 100, 6);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process with the key leaves a chain of so many records, one row each; the first two are pruned away. */
async function record(replica: string, from: number, count: number): Promise<void> {
  const store = await openStore({
    location: "onym.db",
    folder,
    replica,
    seal: { key: KEY, anchorFile },
  });
  for (let at = from; at < from + count; at += 1)
    await store.audit.append([
      recordOf({ at, call: `call-${at}`, decision: at % 2 === 0 ? "allow" : "deny" }),
    ]);
  await store.audit.prune(from + 2);
  await store.close();
}

async function copyStore(to: string): Promise<void> {
  const db = openLibsql(file, "rw");
  await (await db.prepare("PRAGMA wal_checkpoint(TRUNCATE)")).all([]);
  db.close();
  await copyFile(file, to);
}

type Tampering = (db: LibsqlDatabase) => Promise<void>;

const run =
  (...statements: readonly string[]): Tampering =>
  async (db) => {
    for (const statement of statements) await db.exec(statement);
  };
const TWO = "(select chain from onym_chains where chain like 'two%')";
const ONE = "(select chain from onym_chains where chain like 'one%')";

/** Computes all hashes anew, as anybody can: the ends of the chains fit again. */
const rehash: Tampering = async (db) => {
  const read = async <T>(sql: string): Promise<readonly T[]> =>
    (await (await db.prepare(sql)).all([])) as readonly T[];
  for (const { chain, anchor_hash } of await read<{ chain: string; anchor_hash: string }>(
    "select chain, anchor_hash from onym_chains",
  )) {
    let hash = anchor_hash;
    for (const { seq, body } of await read<{ seq: number; body: string }>(
      `select seq, body from onym_audit where chain = '${chain}' order by seq`,
    )) {
      hash = createHash("sha256").update(hash).update(body).digest("hex");
      await db.exec(`update onym_audit set hash = '${hash}' where chain = '${chain}' and seq = ${seq};
        update onym_chains set head_seq = ${seq}, head_hash = '${hash}' where chain = '${chain}'`);
    }
  }
};

/** The beginning of a chain goes, and what is left looks as if it had been pruned. */
const forget = (seq: number): Tampering =>
  run(
    `update onym_chains set anchor_seq = ${seq},
      anchor_hash = (select hash from onym_audit where chain = ${TWO} and seq = ${seq}) where chain = ${TWO}`,
    `delete from onym_audit where chain = ${TWO} and seq <= ${seq}`,
  );

/** The end of a chain goes, and the record before it looks like the end. */
const cutOff = (seq: number): Tampering =>
  run(
    `delete from onym_audit where chain = ${TWO} and seq > ${seq}`,
    `update onym_chains set head_seq = ${seq},
      head_hash = (select hash from onym_audit where chain = ${TWO} and seq = ${seq}) where chain = ${TWO}`,
  );

/** A chain with one record that nobody wrote. */
const forgeFrom =
  (first: string): Tampering =>
  async (db) => {
    const body = JSON.stringify({ at: 50, call: "x", caller: "eve", chain: "zz", kind: "intent", seq: 1 });
    const hash = createHash("sha256")
      .update(first + body)
      .digest("hex");
    await run(
      `insert into onym_chains (chain, anchor_seq, anchor_hash, head_seq, head_hash) values ('zz', 0, '${first}', 1, '${hash}')`,
      `insert into onym_audit (chain, seq, at, hash, body) values ('zz', 1, 50, '${hash}', '${body}')`,
    )(db);
  };
const forge = forgeFrom(ZEROS);

const then =
  (...steps: readonly Tampering[]): Tampering =>
  async (db) => {
    for (const step of steps) await step(db);
  };

const edit = (from: string, to: string, where = ""): Tampering =>
  run(`update onym_audit set body = replace(body, '${from}', '${to}') ${where}`);

/** Somebody with the key brought another process's copy of the chain to its end: its ends are sealed as they now are. */
const reseal: Tampering = async (db) => {
  const sealer = createSealer(KEY);
  const rows = await (await db.prepare("select * from onym_chains")).all([]);
  for (const {
    chain,
    anchor_seq,
    anchor_hash,
    head_seq,
    head_hash,
  } of rows as unknown as readonly ChainRow[]) {
    const anchor = sealer.anchor({ chain, seq: anchor_seq, hash: anchor_hash });
    const head = sealer.head({ chain, seq: head_seq, hash: head_hash });
    await db.exec(
      `update onym_chains set anchor_seal = '${anchor}', head_seal = '${head}' where chain = '${chain}'`,
    );
  }
};

/** What finds it: nothing weaker does. */
const TAMPERINGS: readonly (readonly [string, "hashes" | "key" | "outside", Tampering])[] = [
  ["a record is changed", "hashes", edit("call-104", "call-x")],
  ["a chain is made up that begins with another hash than chains do", "hashes", forgeFrom("f".repeat(64))],
  [
    "a record is changed, with a hash that fits",
    "hashes",
    then(edit("call-104", "call-x"), run(`update onym_audit set hash = '${"a".repeat(64)}' where seq = 5`)),
  ],
  ["the hash of a record is changed", "hashes", run(`update onym_audit set hash = '${ZEROS}' where seq = 4`)],
  ["the time of a record is changed", "hashes", run("update onym_audit set at = 1 where seq = 4")],
  ["a record is removed in the middle", "hashes", run("delete from onym_audit where seq = 4")],
  ["the first record after pruning is removed", "hashes", run("delete from onym_audit where seq = 3")],
  ["the last record is removed", "hashes", run("delete from onym_audit where seq = 6")],
  [
    "two records change places",
    "hashes",
    run(
      "update onym_audit set seq = 99 where seq = 4",
      "update onym_audit set seq = 4 where seq = 5",
      "update onym_audit set seq = 5 where seq = 99",
    ),
  ],
  [
    "the bodies of two records change places",
    "hashes",
    run(
      `update onym_audit set body = (select o.body from onym_audit o where o.chain = onym_audit.chain and o.seq = 9 - onym_audit.seq) where seq in (4, 5)`,
    ),
  ],
  [
    "a record is copied to the end",
    "hashes",
    run(`insert into onym_audit select chain, 7, at, hash, body from onym_audit where seq = 6`),
  ],
  [
    "a record moves into another chain",
    "hashes",
    run(`update onym_audit set chain = ${ONE}, seq = 7 where chain = ${TWO} and seq = 6`),
  ],
  ["the records of a chain are removed", "hashes", run(`delete from onym_audit where chain = ${TWO}`)],
  ["the ends of a chain are removed", "hashes", run(`delete from onym_chains where chain = ${TWO}`)],
  ["the retention mark is moved alone", "hashes", run("update onym_chains set anchor_seq = 3")],
  [
    "the retention mark is taken away",
    "hashes",
    run(`update onym_chains set anchor_seq = 0, anchor_hash = '${ZEROS}'`),
  ],
  ["the chain is made to begin with another hash", "hashes", run(`update onym_chains set anchor_seq = 0`)],
  [
    "a chain gets another name",
    "hashes",
    run(
      `update onym_audit set chain = 'zz' where chain = ${TWO}`,
      `update onym_chains set chain = 'zz' where chain like 'two%'`,
    ),
  ],
  [
    "something is hidden behind a record",
    "hashes",
    run("update onym_audit set body = body || char(0) || 'x' where seq = 4"),
  ],
  ["a decision is changed, and everything hashed anew", "key", then(edit("deny", "allow"), rehash)],
  [
    "a caller is changed in the last record, and everything hashed anew",
    "key",
    then(edit('"ann"', '"eve"', "where seq = 6"), rehash),
  ],
  ["the first records are removed, and the retention mark says so", "key", forget(3)],
  ["all records of a chain are removed, and the retention mark says so", "key", forget(6)],
  ["the last records are cut off, and the chain ends before them", "key", cutOff(4)],
  ["a chain is made up", "key", forge],
  ["the seal of a chain is removed", "key", run("update onym_chains set head_seal = null")],
  [
    "a chain is made to look like one from before there was a key",
    "key",
    then(edit("deny", "allow"), rehash, run("update onym_chains set head_seal = null, anchor_seal = null")),
  ],
  [
    "a chain is emptied, as if nothing had ever been written to it",
    "key",
    run(
      `delete from onym_audit where chain = ${TWO}`,
      `update onym_chains set anchor_seq = 0, anchor_hash = '${ZEROS}', head_seq = 0, head_hash = '${ZEROS}' where chain = ${TWO}`,
    ),
  ],
  [
    "the last record is another one, in an older copy that went on with the key",
    "outside",
    then(edit('"ann"', '"eve"', "where seq = 6"), rehash, reseal),
  ],
  [
    "the last record was another one, in an older copy that went on with the key and was pruned",
    "outside",
    then(edit('"ann"', '"eve"', `where seq = 6 and chain = ${TWO}`), rehash, forget(6), reseal),
  ],
  [
    "a whole chain is removed",
    "outside",
    run(`delete from onym_audit where chain = ${TWO}`, `delete from onym_chains where chain = ${TWO}`),
  ],
  ["everything is removed", "outside", run("delete from onym_audit", "delete from onym_chains")],
];

async function broken(seal?: { readonly key: Uint8Array; readonly anchorFile: string | undefined }) {
  const store = await openStore({ location: "onym.db", folder, seal });
  const verdict: AuditCheck = await store.audit.verify();
  await store.close();
  return verdict.broken.length > 0;
}

const MEANS = ["hashes", "key", "outside"] as const;

/** Each stronger means finds what a weaker one does. */
async function expectFoundBy(means: (typeof MEANS)[number]): Promise<void> {
  const found = {
    hashes: await broken(),
    key: await broken({ key: KEY, anchorFile: undefined }),
    outside: await broken({ key: KEY, anchorFile }),
  };
  const from = MEANS.indexOf(means);
  expect(found).toEqual(Object.fromEntries(MEANS.map((each, index) => [each, index >= from])));
}

describe("an audit that somebody tampers with", () => {
  it("is whole before, by every means, and says which were used (POL-4)", async () => {
    const store = await openStore({ location: "onym.db", folder, seal: { key: KEY, anchorFile } });
    expect(await store.audit.verify()).toEqual({
      records: 8,
      chains: 2,
      broken: [],
      sealedSince: 102,
      isSealed: true,
      anchored: 2,
    });
    await store.close();
  });

  it.each(TAMPERINGS)("is found broken where %s: by %s (POL-4)", async (_, means, tamper) => {
    const db = openLibsql(file, "rw");
    await tamper(db);
    db.close();
    await expectFoundBy(means);
  });

  it("is found broken where an older copy of the whole store is put in its place: by outside (POL-4)", async () => {
    for (const suffix of ["-wal", "-shm"]) await rm(file + suffix, { force: true });
    await copyFile(`${file}.old`, file);
    await expectFoundBy("outside");
  });

  it("is found broken where an older copy goes on being written: by outside (POL-4)", async () => {
    for (const suffix of ["-wal", "-shm"]) await rm(file + suffix, { force: true });
    await copyFile(`${file}.old`, file);
    await record("three", 100, 4);
    await expectFoundBy("outside");
  });

  it("is found broken where a chain and its seal are put back as they were earlier: by outside (POL-4)", async () => {
    const store = await openStore({
      location: "onym.db",
      folder,
      replica: "last",
      seal: { key: KEY, anchorFile },
    });
    await store.audit.append([recordOf({ at: 200 })]);
    const db = openLibsql(file, "rw");
    await db.exec("create temp table kept as select * from onym_chains where chain like 'last%'");
    await store.audit.append([recordOf({ at: 300 })]);
    await store.close();
    await run(
      "delete from onym_audit where chain like 'last%' and seq > 1",
      "delete from onym_chains where chain like 'last%'",
      "insert into onym_chains select * from kept",
    )(db);
    db.close();
    await expectFoundBy("outside");
  });

  it("is found broken where a new store is put in its place: by outside (POL-4)", async () => {
    for (const suffix of ["", "-wal", "-shm"]) await rm(file + suffix, { force: true });
    await record("three", 100, 4);
    await expectFoundBy("outside");
  });

  it("is found broken where all of it was sealed with another key: by key (POL-4)", async () => {
    const db = openLibsql(file, "rw");
    await run("delete from onym_audit", "delete from onym_chains")(db);
    db.close();
    const store = await openStore({
      location: "onym.db",
      folder,
      seal: { key: OTHER_KEY, anchorFile: undefined },
    });
    await store.audit.append([recordOf()]);
    await store.close();
    await expectFoundBy("key");
  });

  it("is found broken where lines outside are made up or taken away (POL-4)", async () => {
    const lines = (await readFile(anchorFile, "utf8")).trimEnd().split("\n");
    await writeFile(anchorFile, `${lines.join("\n").replaceAll('"seq":6', '"seq":5')}\n`);
    expect(await broken({ key: KEY, anchorFile })).toBe(true);
    await rm(anchorFile);
    const store = await openStore({ location: "onym.db", folder, seal: { key: KEY, anchorFile } });
    expect(await store.audit.verify()).toMatchObject({ broken: [], anchored: 0 });
    await store.close();
  });
});

describe("a store from before there was a key", () => {
  beforeEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const store = await openStore({ location: "onym.db", folder, replica: "earlier" });
    for (let at = 0; at < 6; at += 1) await store.audit.append([recordOf({ at, call: `call-${at}` })]);
    await store.audit.prune(2);
    await store.approvals.decide(approvalOf());
    await store.close();
  });
  const open = () => openStore({ location: "onym.db", folder, seal: { key: KEY, anchorFile } });

  it("verifies, goes on to, and is pruned with the key (POL-4)", async () => {
    const store = await open();
    await store.audit.append([recordOf({ at: 7 })]);
    expect(await store.audit.verify()).toMatchObject({ records: 5, chains: 2, broken: [], isSealed: true });
    expect(await store.audit.prune(4)).toBe(2);
    expect(await store.audit.verify()).toMatchObject({ records: 3, broken: [] });
    expect(await store.approvals.inForce(0)).toHaveLength(1);
    await store.close();
    const bare = await openStore({ location: "onym.db", folder });
    expect(await bare.audit.verify()).toEqual({ records: 3, chains: 2, broken: [], sealedSince: 4 });
    await expect(bare.audit.prune(100)).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("takes the key"),
    });
    await bare.close();
  });

  it("is adopted once: what is not sealed later, somebody without the key wrote (POL-4, SAFE-7)", async () => {
    await (await open()).close();
    const eve = await openStore({ location: "onym.db", folder, replica: "eve" });
    await eve.approvals.decide(approvalOf({ principal: "eve" }));
    await eve.audit.append([recordOf()]);
    await eve.close();
    const db = openLibsql(file, "rw");
    await run("update onym_chains set head_seal = null", "update onym_approvals set key_seal = null")(db);
    db.close();
    const store = await open();
    expect((await store.audit.verify()).broken).toHaveLength(2);
    expect(await store.approvals.inForce(0)).toEqual([]);
    await store.close();
  });
});

describe("a store with a key whose second place is lost", () => {
  it("adopts nothing that somebody without the key wrote meanwhile (POL-2, SAFE-7)", async () => {
    const open = () => openStore({ location: "onym.db", folder, seal: { key: KEY, anchorFile } });
    const before = await open();
    await before.approvals.decide(approvalOf());
    await before.close();
    const eve = await openStore({ location: "onym.db", folder, replica: "eve" });
    await eve.approvals.decide(approvalOf({ principal: "eve" }));
    await eve.close();
    await rm(anchorFile);
    const store = await open();
    expect((await store.approvals.inForce(0)).map(({ principal }) => principal)).not.toContain("eve");
    expect(await store.approvals.inForce(0)).toHaveLength(1);
    await store.close();
  });
});

describe("decisions in a store with a key", () => {
  it("count where somebody with the key made them, under the number they were made with (POL-2, SAFE-7)", async () => {
    const told: string[] = [];
    const store = await openStore({
      location: "onym.db",
      folder,
      seal: { key: KEY, anchorFile },
      log: (severity, text, facts) => told.push(`${severity} ${text} ${facts?.["decisions"]}`),
    });
    const kept = await store.approvals.decide(approvalOf());
    const revoked = await store.approvals.decide(approvalOf({ principal: "bob" }));
    const eve = await openStore({ location: "onym.db", folder });
    await eve.approvals.decide(approvalOf({ principal: "eve" }));
    await eve.close();
    const db = openLibsql(file, "rw");
    // A copy of what was once approved, as if it had been decided again after it was revoked.
    await store.approvals.revoke(revoked.id, 1);
    const columns =
      "verdict, subject, tool_id, principal, tool, launch, digest, definition, decided_at, decided_by, expires_at, revoked_at, seal, key_seal";
    await db.exec(
      `insert into onym_approvals (${columns}) select ${columns} from onym_approvals where id = ${kept.id}`,
    );
    db.close();
    expect(await store.approvals.inForce(2)).toEqual([]);
    expect((await store.approvals.standing()).filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
    expect(told).toEqual([
      "warn decisions in the store were not made with this gateway's key, and do not count 2",
    ]);
    // What is shadowed by it can be taken back.
    expect(await store.approvals.revoke(kept.id, 2)).toBe(true);
    const again = await store.approvals.decide(approvalOf());
    expect(await store.approvals.inForce(2)).toEqual([again]);
    expect(await store.approvals.revoke(again.id, 3)).toBe(true);
    expect(await store.approvals.inForce(4)).toEqual([]);
    await store.close();
  });
});

describe("decisions that somebody without the key takes out or puts back", () => {
  const PUT_BACK = "insert into onym_approvals select * from kept";

  it.each<readonly [string, string, string | undefined]>([
    ["nothing happened to them", "select 1", undefined],
    [
      "one was revoked, and is put back as it was before",
      `delete from onym_approvals; ${PUT_BACK}`,
      "decision 1 counts again, though record 3 of CHAIN says that it was revoked: revoke it",
    ],
    [
      "a rejection is taken out",
      "delete from onym_approvals where id = 2",
      "decision 2 is gone: record 2 of CHAIN says that it was made",
    ],
    [
      "a rejection has a seal of its own, without the key",
      "update onym_approvals set key_seal = seal where id = 2",
      "decision 2 was altered since record 2 of CHAIN, and does not count",
    ],
    [
      "a rejection is made an approval",
      "update onym_approvals set verdict = 'approved' where id = 2",
      "decision 2 was altered since record 2 of CHAIN, and does not count",
    ],
  ])("are compared with their records where %s (POL-4, SAFE-7)", async (_, statements, problem) => {
    const store = await openStore({
      location: "onym.db",
      folder,
      replica: "decider",
      seal: { key: KEY, anchorFile },
    });
    const decide = async (principal: string, verdict: "approved" | "rejected") => {
      const pending = await store.approvals.await(pendingOf({ principal }));
      const decision = { verdict, by: "ann", at: 300, expiresAt: undefined };
      return (await decidePending(store, pending, decision)).approval;
    };
    const approval = await decide("bob", "approved");
    await decide("eve", "rejected");
    const db = openLibsql(file, "rw");
    await db.exec("create temp table kept as select * from onym_approvals");
    await store.approvals.revoke(approval.id, 400);
    const { canonical } = pendingOf();
    await recordDecision(store, {
      ...aboutApproval(approval),
      canonical,
      decision: "revoked",
      by: "ann",
      at: 400,
    });
    await db.exec(statements);
    db.close();
    const { broken } = await store.audit.verify();
    expect(
      broken.map((each) => ({ ...each, problem: each.problem.replace(/decider[^\s,]*/, "CHAIN") })),
    ).toEqual(problem === undefined ? [] : [{ chain: "(decisions)", seq: 0, problem }]);
    await store.close();
  });
});
