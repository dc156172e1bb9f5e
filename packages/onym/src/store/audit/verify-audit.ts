// Recomputes every chain of audit records, a page at a time, while others go on writing and pruning.

import { sql } from "kysely";
import type { AnchoredHeads } from "../../audit/audit-anchor.js";
import {
  type AuditRow,
  type ChainLink,
  checkRecord,
  FIRST_HASH,
  type Sealer,
  splitRow,
} from "../../audit/audit-chain.js";
import type { ChainRow } from "../schema/tables.js";
import type { StoreSession } from "../session.js";
import type { AuditCheck } from "../store.js";
import { compareDecisions, noteDecision, type RecordedDecisions } from "./compare-decisions.js";

interface ChainCheck {
  readonly records: number;
  readonly broken: AuditCheck["broken"][number] | undefined;
}

/** As many bytes as its body has; what follows a NUL, SQLite keeps and does not show. */
interface MeasuredRow extends AuditRow {
  readonly bytes: number;
}

const PAGE = 100;

export interface VerifyOptions {
  /** About as many of the last ones; of each chain at least its last row. */
  readonly max?: number;
  /** Without the key, anybody who can write to the store can make chains that look right. */
  readonly sealer: Sealer | undefined;
  /** What the anchor file says. */
  readonly outside: AnchoredHeads | undefined;
}

export async function verifyAudit(
  session: StoreSession,
  { max = Number.POSITIVE_INFINITY, sealer, outside }: VerifyOptions,
): Promise<AuditCheck> {
  const heads = new Map(outside?.heads.map((head) => [head.chain, head]));
  const { chains, sealedSince } = await session.read(async (db) => {
    const known = await db.selectFrom("onym_chains").select(["chain", "head_seal"]).execute();
    const used = await db.selectFrom("onym_audit").select("chain").distinct().execute();
    const oldest = await db.selectFrom("onym_audit").select("at").orderBy("at").limit(1).executeTakeFirst();
    const isSealed = ({ chain, head_seal }: Pick<ChainRow, "chain" | "head_seal">): boolean =>
      head_seal !== null && head_seal !== sealer?.earlier(chain);
    return {
      chains: [...new Set([...known, ...used].map(({ chain }) => chain))].sort(),
      sealedSince: known.some(isSealed) ? oldest?.at : undefined,
    };
  });
  const checks: ChainCheck[] = [];
  const decisions: RecordedDecisions = new Map();
  let room = max;
  for (const chain of chains) {
    const check = await verifyChain(session, chain, {
      max: room,
      sealer,
      outside: heads.get(chain),
      decisions,
    });
    checks.push(check);
    room = Math.max(1, room - check.records);
  }
  return {
    records: checks.reduce((sum, { records }) => sum + records, 0),
    chains: chains.length,
    broken: [
      ...checks.flatMap(({ broken }) => broken ?? []),
      ...[...heads.values()].filter(({ chain }) => !chains.includes(chain)).map(explainGone),
      ...(outside === undefined || outside.forged === 0 ? [] : [explainForged(outside.forged)]),
      ...(outside?.unreadable === undefined ? [] : [explainUnreadable(outside.unreadable)]),
      ...(await compareDecisions(session, decisions, sealer)),
    ],
    sealedSince,
    isSealed: sealer === undefined ? undefined : true,
    anchored: outside?.heads.length,
  };
}

type Broken = AuditCheck["broken"][number];

function explainGone({ chain, seq }: ChainLink): Broken {
  const problem = `the whole chain is gone: the anchor file says that it had ${countRecords(seq)}`;
  return { chain, seq: 1, problem, isLost: true };
}

function countRecords(count: number): string {
  return count === 1 ? "1 record" : `${count} records`;
}

function explainForged(lines: number): Broken {
  const problem = `${lines} lines of the anchor file are not signed with this key`;
  return { chain: "(outside)", seq: 0, problem };
}

function explainUnreadable(reason: string): Broken {
  const problem = `the anchor file cannot be read (${reason})`;
  return { chain: "(outside)", seq: 0, problem };
}

interface ChainOptions {
  readonly max: number;
  readonly sealer: Sealer | undefined;
  readonly outside: ChainLink | undefined;
  /** Gets what the records say of decisions. */
  readonly decisions: RecordedDecisions;
}

