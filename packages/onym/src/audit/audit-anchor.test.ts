import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../model/log.js";
import { createAuditAnchor } from "./audit-anchor.js";
import { createSealer } from "./audit-chain.js";

const MAX_BYTES = 1024 * 1024;
const sealer = createSealer(new Uint8Array(32).fill(7));
const hash = "a".repeat(64);

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onym-anchor-"));
  file = join(folder, "heads.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const anchorOf = (store: string) => createAuditAnchor({ file, store, sealer, log: silentLog });

/** Brings the head of a chain to the file. */
async function write(store: string, chain: string, seq: number): Promise<void> {
  expect(await anchorOf(store).write({ chain, seq, hash })).toBe(true);
}

/** Three heads, of two chains and two stores, then half a line: with the next mark the file has so many bytes. */
async function fillTo(bytes: number): Promise<void> {
  await write("s", "b", 9);
  await write("s", "a", 2);
  await write("s", "a", 3);
  await write("other", "a", 1);
  const text = await readFile(file, "utf8");
  await rm(file);
  await anchorOf("s").mark();
  const { size } = await stat(file);
  await writeFile(file, `${text}${"x".repeat(bytes - size - text.length - 1)}\n`);
}

describe("the file of the ends of audit chains (POL-4, SAFE-4)", () => {
  it.each([MAX_BYTES - 1, MAX_BYTES])("stays as it is at %i bytes", async (bytes) => {
    await fillTo(bytes);
    await anchorOf("s").mark();
    expect((await stat(file)).size).toBe(bytes);
  });

  it("is shortened at one byte more, to the last head of each chain of each store", async () => {
    await fillTo(MAX_BYTES + 1);
    await anchorOf("s").mark();
    expect((await stat(file)).size).toBeLessThan(2_000);
    expect(await anchorOf("s").read()).toEqual({
      heads: [
        { chain: "b", seq: 9, hash },
        { chain: "a", seq: 3, hash },
      ],
      forged: 0,
      isKnown: true,
    });
    expect((await anchorOf("other").read()).heads).toEqual([{ chain: "a", seq: 1, hash }]);
  });
});
