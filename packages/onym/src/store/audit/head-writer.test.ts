import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AuditAnchor, createAuditAnchor } from "../../audit/audit-anchor.js";
import { createSealer } from "../../audit/audit-chain.js";
import { silentLog } from "../../model/log.js";
import { createHeadWriter } from "./create-audit.js";

const DELAY_MS = 10_000;
const head = (seq: number) => ({ chain: "a", seq, hash: "a".repeat(64) });

let folder: string;
let anchor: AuditAnchor;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-heads-"));
  const sealer = createSealer(new Uint8Array(32).fill(7));
  anchor = createAuditAnchor({ file: join(folder, "heads.jsonl"), store: "s", sealer, log: silentLog });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

const written = async (): Promise<readonly number[]> => (await anchor.read()).heads.map(({ seq }) => seq);

describe("the end of a chain in its second place (POL-4)", () => {
  it("is one that was due for a while, so that its record is on the disk", async () => {
    const writer = createHeadWriter(anchor);
    writer.due(head(1));
    vi.advanceTimersByTime(DELAY_MS - 1);
    writer.due(head(2));
    expect(await written()).toEqual([]);
    vi.advanceTimersByTime(1);
    await vi.waitFor(async () => expect(await written()).toEqual([1]));
    vi.advanceTimersByTime(DELAY_MS);
    await vi.waitFor(async () => expect(await written()).toEqual([2]));
    await writer.close();
  });

  it("is the last one when the store is closed", async () => {
    const writer = createHeadWriter(anchor);
    writer.due(head(1));
    writer.due(head(2));
    await writer.close();
    expect(await written()).toEqual([2]);
  });
});
