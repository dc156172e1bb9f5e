// Approvals that an operator gives, through a running gateway: how long a call waits for one, and when one ends (POL-3).

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLibsql } from "../../packages/onym/src/store/sqlite/libsql.js";
import type { NewApproval } from "../../packages/onym/src/store/store.js";
import {
  ASK,
  decisionFor,
  digested,
  firstPending,
  offer,
  receivedBy,
  redefine,
  SEND,
  SEND_TO_ALL,
  storeOf,
  until,
} from "./harness-approvals.js";
import { ASKED_CLIENTS, callUnasked, connectAskedRaw, textOf, yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

describe("who cannot be asked (POL-3)", () => {
  const start = (ask: object) => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    return stage.start({ config: { mcpServers: { mail }, policy: { ...ASK, ask } } });
  };

  it("fails, is told how, and runs after the decision of another process", async () => {
    const onym = await start({ when: "fail" });
    const result = await callUnasked(onym.url, "mail_send");
    const store = await storeOf(onym);
    const [pending] = await store.approvals.pending();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`onym approve ${pending?.id}`);
    expect(await receivedBy(stage, "mail")).toBe(0);
    await store.approvals.decide(decisionFor(pending));
    await until(async () => (await callUnasked(onym.url, "mail_send")).isError !== true);
    expect(await store.approvals.pending()).toEqual([]);
  });

  it("is refused at once where the caller's share waits already, and told so (SAFE-5)", async () => {
    const onym = await start({ when: "wait", waitMs: 100_000 });
    const store = await storeOf(onym);
    const waiting = callUnasked(onym.url, "mail_send");
    const pending = await firstPending(store);
    for (let at = 1; at < 100; at += 1) await store.approvals.await({ ...pending, digest: `digest-${at}` });
    await redefine(stage, onym.url, SEND_TO_ALL);
    const refused = await callUnasked(onym.url, "mail_send");
    expect(textOf(refused)).toContain("100 requests of this caller wait for approval already");
    expect(refused._meta).toMatchObject({ "onym/limit": "callerApprovals", "onym/max": 100 });
    expect(await store.approvals.pending()).toHaveLength(100);
    await redefine(stage, onym.url, SEND);
    await store.approvals.decide(decisionFor(pending));
    expect((await waiting).isError).not.toBe(true);
  });

  it("is told of the request that waits already without writing it again, also while another process writes (SAFE-5)", async () => {
    const onym = await start({ when: "fail" });
    await callUnasked(onym.url, "mail_send");
    const [pending] = await (await storeOf(onym)).approvals.pending();
    const other = openLibsql(join(onym.dir, "onym.db"), "rw");
    await other.exec("begin immediate");
    const calls = Array.from({ length: 20 }, () => callUnasked(onym.url, "mail_send"));
    // Recorded they are when the other one is done, like every call.
    await until(async () => {
      await new Promise(setImmediate);
      return onym.stderr().match(/a call waits for approval/g)?.length === 21;
    });
    await other.exec("rollback");
    other.close();
    const results = await Promise.all(calls);
    for (const result of results) expect(textOf(result)).toContain(`onym approve ${pending?.id}`);
  });

  it.each(["approved", "rejected"] as const)("waits, and is answered when it is %s", async (verdict) => {
    const onym = await start({ when: "wait", waitMs: 100_000 });
    const store = await storeOf(onym);
    const answered = callUnasked(onym.url, "mail_send", { nonce: "n" });
    await store.approvals.decide({ ...decisionFor(await firstPending(store)), verdict });
    const result = await answered;
    if (verdict === "approved") expect(result.structuredContent).toMatchObject({ nonce: "n" });
    else expect(textOf(result)).toContain("not allowed");
    expect(await receivedBy(stage, "mail")).toBe(verdict === "approved" ? 1 : 0);
  });

  it("waits no longer than it was told, and leaves the question", async () => {
    const onym = await start({ when: "wait", waitMs: 1 });
    expect(textOf(await callUnasked(onym.url, "mail_send"))).toContain("needs approval");
    expect(await (await storeOf(onym)).approvals.pending()).toHaveLength(1);
  });

  it("waits in vain when the tool changed meanwhile, until that one is approved", async () => {
    const onym = await start({ when: "wait", waitMs: 100_000 });
    const store = await storeOf(onym);
    const answered = callUnasked(onym.url, "mail_send", { nonce: "n" });
    const pending = await firstPending(store);
    await redefine(stage, `${onym.url}/openai`, SEND_TO_ALL);
    await store.approvals.decide(decisionFor(pending));
    const other = callUnasked(onym.url, "mail_send", { nonce: "m" });
    const next = await firstPending(store);
    expect(next).toMatchObject({ definition: digested(SEND_TO_ALL) });
    expect(await receivedBy(stage, "mail")).toBe(0);
    await store.approvals.decide(decisionFor(next));
    for (const result of await Promise.all([answered, other])) expect(result.isError).toBeUndefined();
  });

  it("waits in vain when the tool was withdrawn meanwhile, though it is approved", async () => {
    const onym = await start({ when: "wait", waitMs: 100_000 });
    const store = await storeOf(onym);
    const answered = callUnasked(onym.url, "mail_send");
    const pending = await firstPending(store);
    await offer(stage, `${onym.url}/openai`, [{ ...SEND, name: "send_later" }]);
    await store.approvals.decide(decisionFor(pending));
    expect(textOf(await answered)).toContain("its server no longer offers it");
    expect(await receivedBy(stage, "mail")).toBe(0);
  });

  it("is passed on once it is approved under a name that no server ever listed (RES-3)", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const policy = { ...ASK, ask: { when: "wait", waitMs: 100_000 } };
    const onym = await stage.start({
      config: { mcpServers: { mail }, policy, onUnknown: { passthrough: "mail" } },
    });
    const store = await storeOf(onym);
    const answered = callUnasked(onym.url, "secret_knock").catch(String);
    await store.approvals.decide(decisionFor(await firstPending(store)));
    await answered;
    expect(await receivedBy(stage, "mail", { raw: "secret_knock" })).toBe(1);
  });
});

