// One field table drives what is written, read, printed and exported.

import type { ToolKey } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import { formatAuditBody, readAuditRecord } from "../../audit/audit-chain.js";
import { AUDIT_COLUMNS, AUDIT_FIELDS, type AuditRecord } from "../../audit/audit-record.js";
import { foldRecords, reportRecord } from "./audit-rows.js";

const PLACE = { chain: "here", seq: 3, hash: "c".repeat(64) };
const NAMES = Object.keys(AUDIT_FIELDS) as (keyof AuditRecord)[];

const FULL: AuditRecord = {
  kind: "refusal",
  at: 1_700_000_000_000,
  call: "call-1",
  caller: "ann",
  profile: "openai",
  sent: "docs_search",
  tool: '["t","docs","search"]' as ToolKey,
  canonical: "docs@1/search@1",
  rule: "rule 2",
  decision: "deny",
  definition: "a".repeat(64),
  argumentsDigest: "b".repeat(64),
  arguments: { z: 1, a: ["é"] },
  outcome: "policy",
  ms: 12.5,
};
const OTHER: AuditRecord = {
  kind: "intent",
  at: 1_700_000_100_000,
  call: "call-2",
  caller: "eve",
  profile: "anthropic",
  sent: "docs_find",
  tool: '["t","docs","find"]' as ToolKey,
  canonical: "docs@1/find@1",
  rule: "rule 3",
  decision: "allow",
  definition: "d".repeat(64),
  argumentsDigest: "e".repeat(64),
  arguments: {},
  outcome: "result",
  ms: 99,
};

describe("every field of an audit record (POL-4)", () => {
  it("is written as canonical JSON, the bytes that stores have had so far", () => {
    const body = formatAuditBody(FULL, PLACE);
    expect(body).toBe(canonicalJson({ ...FULL, chain: "here", seq: 3 }));
    expect(body).toBe(
      '{"arguments":{"a":["é"],"z":1},"argumentsDigest":"' +
        `${"b".repeat(64)}","at":1700000000000,"call":"call-1","caller":"ann","canonical":"docs@1/search@1",` +
        `"chain":"here","decision":"deny","definition":"${"a".repeat(64)}","kind":"refusal","ms":12.5,` +
        '"outcome":"policy","profile":"openai","rule":"rule 2","sent":"docs_search","seq":3,' +
        '"tool":"[\\"t\\",\\"docs\\",\\"search\\"]"}',
    );
  });

  it.each(NAMES)("%s is read as it was written", (name) => {
    const content = JSON.parse(formatAuditBody(FULL, PLACE));
    expect(readAuditRecord(content, PLACE)[name]).toEqual(FULL[name]);
  });

  it.each(NAMES)("%s is in what is exported", (name) => {
    expect(reportRecord({ ...FULL, ...PLACE })).toHaveProperty([name], FULL[name]);
  });

  it.each(NAMES)("%s is shown in its column, and in no other", (name) => {
    // The canonical name is shown in place of the key.
    const base = { ...FULL, ...PLACE, ...(name === "tool" && { canonical: undefined }), outcome: undefined };
    const [before] = foldRecords([base]);
    const [after] = foldRecords([{ ...base, [name]: OTHER[name] }]);
    const changed = AUDIT_COLUMNS.filter((column) => before?.[column] !== after?.[column]);
    const { column } = AUDIT_FIELDS[name];
    // An intent has no outcome yet, and so no time.
    const expected = name === "kind" ? ["outcome", "ms"] : column === "none" ? [] : [column];
    expect(changed).toEqual(expected);
  });

  it.each([
    ["caller", 7, ""],
    ["sent", 7, undefined],
    ["ms", "7", undefined],
  ] as const)("%s of another type is not taken", (name, value, taken) => {
    expect(readAuditRecord({ ...FULL, [name]: value }, PLACE)[name]).toBe(taken);
  });
});
