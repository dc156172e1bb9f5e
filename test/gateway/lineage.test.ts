// A tool that is renamed before a running gateway (LOCK-5): it is the old one, for callers, approvals and counts.

import type { ToolKey } from "@onym/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import {
  ASK,
  decisionFor,
  firstPending,
  receivedBy,
  SEND,
  SEND_TO_ALL,
  storeOf,
  until,
} from "./harness-approvals.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { askModern, entriesIn } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const POST = { ...SEND, name: "post" };
const RENAMES = [{ from: "mail@1/send@1", to: "mail@1/post@1" }];

async function names({ url }: RunningOnym): Promise<readonly string[]> {
  const listed = await askModern({ url: `${url}/openai`, method: "tools/list" });
  return entriesIn(listed, "tools").map(({ name }) => String(name));
}

async function call({ url }: RunningOnym, name: string) {
  const { result, error } = await askModern({ url: `${url}/openai`, method: "tools/call", params: { name } });
  return { result, error, raw: (result?.["structuredContent"] as { raw?: string } | undefined)?.raw };
}

async function report(onym: RunningOnym, ...args: readonly string[]) {
  const { out, err } = await runCli(onym, ...args, "--json");
  expect(err).toBe("");
  return JSON.parse(out) as Readonly<Record<string, unknown>>;
}

/** The server changes its tools, and Onym has heard of it. */
async function offer(onym: RunningOnym, label: string, tools: readonly unknown[]): Promise<void> {
  const server = await stage.control.server(label);
  await server.direct({ do: "set", tools });
  const wanted = JSON.stringify(tools.map((tool) => (tool as typeof SEND).description));
  for (;;) {
    const listed = await askModern({ url: `${onym.url}/canonical`, method: "tools/list" });
    const entries = entriesIn(listed, "tools") as readonly { readonly description?: string; name: string }[];
    const isHeard = entries.every(({ name }) =>
      tools.some((tool) => name.includes((tool as typeof SEND).name)),
    );
    if (isHeard && JSON.stringify(entries.map(({ description }) => description)) === wanted) return;
  }
}

