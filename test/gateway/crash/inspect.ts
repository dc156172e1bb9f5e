// What a gateway left behind when it was killed, held against what its callers and its downstream know.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLock } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { expect } from "vitest";
import type { StoredAuditRecord } from "../../../packages/onym/src/audit/audit-record.js";
import { openStore } from "../../../packages/onym/src/store/open-store.js";
import type { StoredApproval } from "../../../packages/onym/src/store/store.js";
import type { Directed } from "../../servers/control.js";

const ALL = 10_000_000;

export interface Remains {
  readonly records: number;
  readonly intents: number;
  readonly chains: number;
  readonly received: number;
  readonly decisions: readonly StoredApproval[];
}

/** Fails where anything that was promised is missing, half or altered. */
export async function inspectRemains(input: {
  readonly location: string;
  readonly folder: string;
  readonly server: Directed;
  /** Raw names and the digests that users were shown, as far as their calls were answered. */
  readonly acknowledged: readonly (readonly [string, string])[];
}): Promise<Remains> {
  const { location, folder, server, acknowledged } = input;
  const received = await noncesReceived(server);
  const store = await openStore({ location, folder });
  try {
    const verdict = await store.audit.verify();
    expect(verdict.broken).toEqual([]);
    const records = await store.audit.read({ limit: ALL });
    expect(records).toHaveLength(verdict.records);
    checkRecords(records, received);
    const decisions = await store.approvals.history({ limit: ALL });
    checkDecisions(decisions, acknowledged);
    checkLock(folder);
    return {
      records: records.length,
      intents: records.filter(({ kind }) => kind === "intent").length,
      chains: verdict.chains,
      received: received.length,
      decisions,
    };
  } finally {
    await store.close();
  }
}

async function noncesReceived(server: Directed): Promise<readonly string[]> {
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly {
    readonly method?: string;
    readonly params?: { readonly arguments?: { readonly nonce?: string } };
  }[];
  return messages.flatMap(({ method, params }) =>
    method === "tools/call" ? [params?.arguments?.nonce ?? "none"] : [],
  );
}

/** Whatever reached the downstream was on record before (POL-4), and each outcome belongs to an intent. */
function checkRecords(records: readonly StoredAuditRecord[], received: readonly string[]): void {
  const intents = records.filter(({ kind }) => kind === "intent");
  const intended = new Set(intents.map((record) => (record.arguments as { readonly nonce?: string }).nonce));
  expect(received.filter((nonce) => !intended.has(nonce))).toEqual([]);
  const calls = new Set(intents.map(({ call }) => call));
  expect(records.filter(({ kind, call }) => kind === "outcome" && !calls.has(call))).toEqual([]);
}

/** No acknowledged one is lost, and none is half: each speaks of one whole definition. */
function checkDecisions(
  decisions: readonly StoredApproval[],
  acknowledged: readonly (readonly [string, string])[],
): void {
  for (const { verdict, digest, definition, revokedAt } of decisions) {
    expect(definitionDigest(definition)).toBe(digest);
    expect([verdict, revokedAt]).toEqual(["approved", undefined]);
  }
  const kept = new Set(
    decisions.map(({ tool, digest }) => JSON.stringify([rawOf(tool), digest.slice(0, 12)])),
  );
  expect(acknowledged.filter((decision) => !kept.has(JSON.stringify(decision)))).toEqual([]);
}

export function rawOf(tool: string): string {
  return (JSON.parse(tool) as readonly string[]).at(-1) ?? "";
}

function checkLock(folder: string): void {
  for (const file of ["onym.lock", "onym.prompts.lock"].map((name) => join(folder, name))) {
    if (existsSync(file)) expect(parseLock(readFileSync(file, "utf8"))).toMatchObject({ ok: true });
  }
}
