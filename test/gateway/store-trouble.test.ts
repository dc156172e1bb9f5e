// A store that fails while the gateway runs: calls that need it are refused with the reason and reach no server, and all
// goes on by itself when it works again. The disk is really full, and PostgreSQL is really silent.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import { openLibsql } from "../../packages/onym/src/store/sqlite/libsql.js";
import { openImpatientProxy } from "../../packages/onym/src/store/testing/open-proxy.js";
import { startPostgres, type TestPostgres } from "../../packages/onym/src/store/testing/start-postgres.js";
import type { Directed } from "../servers/control.js";
import { ONYM_BIN, type OnymSetup, onymEnvironment, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern, type RawAnswer } from "./harness-raw.js";

const PRLIMIT = "/usr/bin/prlimit";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const call = (onym: RunningOnym, name: string, size = 0): Promise<RawAnswer> =>
  askModern({
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name, arguments: { text: "x".repeat(size) } },
  });

async function callsReceived(server: Directed): Promise<number> {
  const { received } = (await server.direct({ do: "received" })) as { received: { method: string }[] };
  return received.filter(({ method }) => method === "tools/call").length;
}

/** The answer to a probe, and the reason that callers are told. */
async function readiness(onym: RunningOnym): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status } = await fetch(new URL("/readyz", onym.url));
  const told = await fetch(new URL("/", onym.url));
  return { status, body: (await told.json()) as Record<string, unknown> };
}

async function untilReady(onym: RunningOnym): Promise<void> {
  while ((await readiness(onym)).status !== 200);
}

/**
 * For a store that is given so little time that a busy machine may exceed it while nothing is wrong: refused then, and
 * good again a moment later.
 */
async function untilAnswered(onym: RunningOnym, name: string): Promise<RawAnswer> {
  let answer = await call(onym, name);
  while (answer.result === undefined) answer = await call(onym, name);
  return answer;
}

/** The same for the start, which such a store fails. */
async function startPatiently(setup: OnymSetup): Promise<RunningOnym> {
  for (;;) {
    try {
      return await stage.start(setup);
    } catch (error) {
      if (!String(error).includes("does not answer")) throw error;
    }
  }
}

const UNRECORDED = {
  code: -32603,
  message:
    "The call cannot be recorded, so it was not made: the gateway's store cannot be used now. See the gateway's log.",
  data: { reason: "store-unavailable", retryAfterMs: 1000 },
};

describe("a file that another process holds", () => {
  it("turns /readyz, refuses calls with a retry time, and is told of once (SAFE-5)", async () => {
    const entry = stage.entry({ label: "held", tools: ["work"] });
    const onym = await stage.start({ config: { mcpServers: { held: entry } } });
    const server = await stage.control.server("held");
    expect((await call(onym, "held_work")).result).toBeDefined();
    const other = openLibsql(join(onym.dir, "onym.db"), "rw", 5000);
    // The outcome of the first call follows its reply.
    const count = await other.prepare("select count(*) as rows from onym_audit");
    while (((await count.all([])) as { readonly rows: number }[])[0]?.rows !== 2);
    await other.exec("begin immediate");
    const waiting = call(onym, "held_work");
    // While the first call still waits.
    let { status, body } = await readiness(onym);
    while (status === 200) ({ status, body } = await readiness(onym));
    expect(body).toMatchObject({
      status: "store-failing",
      reason: expect.stringContaining("another process"),
    });
    expect((await waiting).error).toEqual(UNRECORDED);
    const refused = await Promise.all(Array.from({ length: 20 }, () => call(onym, "held_work")));
    for (const { error } of refused) expect(error).toEqual(UNRECORDED);
    expect(await callsReceived(server)).toBe(1);
    await other.exec("rollback");
    other.close();
    await untilReady(onym);
    expect((await call(onym, "held_work")).result).toBeDefined();
    const told = onym.stderr().split("\n");
    expect(told.filter((line) => line.includes("calls cannot be recorded"))).toHaveLength(1);
    expect(told.filter((line) => line.includes("the store works again failures=21"))).toHaveLength(1);
    expect(onym.stderr()).not.toContain("    at ");
  });
});

