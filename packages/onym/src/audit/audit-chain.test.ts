// Rows of a store that an earlier version wrote, as literals: the same records still come to the same bytes, hashes and seals.

import { describe, expect, it } from "vitest";
import {
  type AuditRow,
  buildAuditRows,
  checkRecord,
  createSealer,
  FIRST_HASH,
  parseRecord,
  splitRow,
} from "./audit-chain.js";
import type { AuditRecord } from "./audit-record.js";

const chain = "before-e656f8f59afe831b";
const A = "a".repeat(64);
const B = "b".repeat(64);

const ROWS: readonly AuditRow[] = [
  {
    chain,
    seq: 2,
    at: 1760000000003,
    hash: "8d407039fa20c60c65cf0e2342bfc3256b5929a35fae33fe7d608adb30b8820b",
    body: `{"arguments":{"a":["é",{"b":2,"y":null}],"z":1},"argumentsDigest":"${B}","at":1760000000000,"call":"call-1","caller":"ann","canonical":"crm@1/send@1","chain":"${chain}","decision":"allow","definition":"${A}","kind":"intent","profile":"openai","rule":"rule 1","sent":"crm_send","seq":1,"tool":"[\\"namespaced\\",\\"crm\\",\\"send\\"]"}
ca98ea7502808d2a006a937aaa32ae58556a7311913c8a5b32cfc152320450b8
{"at":1760000000003,"call":"call-1","caller":"ann","canonical":"crm@1/send@1","chain":"${chain}","decision":"allow","kind":"outcome","ms":3,"outcome":"result","rule":"rule 1","sent":"crm_send","seq":2}`,
  },
  {
    chain,
    seq: 3,
    at: 1760000000900,
    hash: "75c0cd573b56fe6953e384ea36c4f0b00e833975dfc8b1eb328777621c4de91e",
    body: `{"argumentsDigest":"${B}","at":1760000000900,"call":"call-2","caller":"ann","canonical":"crm@1/send@1","chain":"${chain}","decision":"deny","definition":"${A}","kind":"refusal","outcome":"policy","profile":"openai","rule":"rule 1","sent":"crm_send","seq":3,"tool":"[\\"namespaced\\",\\"crm\\",\\"send\\"]"}`,
  },
];

describe("rows of an earlier version (POL-4)", () => {
  const records = ROWS.flatMap((row) => splitRow(row));

  it("hold together", () => {
    let before = { chain, seq: 0, hash: FIRST_HASH };
    for (const record of records) {
      expect(checkRecord(before, record)).toBeUndefined();
      before = record;
    }
    expect(before.seq).toBe(3);
  });

  it("are what the same records come to now", () => {
    const read = records.map((record) => parseRecord(record as Parameters<typeof parseRecord>[0]));
    const again = (from: number, given: readonly AuditRecord[]) =>
      buildAuditRows(
        from === 0 ? { chain, seq: 0, hash: FIRST_HASH } : { chain, seq: 2, hash: ROWS[0]?.hash ?? "" },
        given,
      );
    expect([...again(0, read.slice(0, 2)), ...again(2, read.slice(2))]).toEqual(ROWS);
  });

  it("have the seal that the key gave them", () => {
    const sealer = createSealer(new Uint8Array(32).fill(7));
    expect(sealer.head({ chain, seq: 3, hash: ROWS[1]?.hash ?? "" })).toBe(
      "ba07f0664529ba8a86d4e67d39d1b4dcd2da7ecc462b7f318cb51d6c7c35d883",
    );
  });
});