describe("the end of an approval", () => {
  const approve = async (more: Partial<NewApproval> = {}) => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    await callUnasked(onym.url, "mail_send");
    const store = await storeOf(onym);
    const [pending] = await store.approvals.pending();
    const { id } = await store.approvals.decide({ ...decisionFor(pending), ...more });
    const runs = async () => (await callUnasked(onym.url, "mail_send")).isError !== true;
    return { onym, store, id, runs };
  };

  it("expiry: asks from then on, and not before", async () => {
    const expiresAt = Date.now() + 4_000;
    const { runs, onym } = await approve({ expiresAt });
    await until(runs);
    await until(async () => !(await runs()));
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(textOf(await callUnasked(onym.url, "mail_send"))).toContain("needs approval (expired)");
  });

  it("revoked by another process: asks", async () => {
    const { runs, store, id } = await approve();
    await until(runs);
    expect(await store.approvals.revoke(id, Date.now())).toBe(true);
    await until(async () => !(await runs()));
  });

  it("revoked at the command line: runs no call that begins once the command says so", async () => {
    const { onym, runs, store, id } = await approve();
    let last = id;
    for (let round = 0; round < 5; round += 1) {
      await until(runs);
      expect((await runCli(onym, "revoke", String(last))).code).toBe(0);
      const before = await receivedBy(stage, "mail");
      expect(await runs()).toBe(false);
      expect(await receivedBy(stage, "mail")).toBe(before);
      last = (await store.approvals.decide(decisionFor((await store.approvals.pending())[0]))).id;
    }
  });

  it("holds over a restart, and so does its end", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const setup = { dir: stage.folder, config: { mcpServers: { mail }, policy: ASK } };
    const first = await stage.start(setup);
    const client = await connectAskedRaw(`${first.url}/openai`, () => yes("always"));
    await client.call("mail_send");
    await first.stop();
    const second = await stage.start(setup);
    expect((await callUnasked(second.url, "mail_send")).isError).toBeUndefined();
    const store = await storeOf(second);
    const [approval] = await store.approvals.inForce(Date.now());
    expect(await store.approvals.revoke(approval?.id ?? 0, Date.now())).toBe(true);
    await second.stop();
    const third = await stage.start(setup);
    expect(textOf(await callUnasked(third.url, "mail_send"))).toContain("needs approval (undecided)");
  });
});

describe("a policy that changes while somebody is asked", () => {
  it("denies what the new one denies, whatever is answered then", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    const deny = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/send" }] };
    for (const [, connect] of ASKED_CLIENTS) {
      const client = await connect(`${onym.url}/openai`, async () => {
        await reloadConfig(onym, { mcpServers: { mail }, policy: deny });
        return yes("once");
      });
      const outcome = await client.call("mail_send").catch((error: unknown) => String(error));
      if (typeof outcome === "string") expect(outcome).toContain("Unknown tool");
      else expect(textOf(outcome)).toContain("needs approval");
      await client.close();
      await reloadConfig(onym, { mcpServers: { mail }, policy: ASK });
    }
    expect(await receivedBy(stage, "mail")).toBe(0);
  });
});
