// A store with an audit that was written in given commits, for contract tests.

import type { AuditRecord } from "../../audit/audit-record.js";
import type { Store } from "../store.js";
import type { Suite } from "./names-contract.js";
import type { TestPlace } from "./test-place.js";

export interface OpenedAudit {
  readonly place: TestPlace;
  readonly store: Store;
  readonly chain: string;
}

export async function openWithAudit(
  { newPlace, open }: Suite,
  commits: readonly (readonly AuditRecord[])[],
): Promise<OpenedAudit> {
  const place = await newPlace();
  const store = await open(place);
  for (const records of commits) await store.audit.append(records);
  const [first] = await store.audit.read({ limit: 1 });
  return { place, store, chain: first?.chain ?? "" };
}