describe("a tool that is renamed, and declared so, in a running gateway", () => {
  it("keeps its name, its approval while its definition is the same, and what was counted (LOCK-5) (POL-2)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { mail: stage.entry({ label: "approved", tools: [SEND] }) },
        renames: RENAMES,
        policy: ASK,
      },
    });
    const store = await storeOf(onym);
    expect(await names(onym)).toEqual(["mail_send"]);
    await call(onym, "mail_send");
    const [pending] = await store.approvals.pending();
    await store.approvals.decide(decisionFor(pending));
    expect((await call(onym, "mail_send")).raw).toBe("send");

    await offer(onym, "approved", [POST]);
    expect(await names(onym)).toEqual(["mail_send"]);
    expect((await call(onym, "mail_send")).raw).toBe("post");
    expect(await store.approvals.pending()).toEqual([]);

    // Both at once ask, and show the difference from what was approved under the old name.
    await offer(onym, "approved", [{ ...SEND_TO_ALL, name: "post" }]);
    expect((await call(onym, "mail_send")).raw).toBeUndefined();
    const [changed] = await store.approvals.pending();
    expect(changed).toMatchObject({
      tool: '["namespaced","mail","post"]',
      canonical: "mail@1/post@1",
      before: { description: SEND.description },
      definition: { description: SEND_TO_ALL.description },
    });
    expect(await receivedBy(stage, "approved", { raw: "post" })).toBe(1);
    const { pending: waiting, decided } = await report(onym, "approvals");
    expect(waiting).toMatchObject([{ canonical: "mail@1/post@1", raw: "post" }]);
    expect(decided).toMatchObject([{ canonical: "mail@1/send@1", raw: "send", renamedTo: "mail@1/post@1" }]);

    // What is decided about the new one takes the place of what was decided about the old one.
    await report(onym, "approve", "mail_send", "--yes");
    expect((await call(onym, "mail_send")).raw).toBe("post");
    const decision = (await store.approvals.inForce(Date.now())).at(-1);
    await store.approvals.revoke(decision?.id ?? 0, Date.now());
    await offer(onym, "approved", [POST]);
    expect((await call(onym, "mail_send")).raw).toBeUndefined();
  });

  it("takes no approval against the rename: a server that goes back is asked about (LOCK-5) (POL-2)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { mail: stage.entry({ label: "went-back", tools: [POST] }) },
        renames: RENAMES,
        policy: ASK,
      },
    });
    const store = await storeOf(onym);
    await call(onym, "mail_post");
    await store.approvals.decide(decisionFor((await store.approvals.pending())[0]));
    expect((await call(onym, "mail_post")).raw).toBe("post");
    await offer(onym, "went-back", [SEND]);
    for (const name of ["mail@1/send@1", "mail_post"]) expect((await call(onym, name)).raw).toBeUndefined();
    expect(await store.approvals.pending()).toMatchObject([{ canonical: "mail@1/send@1" }]);
    expect(await receivedBy(stage, "went-back", { raw: "send" })).toBe(0);
    await offer(onym, "went-back", [POST]);
    expect((await call(onym, "mail_post")).raw).toBe("post");
  });

  it("is asked about again where nothing is declared (POL-2)", async () => {
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry({ label: "undeclared", tools: [SEND] }) }, policy: ASK },
    });
    const store = await storeOf(onym);
    await call(onym, "mail_send");
    await store.approvals.decide(decisionFor((await store.approvals.pending())[0]));
    await offer(onym, "undeclared", [POST]);
    expect(await names(onym)).toEqual(["mail_post"]);
    expect((await call(onym, "mail_post")).raw).toBeUndefined();
    expect(await store.approvals.pending()).toMatchObject([
      { canonical: "mail@1/post@1", before: undefined },
    ]);
  });

  it("is rejected under every name where it was rejected under the old one (LOCK-5) (POL-2)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { mail: stage.entry({ label: "rejected", tools: [SEND] }) },
        renames: RENAMES,
        policy: ASK,
      },
    });
    const store = await storeOf(onym);
    await call(onym, "mail_send");
    const decision = decisionFor((await store.approvals.pending())[0]);
    await store.approvals.decide({ ...decision, verdict: "rejected" });
    await offer(onym, "rejected", [{ ...SEND_TO_ALL, name: "post" }]);
    for (const name of ["mail_send", "mail@1/post@1"]) await call(onym, name);
    expect(await store.approvals.pending()).toEqual([]);
    expect(await receivedBy(stage, "rejected")).toBe(0);
  });

  it("is not new where it was known before (LOCK-5) (POL-1)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { mail: stage.entry({ label: "known", tools: [SEND] }) },
        renames: RENAMES,
        policy: { default: "allow", newTools: "deny" },
      },
    });
    expect(await names(onym)).toEqual(["mail_send"]);
    expect((await call(onym, "mail_send")).raw).toBe("send");
    await offer(onym, "known", [POST]);
    expect(await names(onym)).toEqual(["mail_send"]);
    expect((await call(onym, "mail_send")).raw).toBe("post");
    expect(await report(onym, "approvals")).toMatchObject({ new: [] });
    expect(onym.stderr()).not.toContain("new tool");
  });

  it("is counted on under the key that it had first (LOCK-5) (LOCK-2)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { mail: stage.entry({ label: "counted", tools: [SEND] }) },
        renames: [{ from: "mail_old", to: "mail@1/send@1" }, ...RENAMES],
      },
    });
    const store = await storeOf(onym);
    const counts = async () => (await store.usage.list()).map(({ name, tool, count }) => [name, tool, count]);
    expect((await call(onym, "mail_old")).raw).toBe("send");
    await expect.poll(counts).toEqual([["mail_old", '["namespaced","mail","send"]', 1]]);
    await offer(onym, "counted", [POST]);
    expect((await call(onym, "mail_old")).raw).toBe("post");
    await expect.poll(counts).toEqual([["mail_old", '["namespaced","mail","send"]', 2]]);
  });

  it("is told of in the log under the key that it had first (ID-10)", async () => {
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry({ label: "logged", tools: [SEND] }) }, renames: RENAMES },
    });
    expect(await names(onym)).toEqual(["mail_send"]);
    await offer(onym, "logged", [POST]);
    expect((await call(onym, "mail@1/send@1")).raw).toBe("post");
    const [, key = ""] = await onym.said(/a former name was called.* toolKey=("(?:[^"\\]|\\.)*")/);
    expect(JSON.parse(JSON.parse(key))).toEqual(["namespaced", "mail", "send"]);
  });

  it("is denied by a rule about its old name, also when the rename is only on record (LOCK-5) (POL-1)", async () => {
    const mcpServers = { mail: stage.entry({ label: "ruled", tools: [SEND] }) };
    const policy = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/send@1" }] };
    const onym = await stage.start({ config: { mcpServers, renames: RENAMES } });
    expect(await names(onym)).toEqual(["mail_send"]);
    await offer(onym, "ruled", [POST]);
    expect(await names(onym)).toEqual(["mail_send"]);
    await reloadConfig(onym, { mcpServers, policy });
    expect(await names(onym)).toEqual([]);
    expect((await call(onym, "mail_send")).error?.code).toBe(-32602);
  });
});