describe("a file that somebody without the key writes to", () => {
  it("takes no decision and no record of theirs for one (POL-2, POL-4, SAFE-7)", async () => {
    const entry = stage.entry({ label: "own", tools: ["work"] });
    const policy = { default: "ask" };
    const dir = mkdtempSync(join(stage.folder, "own-"));
    const onym = await stage.start({ config: { mcpServers: { own: entry }, policy }, dir });
    const server = await stage.control.server("own");
    expect((await call(onym, "own_work")).result).toMatchObject({ isError: true });
    const eve = await openStore({ location: "onym.db", folder: onym.dir });
    const [pending] = await eve.approvals.pending();
    if (pending === undefined) throw new Error("nothing waits");
    const { principal, tool, launch, digest, definition } = pending;
    const about = { principal, tool, launch, digest, definition, expiresAt: undefined };
    await eve.approvals.decide({ ...about, verdict: "approved", decidedAt: Date.now(), decidedBy: "eve" });
    await eve.close();
    const onymCommand = (...args: readonly string[]) =>
      spawnSync(process.execPath, [ONYM_BIN, ...args], {
        cwd: onym.dir,
        env: onymEnvironment(onym.dir, {}),
        encoding: "utf8",
      });
    // The gateway hears of it, and asks all the same.
    while (!onym.stderr().includes("were not made with this gateway's key"))
      expect((await call(onym, "own_work")).result).toMatchObject({ isError: true });
    expect((await call(onym, "own_work")).result).toMatchObject({ isError: true });
    const [again] = await openPending(onym.dir);
    expect(onymCommand("approve", String(again?.id), "--yes")).toMatchObject({ status: 0 });
    while ((await call(onym, "own_work")).result?.["isError"] === true);
    expect(await callsReceived(server)).toBe(1);
    await onym.stop();

    expect(onymCommand("audit", "verify")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/all in place\.\n\s+Held against the key, and the ends of 2 chains/),
    });
    const db = openLibsql(join(onym.dir, "onym.db"), "rw");
    await db.exec("delete from onym_audit; delete from onym_chains");
    db.close();
    const found = onymCommand("audit", "verify", "--json");
    expect(found.status).toBe(1);
    expect(JSON.parse(found.stdout)).toMatchObject({
      records: 0,
      sealed: true,
      broken: [{ problem: expect.stringContaining("the whole chain is gone") }, {}],
    });
  });
});

async function openPending(folder: string) {
  const store = await openStore({ location: "onym.db", folder });
  const pending = await store.approvals.pending();
  await store.close();
  return pending;
}

describe.skipIf(!existsSync(PRLIMIT))("a disk that is full", () => {
  it("denies calls that cannot be recorded, and no longer when there is room again (POL-4)", async () => {
    const entry = stage.entry({ label: "disk", tools: ["work"] });
    const dir = mkdtempSync(join(stage.folder, "disk-"));
    const config = { mcpServers: { disk: entry }, audit: { arguments: true } };
    const onym = await stage.start({ config, dir });
    const server = await stage.control.server("disk");
    let answered = 0;
    const work = async (): Promise<RawAnswer> => {
      const answer = await call(onym, "disk_work", 5000);
      if (answer.result !== undefined) answered += 1;
      return answer;
    };
    expect((await work()).result).toBeDefined();
    expect(await readiness(onym)).toMatchObject({ status: 200, body: { status: "ready" } });

    // No file of the process may grow from here on.
    limitFiles(onym, String(statSync(join(onym.dir, "onym.db-wal")).size));
    let refused = await work();
    while (refused.error === undefined) refused = await work();
    expect(refused.error).toEqual(UNRECORDED);
    // What still fits into the log depends on when it was last brought into the file. From here on not a byte does.
    limitFiles(onym, "0");
    expect((await work()).error).toEqual(UNRECORDED);
    expect(await readiness(onym)).toMatchObject({
      status: 503,
      body: { status: "store-failing", reason: expect.stringContaining("onym.db cannot be used") },
    });
    // What was not recorded did not run, and what needs no record is answered.
    expect(await callsReceived(server)).toBe(answered);
    const list = await askModern({ url: onym.url, method: "tools/list" });
    expect(list.result?.["tools"]).toHaveLength(1);

    limitFiles(onym, "unlimited");
    await untilReady(onym);
    expect((await work()).result).toBeDefined();
    expect(await callsReceived(server)).toBe(answered);
    await onym.stop();
    const store = await openStore({ location: "onym.db", folder: dir });
    const records = await store.audit.read({ limit: 10_000 });
    expect(records.filter(({ kind }) => kind === "intent")).toHaveLength(answered);
    expect((await store.audit.verify()).broken).toEqual([]);
    await store.close();
  });
});

