import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../store/open-store.js";
import type { Store } from "../../store/store.js";
import { pendingOf } from "../../store/testing/test-place.js";
import type { ConsoleContext } from "../console-context.js";
import { readApprovals } from "./approvals.js";

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-approvals-"));
  store = await openStore({ location: "onym.db", folder });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** How many approvals each page shows. */
async function readPages(): Promise<readonly number[]> {
  const viewer = { isOperator: true, principal: "operator", confinedTo: undefined } as const;
  const pages: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { signal } = new AbortController();
    // Where nothing was decided, it needs nothing else.
    const report = await readApprovals({ store } as ConsoleContext, viewer, { after, signal });
    pages.push(report.pending.length);
    after = report.next;
  }
  return pages;
}

describe("a page of approvals that wait (SAFE-5)", () => {
  it.each([
    ["one below", 19, [19]],
    ["at", 20, [20]],
    ["one above", 21, [20, 1]],
  ])("has so many of them: %s the limit (limits: MAX_PENDING of approvals)", async (_, count, pages) => {
    for (let at = 0; at < count; at += 1) await store.approvals.await(pendingOf({ digest: `digest-${at}` }));
    expect(await readPages()).toEqual(pages);
  });

  it.each([
    ["one below", -1, [2]],
    ["at", 0, [2]],
    ["one above", 1, [1, 1]],
  ])(
    "has so many bytes of definitions: %s the limit (limits: MAX_DEFINITION_BYTES of approvals)",
    async (_, more, pages) => {
      for (const [digest, bytes] of [
        ["one", 1_000_000],
        ["two", 1_097_152 + more],
      ] as const) {
        const rest = JSON.stringify({ description: "" }).length;
        const definition = { description: "x".repeat(bytes - rest) };
        await store.approvals.await(pendingOf({ digest, definition }));
      }
      expect(await readPages()).toEqual(pages);
    },
  );
});
