// At a terminal: the person is shown a tool and asked. What happens in between is played by a second user of the store.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ToolDefinition } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { afterAll, expect, it } from "vitest";
import type { Terminal } from "../../output/terminal.js";
import { openStore } from "../../store/open-store.js";
import type { Store } from "../../store/store.js";
import { main } from "../main.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "onym-approve-"));
  folders.push(folder);
  writeFileSync(join(folder, "onym.json"), '{"mcpServers": {"mail": {"tools": ["send"]}}}');
  const store = await openStore({ location: "onym.db", folder });
  const ask = (definition: ToolDefinition) =>
    store.approvals.await({
      principal: "ann",
      tool: toolKeyOf({ server: "mail", raw: "send" }),
      canonical: "mail@1/send@1",
      launch: "l1",
      digest: definitionDigest(definition),
      definition,
      askedAt: 1,
      before: undefined,
    });
  return { folder, store, ask };
}

/** Runs at a terminal; each question is answered by the next of `answers`. */
async function approve(
  folder: string,
  id: number,
  answers: readonly (() => Promise<string | undefined>)[],
  options: readonly string[] = [],
) {
  let said = "";
  const left = [...answers];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const answer = async (): Promise<void> => {
    const text = await left.shift()?.();
    if (text === undefined) stdin.end();
    else stdin.write(text);
  };
  const terminal: Terminal = {
    out: async (piece) => {
      said += piece;
    },
    err: (piece) => {
      said += piece;
      if (piece.endsWith("[y/N] ")) void answer();
    },
    stdin,
    columns: 80,
    errColumns: 80,
    isTTY: true,
    paint: (_, plain) => plain,
    paintErr: (_, plain) => plain,
    env: {},
    cwd: folder,
    today: "2026-01-01",
  };
  const code = await main(["approve", String(id), ...options], terminal, "0.0.0");
  return { code, said };
}

const approved = async (store: Store) =>
  (await store.approvals.inForce(Date.now())).map(({ digest }) => digest);

it("approves after a plain yes, and after nothing else (POL-3)", async () => {
  const { folder, store, ask } = await setUp();
  const { id, digest } = await ask({ title: "Send" });
  for (const answer of ["n\n", "\n", "yesterday\n", undefined]) {
    expect(await approve(folder, id, [async () => answer])).toMatchObject({
      code: 1,
      said: expect.stringContaining("it still waits"),
    });
    expect(await approved(store)).toEqual([]);
  }
  expect((await approve(folder, id, [async () => "y\n"])).code).toBe(0);
  expect(await approved(store)).toEqual([digest]);
  await store.close();
});

it("says in the question, and afterwards, what is approved and for how long (POL-3)", async () => {
  const { folder, store, ask } = await setUp();
  const yes = [async () => "y\n"];
  const first = await approve(folder, (await ask({ title: "Send" })).id, yes);
  const every = 'every later call of mail@1/send@1 by "ann", with any arguments, until';
  expect(first.said).toContain(`Approve ${every} you revoke it? [y/N] `);
  expect(first.said).toContain(`✓ Approved ${every} you revoke it: onym revoke 1\n`);

  const day = ["--until", "2999-12-30"];
  const second = await approve(folder, (await ask({ title: "Send" })).id, yes, day);
  expect(second.said).toContain(`Approve ${every} 2999-12-30 23:59:59 UTC? [y/N] `);
  expect(second.said).toContain(`✓ Approved ${every} 2999-12-30 23:59:59 UTC. Take it back: onym revoke 2\n`);

  const third = await approve(folder, (await ask({ title: "Send" })).id, yes, ["--once"]);
  const once = 'the next call of mail@1/send@1 by "ann", with any arguments, within five minutes';
  expect(third.said).toContain(`Approve ${once}? [y/N] `);
  expect(third.said).toContain(`✓ Approved ${once}. Take it back: onym revoke 3\n`);
  const [approval] = await store.approvals.inForce(Date.now());
  expect(approval).toMatchObject({ id: 3, isOnce: true });
  expect((approval?.expiresAt ?? 0) - (approval?.decidedAt ?? 0)).toBe(5 * 60_000);
  await store.close();
});

it("shows a tool again that changed while it was looked at, and approves what was shown last (POL-2)", async () => {
  const { folder, store, ask } = await setUp();
  const first = await ask({ title: "Send" });
  let second = first;
  const change = async () => {
    second = await ask({ title: "Send it all" });
    return "y\n";
  };
  const refused = await approve(folder, first.id, [change, async () => "n\n"]);
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("The tool has changed again") });
  expect(refused.said).toContain("Send it all");
  expect(await approved(store)).toEqual([]);

  expect((await approve(folder, second.id, [async () => "yes\n"])).code).toBe(0);
  expect(await approved(store)).toEqual([second.digest]);
  expect(await store.approvals.pending()).toEqual([]);
  await store.close();
});

it("leaves alone what somebody else has decided meanwhile", async () => {
  const { folder, store, ask } = await setUp();
  const { id, canonical: _, askedAt: __, before: ___, ...binding } = await ask({ title: "Send" });
  const deny = async () => {
    const decision = { verdict: "rejected", decidedAt: 1, decidedBy: "bob", expiresAt: undefined } as const;
    await store.approvals.decide({ ...binding, ...decision });
    return "y\n";
  };
  expect(await approve(folder, id, [deny])).toMatchObject({
    code: 1,
    said: expect.stringContaining("somebody has decided"),
  });
  expect(await store.approvals.inForce(Date.now())).toMatchObject([
    { verdict: "rejected", decidedBy: "bob" },
  ]);
  await store.close();
});