function limitFiles({ pid }: RunningOnym, soft: string): void {
  const { status, stderr } = spawnSync(PRLIMIT, ["--pid", String(pid), `--fsize=${soft}:unlimited`]);
  expect([status, String(stderr)]).toEqual([0, ""]);
}

describe("a PostgreSQL that is silent", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it("holds up nobody for long: calls are refused with the reason, and go on when it speaks again (POL-4)", async () => {
    const location = await postgres.newLocation();
    const proxy = await openImpatientProxy(location);
    const entry = stage.entry({ label: "silent", tools: ["work", "ask"] });
    const onym = await startPatiently({
      config: {
        mcpServers: { silent: entry },
        store: proxy.location,
        policy: { default: "allow", rules: [{ effect: "ask", tool: "silent@1/ask@1" }] },
      },
    });
    const server = await stage.control.server("silent");
    await untilAnswered(onym, "silent_work");
    expect((await untilAnswered(onym, "silent_ask")).result).toMatchObject({ isError: true });

    proxy.stall();
    const refused = await Promise.all(Array.from({ length: 20 }, () => call(onym, "silent_work")));
    for (const { error } of refused) expect(error).toEqual(UNRECORDED);
    expect((await call(onym, "silent_ask")).error?.message).toMatch(/store cannot be used now/);
    expect((await call(onym, "no_such_tool")).error).toMatchObject({ code: -32602 });
    const list = await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    expect(list.result?.["tools"]).toHaveLength(2);
    expect(await readiness(onym)).toMatchObject({
      status: 503,
      body: { status: "store-failing", reason: expect.stringContaining("does not answer") },
    });
    expect((await fetch(new URL("/healthz", onym.url))).status).toBe(200);
    expect(await callsReceived(server)).toBe(1);

    // Nor does a command or another gateway wait for ever.
    for (const args of [["serve", "--port", "0"], ["approvals"]]) {
      const ran = spawnSync(process.execPath, [ONYM_BIN, ...args, "--config", "onym.json"], {
        cwd: onym.dir,
        env: onymEnvironment(onym.dir, {}),
        encoding: "utf8",
      });
      expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining("does not answer") });
    }

    proxy.fix();
    await untilReady(onym);
    await untilAnswered(onym, "silent_work");
    const direct = await openStore({ location, folder: onym.dir });
    const [pending] = await direct.approvals.pending();
    if (pending === undefined) throw new Error("nothing waits");
    const { principal, tool, launch, digest, definition } = pending;
    await direct.approvals.decide({
      ...{ principal, tool, launch, digest, definition },
      verdict: "approved",
      decidedAt: Date.now(),
      decidedBy: "test",
      expiresAt: undefined,
    });
    while ((await untilAnswered(onym, "silent_ask")).result?.["isError"] === true);
    expect(await callsReceived(server)).toBe(3);
    expect((await direct.audit.verify()).broken).toEqual([]);

    // It ends while the store is silent, too.
    proxy.stall();
    expect((await onym.stop()).code).toBe(0);
    await direct.close();
    await proxy.close();
  });
});
