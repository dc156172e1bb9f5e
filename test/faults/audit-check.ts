// Holds the audit against what servers received: every call that reached one has its intent on record, and the chain is whole.

import { createHash } from "node:crypto";
import { runCli } from "../gateway/harness-cli.js";
import type { Rig } from "./rig.js";

export interface AuditCheck {
  readonly records: number;
  readonly received: number;
  readonly wrongs: readonly string[];
}

interface AuditLine {
  readonly kind: string;
  readonly argumentsDigest?: string;
}

/** `sent`: the arguments of each call by its nonce, as they were sent. */
export async function checkAudit(
  { onym, record }: Rig,
  sent: ReadonlyMap<string, string>,
): Promise<AuditCheck> {
  const wrongs: string[] = [];
  const verified = await runCli(onym, "audit", "verify");
  if (verified.code !== 0) wrongs.push(`audit verify: ${verified.out}${verified.err}`);
  const exported = await runCli(onym, "audit", "export");
  const lines = exported.out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditLine);
  const intents = new Set(lines.filter(({ kind }) => kind === "intent").map((line) => line.argumentsDigest));
  const received = record.nonces();
  for (const nonce of received) {
    const text = sent.get(nonce);
    const digest = createHash("sha256")
      .update(text ?? "")
      .digest("hex");
    if (text === undefined) wrongs.push(`${nonce} reached a server and was never sent`);
    else if (!intents.has(digest))
      wrongs.push(`${nonce} reached a server without a record: ${text.slice(0, 200)}`);
  }
  return { records: lines.length, received: received.length, wrongs };
}
