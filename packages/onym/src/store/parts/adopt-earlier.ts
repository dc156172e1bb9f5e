// The first time that a store is used with a key, what stands in it from before is sealed, and that is the only time: later,
// what is not sealed was written by somebody without the key, and does not count. That it was done is noted outside of the
// store, so that who takes all seals away does not get what is left adopted.

import type { AuditAnchor } from "../../audit/audit-anchor.js";
import type { Sealer } from "../../audit/audit-chain.js";
import type { StoreSession } from "../session.js";
import { keySealOf, rowToApproval } from "./approval-rows.js";

export async function adoptEarlier(
  session: StoreSession,
  sealer: Sealer,
  anchor: AuditAnchor,
): Promise<void> {
  const { isKnown, unreadable } = await anchor.read();
  if (isKnown || unreadable !== undefined) return;
  await sealAll(session, sealer);
  await anchor.mark();
}

async function sealAll(session: StoreSession, sealer: Sealer): Promise<void> {
  const { isBare, isSealed } = await session.read(async (db) => {
    const chains = await db.selectFrom("onym_chains").select("head_seal").execute();
    const decisions = await db.selectFrom("onym_approvals").select("key_seal").execute();
    const seals = [...chains.map(({ head_seal }) => head_seal), ...decisions.map(({ key_seal }) => key_seal)];
    return { isBare: seals.includes(null), isSealed: seals.some((seal) => seal !== null) };
  });
  if (!isBare || isSealed) return;
  await session.write(async (tx) => {
    const chains = await tx.selectFrom("onym_chains").selectAll().execute();
    for (const { chain, anchor_seq: seq, anchor_hash: hash } of chains)
      await tx
        .updateTable("onym_chains")
        .set({ head_seal: sealer.earlier(chain), anchor_seal: sealer.anchor({ chain, seq, hash }) })
        .where("chain", "=", chain)
        .where("head_seal", "is", null)
        .execute();
    for (const row of await tx.selectFrom("onym_approvals").selectAll().execute())
      if (rowToApproval(row) !== undefined)
        await tx
          .updateTable("onym_approvals")
          .set({ key_seal: keySealOf(row, sealer) })
          .where("id", "=", row.id)
          .execute();
  });
}