describe("a server that lists a former name again beside the new one", () => {
  const both = [POST, SEND];

  /** `send` became `post`, and the operator may since have taken the entry out. */
  async function renamed(label: string, policy: object) {
    const mcpServers = { mail: stage.entry({ label, tools: [SEND] }) };
    const onym = await stage.start({ config: { mcpServers, renames: RENAMES, policy } });
    expect(await names(onym)).toEqual(["mail_send"]);
    await offer(onym, label, [POST]);
    expect(await names(onym)).toEqual(["mail_send"]);
    return { onym, mcpServers, store: await storeOf(onym) };
  }

  it("moves no approval to a tool that nobody was shown, and takes none away (LOCK-5) (POL-2)", async () => {
    const { onym, store } = await renamed("again-approved", ASK);
    await call(onym, "mail@1/post@1");
    await store.approvals.decide(decisionFor((await store.approvals.pending())[0]));
    expect((await call(onym, "mail@1/post@1")).raw).toBe("post");

    await offer(onym, "again-approved", both);
    expect((await call(onym, "mail@1/post@1")).raw).toBe("post");
    expect((await call(onym, "mail@1/send@1")).raw).toBeUndefined();
    expect(await store.approvals.pending()).toMatchObject([{ canonical: "mail@1/send@1" }]);
    expect(await receivedBy(stage, "again-approved", { raw: "send" })).toBe(0);

    // An approval of the one that is listed again does not reach the other either.
    await report(onym, "approve", "mail@1/send@1", "--yes");
    expect((await call(onym, "mail@1/send@1")).raw).toBe("send");
    const { decided } = await report(onym, "approvals");
    expect(decided).toMatchObject([{ canonical: "mail@1/post@1" }, { canonical: "mail@1/send@1" }]);
    const [ofPost] = await store.approvals.inForce(Date.now());
    await report(onym, "revoke", String(ofPost?.id));
    expect((await call(onym, "mail@1/post@1")).raw).toBeUndefined();
    expect((await call(onym, "mail@1/send@1")).raw).toBe("send");
  });

  it("moves no approval to a call that waited meanwhile (LOCK-5) (POL-3)", async () => {
    const policy = { ...ASK, ask: { when: "wait", waitMs: 100_000 } };
    const { onym, store } = await renamed("again-waits", policy);
    const waiting = call(onym, "mail@1/post@1");
    const ofPost = await firstPending(store);
    await offer(onym, "again-waits", both);
    const other = call(onym, "mail@1/send@1");
    await until(async () => (await store.approvals.pending()).length === 2);
    await store.approvals.decide(decisionFor((await store.approvals.pending())[1]));
    expect((await other).raw).toBe("send");
    await store.approvals.decide({ ...decisionFor(ofPost), verdict: "rejected" });
    expect((await waiting).raw).toBeUndefined();
    expect(await receivedBy(stage, "again-waits", { raw: "post" })).toBe(0);
  });

  it("sheds no rejection, of whichever of them (LOCK-5) (POL-2)", async () => {
    const { onym, store } = await renamed("again-rejected", ASK);
    await call(onym, "mail@1/post@1");
    const decision = decisionFor((await store.approvals.pending())[0]);
    await store.approvals.decide({ ...decision, verdict: "rejected" });
    await offer(onym, "again-rejected", both);
    for (const name of ["mail@1/post@1", "mail@1/send@1"]) await call(onym, name);
    expect(await store.approvals.pending()).toEqual([]);
    expect(await receivedBy(stage, "again-rejected")).toBe(0);
  });

  it("asks about both where a decision of before may be about either (LOCK-5) (POL-2)", async () => {
    const { onym, store } = await renamed("again-before", ASK);
    await call(onym, "mail@1/post@1");
    const decision = decisionFor((await store.approvals.pending())[0]);
    const tool = JSON.stringify(["namespaced", "mail", "send"]) as typeof decision.tool;
    await store.approvals.decide({ ...decision, tool, isOfLine: true });
    expect((await call(onym, "mail@1/post@1")).raw).toBe("post");
    await offer(onym, "again-before", both);
    for (const name of ["mail@1/post@1", "mail@1/send@1"])
      expect((await call(onym, name)).raw).toBeUndefined();
    expect(await receivedBy(stage, "again-before")).toBe(1);
  });

  it("sheds no rule about the old name, also when the rename is only on record (LOCK-5) (POL-1)", async () => {
    const { onym, mcpServers } = await renamed("again-ruled", { default: "allow" });
    const policy = { default: "allow", rules: [{ effect: "deny", tool: "mail@1/send" }] };
    await reloadConfig(onym, { mcpServers, policy });
    expect(await names(onym)).toEqual([]);
    const server = await stage.control.server("again-ruled");
    await server.direct({ do: "set", tools: [...both, { ...SEND, name: "read" }] });
    await expect.poll(() => names(onym)).toEqual(["mail_read"]);
    for (const name of ["mail@1/post@1", "mail@1/send@1"])
      expect((await call(onym, name)).error?.code).toBe(-32602);
    expect(await receivedBy(stage, "again-ruled")).toBe(0);
  });
});