async function verifyChain(
  session: StoreSession,
  chain: string,
  { max, sealer, outside, decisions }: ChainOptions,
): Promise<ChainCheck> {
  let records = 0;
  let last = Number.isFinite(max) ? await findStart(session, chain, max) : undefined;
  for (;;) {
    const { ends, rows, hasStray } = await loadPage(session, chain, last?.seq);
    const fail = (seq: number, problem: string): ChainCheck => ({
      records,
      broken: { chain, seq, problem },
    });
    if (ends === undefined) return fail(rows[0]?.seq ?? 1, "the chain has no beginning on record");
    if (hasStray) return fail(ends.anchor_seq, "a record that was pruned is back");
    const unsealed: Omit<Broken, "chain"> | undefined =
      checkEnds(ends, sealer) ?? checkOutside(ends, outside);
    if (unsealed !== undefined) return { records, broken: { chain, ...unsealed } };
    // Pruning may have taken what was to come next; its anchor stands for it.
    if (last === undefined || last.seq < ends.anchor_seq)
      last = { chain, seq: ends.anchor_seq, hash: ends.anchor_hash };
    for (const row of rows) {
      for (const record of splitRow(row)) {
        const problem = checkRecord(last, record);
        if (problem !== undefined) return fail(last.seq + 1, problem);
        if (record.seq === outside?.seq && record.hash !== outside.hash)
          return fail(record.seq, "the anchor file has another record in this place");
        if (record.content !== undefined) noteDecision(decisions, record.content);
        records += 1;
        last = record;
      }
      if (Buffer.byteLength(row.body) !== row.bytes)
        return fail(row.seq, "something is hidden after the record");
    }
    if (rows.length === PAGE) continue;
    if (last.seq !== ends.head_seq) return fail(last.seq + 1, "the record is missing");
    if (last.hash !== ends.head_hash) return fail(last.seq, "the record is not the one the chain ends with");
    return { records, broken: undefined };
  }
}

/** What is wrong with where a chain begins and ends; `undefined` where nothing is. */
function checkEnds(ends: ChainRow, sealer: Sealer | undefined): Pick<Broken, "seq" | "problem"> | undefined {
  const { chain, anchor_seq, anchor_hash, head_seq, head_hash, head_seal, anchor_seal } = ends;
  if (anchor_seq === 0 && anchor_hash !== FIRST_HASH)
    return { seq: 1, problem: "the chain does not begin as chains do" };
  if (sealer === undefined) return undefined;
  const anchor = { chain, seq: anchor_seq, hash: anchor_hash };
  if (anchor_seq > 0 && anchor_seal !== sealer.anchor(anchor))
    return { seq: anchor_seq, problem: "what was pruned is not sealed with this key" };
  // All of it was pruned: the seal of that says so.
  if (anchor_seq > 0 && head_seq === anchor_seq && head_hash === anchor_hash) return undefined;
  if (head_seal === sealer.earlier(chain)) return undefined;
  if (head_seal !== sealer.head({ chain, seq: head_seq, hash: head_hash }))
    return {
      seq: head_seq,
      problem:
        head_seal === null ? "the chain is not sealed" : "the end of the chain is not sealed with this key",
    };
  return undefined;
}

/** The end that stands outside has to be in the chain, or pruned by somebody with the key. */
function checkOutside(
  { anchor_seq, anchor_hash, head_seq }: ChainRow,
  outside: ChainLink | undefined,
): Omit<Broken, "chain"> | undefined {
  if (outside === undefined) return undefined;
  if (head_seq < outside.seq)
    return {
      seq: head_seq + 1,
      problem: `records are gone: the anchor file says that the chain had ${countRecords(outside.seq)}`,
      isLost: true,
    };
  if (anchor_seq === outside.seq && anchor_hash !== outside.hash)
    return { seq: anchor_seq, problem: "the anchor file has another record in this place" };
  return undefined;
}

/** `undefined` where that is the beginning of the chain. */
function findStart(session: StoreSession, chain: string, max: number): Promise<ChainLink | undefined> {
  return session.read(async (db) => {
    const ends = await db.selectFrom("onym_chains").selectAll().where("chain", "=", chain).executeTakeFirst();
    if (ends === undefined) return undefined;
    return db
      .selectFrom("onym_audit")
      .select(["chain", "seq", "hash"])
      .where("chain", "=", chain)
      .where("seq", "<=", ends.head_seq - max)
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst();
  });
}

function loadPage(
  session: StoreSession,
  chain: string,
  after: number | undefined,
): Promise<{
  readonly ends: ChainRow | undefined;
  readonly rows: readonly MeasuredRow[];
  readonly hasStray: boolean;
}> {
  return session.read(async (db) => {
    const ends = await db.selectFrom("onym_chains").selectAll().where("chain", "=", chain).executeTakeFirst();
    const anchor = ends?.anchor_seq ?? 0;
    const from = Math.max(after ?? anchor, anchor);
    const rows = await db
      .selectFrom("onym_audit")
      .selectAll()
      .select(sql<number>`octet_length(body)`.as("bytes"))
      .where("chain", "=", chain)
      .where("seq", ">", from)
      .orderBy("seq")
      .limit(PAGE)
      .execute();
    const stray = await db
      .selectFrom("onym_audit")
      .select("seq")
      .where("chain", "=", chain)
      .where("seq", "<=", anchor)
      .limit(1)
      .execute();
    return { ends, rows, hasStray: stray.length > 0 };
  });
}