describe("a server with another id, and declared so", () => {
  it("is denied by a rule about its old id, with tools that it never had before (LOCK-5) (POL-1)", async () => {
    const entry = stage.entry({ label: "moved-ruled", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail: entry } } });
    expect(await names(onym)).toEqual(["mail_send"]);
    await reloadConfig(onym, { mcpServers: { post: { ...entry, formerly: "mail" } } });
    expect(await names(onym)).toEqual(["mail_send"]);
    const docs = stage.entry({ label: "moved-beside", tools: [{ ...SEND, name: "read" }] });
    const policy = { default: "allow", rules: [{ effect: "deny", server: "mail" }] };
    await reloadConfig(onym, { mcpServers: { post: entry, docs }, policy });
    await expect.poll(() => names(onym)).toEqual(["docs_read"]);
    const server = await stage.control.server("moved-ruled");
    await server.direct({ do: "set", tools: [{ ...SEND, name: "fresh" }] });
    await server.direct({ do: "awaitReceived", method: "tools/list", count: 2 });
    expect(await names(onym)).toEqual(["docs_read"]);
    expect((await call(onym, "post@1/fresh@1")).error?.code).toBe(-32602);
    expect(await receivedBy(stage, "moved-ruled")).toBe(0);
  });

  it.each(["deny", "ask"])(
    "is held by %s rules about names under its old id, with tools and prompts that it never had before (LOCK-5) (POL-1)",
    async (effect) => {
      const label = `moved-named-${effect}`;
      const entry = stage.entry({ label, tools: [SEND], prompts: [{ name: "brief" }] });
      const rules = [
        { effect, tool: "mail@1/wipe_*" },
        { effect, prompt: "mail@1/*" },
      ];
      const policy = { default: "allow", rules, ask: { when: "fail" } };
      const onym = await stage.start({ config: { mcpServers: { mail: entry }, policy } });
      expect(await names(onym)).toEqual(["mail_send"]);
      await reloadConfig(onym, { mcpServers: { post: { ...entry, formerly: "mail" } }, policy });
      await expect.poll(async () => (await call(onym, "post@1/send@1")).raw).toBe("send");
      const server = await stage.control.server(label);
      await server.direct({
        do: "set",
        tools: [
          { ...SEND, name: "wipe_all" },
          { ...SEND, name: "read" },
        ],
      });
      const listed = effect === "deny" ? ["post_read"] : ["post_read", "post_wipe_all"];
      await expect.poll(() => names(onym)).toEqual(listed);
      for (const name of ["post@1/wipe_all@1", "mail@1/wipe_all@1", "post_wipe_all", "wipe_all"])
        expect((await call(onym, name)).raw).toBeUndefined();
      expect((await call(onym, "post_read")).raw).toBe("read");
      expect(await receivedBy(stage, label)).toBe(2);
      for (const name of ["post_brief", "mail_brief", "post@1/brief@1"]) {
        const got = await askModern({ url: `${onym.url}/openai`, method: "prompts/get", params: { name } });
        expect(got.result).toBeUndefined();
      }
      const { out } = await runCli(onym, "policy", "test", "post@1/wipe_all@1", "--json");
      expect(JSON.parse(out)).toMatchObject({
        effect,
        rule: "rules[0]",
        matches: [{ former: "mail@1/wipe_all@1" }],
      });
      const item = await runCli(
        onym,
        "policy",
        "test",
        "brief",
        "--kind",
        "prompt",
        "--server",
        "post",
        "--json",
      );
      expect(JSON.parse(item.out)).toMatchObject({ effect, rule: "rules[1]" });
    },
  );

  it("sheds no rejection from before its names were on record (LOCK-5) (POL-1)", async () => {
    const prompts = [{ name: "brief" }];
    const resources = [{ name: "a", uri: "note:///a" }];
    const entry = stage.entry({ label: "moved-rejected", tools: [SEND], prompts, resources });
    const onym = await stage.start({
      config: { mcpServers: { post: { ...entry, formerly: "mail" } }, policy: { default: "allow" } },
    });
    expect(await names(onym)).toEqual(["post_send"]);
    const store = await storeOf(onym);
    const isAnswered = async (method: string, params: Readonly<Record<string, unknown>>) => {
      const { result } = await askModern({ url: `${onym.url}/openai`, method, params });
      return result !== undefined && result["isError"] !== true;
    };
    const requests = [
      ["tools/call", { name: "post_send" }],
      ["prompts/get", { name: "post_brief" }],
      ["resources/read", { uri: "note:///a" }],
    ] as const;
    for (const [method, params] of requests) expect(await isAnswered(method, params)).toBe(true);
    for (const key of [
      ["namespaced", "mail", "send"],
      ["prompt", "", "mail", "brief"],
      ["resource", "", "mail", "note:///a"],
    ])
      await store.approvals.decide({
        ...{ verdict: "rejected", principal: "local", launch: "", digest: "", definition: {} },
        ...{ tool: JSON.stringify(key) as ToolKey, decidedAt: Date.now(), decidedBy: "an operator" },
        expiresAt: undefined,
      });
    for (const [method, params] of requests) await expect.poll(() => isAnswered(method, params)).toBe(false);
  });

  it("has the names and approvals of its tools (LOCK-5) (POL-2)", async () => {
    const entry = stage.entry({ label: "moved", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail: entry }, policy: ASK } });
    const store = await storeOf(onym);
    expect(await names(onym)).toEqual(["mail_send"]);
    await call(onym, "mail_send");
    await store.approvals.decide(decisionFor((await store.approvals.pending())[0]));
    await reloadConfig(onym, { mcpServers: { post: { ...entry, formerly: "mail" } }, policy: ASK });
    expect(await names(onym)).toEqual(["mail_send"]);
    expect((await call(onym, "mail_send")).raw).toBe("send");
    expect((await call(onym, "mail@1/send@1")).raw).toBe("send");
    // On record from now on.
    await reloadConfig(onym, { mcpServers: { post: entry }, policy: ASK });
    expect(await names(onym)).toEqual(["mail_send"]);
    expect((await call(onym, "mail_send")).raw).toBe("send");
    expect(await store.approvals.pending()).toEqual([]);
  });
});
