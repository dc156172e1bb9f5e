// Approvals through a running gateway: asked by elicitation in both eras, bound to what a tool is, and effective at once
// (POL-2, POL-3).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import type { NewApproval, PendingApproval, Store } from "../../packages/onym/src/store/store.js";
import type { RunningOnym } from "./harness.js";
import {
  type Answerer,
  ASKED_CLIENTS,
  callUnasked,
  connectAskedRaw,
  type Elicited,
  textOf,
  yes,
} from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { listenModern } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
let stores: Store[];
beforeEach(async () => {
  stage = await createStage();
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await stage.close();
});

const ASK = { default: "ask" };
const SEND = {
  name: "send",
  description: "Sends a mail",
  inputSchema: { type: "object", properties: { nonce: { type: "string" } } },
};
const SEND_TO_ALL = { ...SEND, description: "Sends a mail to all" };

describe.each(ASKED_CLIENTS)("asked through its client: %s (POL-3)", (_, connect) => {
  let shared: Stage;
  let onym: RunningOnym;
  let taken = 0;
  beforeAll(async () => {
    shared = await createStage();
    const tools = Array.from({ length: 10 }, (_, at) => ({ ...SEND, name: `send_${at}` }));
    const back = (era: "modern" | "legacy") =>
      shared.entry({
        label: era,
        tools: [SEND],
        eras: [era],
        behaviours: [{ tool: "send", ask: ["elicitation/create"] }],
      });
    const mail = shared.entry({ label: "mail", tools });
    const mcpServers = { mail, modern: back("modern"), legacy: back("legacy") };
    onym = await shared.start({ config: { mcpServers, policy: ASK } });
  });
  afterAll(() => shared.close());

  /** A client, and a tool that nobody was asked about yet. */
  const open = async (answer: Answerer) => {
    const raw = `send_${taken++}`;
    return { raw, name: `mail_${raw}`, client: await connect(`${onym.url}/openai`, answer) };
  };

  it("once: runs this call, and asks about the next", async () => {
    const { client, name, raw } = await open(() => yes("once"));
    for (const nonce of ["a", "b"])
      expect((await client.call(name, { nonce })).structuredContent).toMatchObject({ nonce });
    expect(client.questions).toHaveLength(2);
    expect(client.questions[0]).toContain(`Allow mail@1/${raw}@1 on server mail?`);
    expect(client.questions[0]).toContain("Sends a mail");
    await client.close();
  });

  it("always: asks nobody again, and keeps the digest that was shown", async () => {
    const { client, name, raw } = await open(() => yes("always"));
    for (const nonce of ["a", "b", "c"])
      expect((await client.call(name, { nonce })).structuredContent).toMatchObject({ nonce });
    expect(client.questions).toHaveLength(1);
    // Nor a client that could not be asked.
    expect((await callUnasked(onym.url, `mail@1/${raw}@1`)).structuredContent).toMatchObject({ raw });
    const [approval] = await (await storeOf(onym)).approvals.inForce(Date.now());
    expect(approval).toMatchObject({ verdict: "approved", principal: "local", definition: digested(SEND) });
    expect(client.questions[0]).toContain(`Definition ${approval?.digest.slice(0, 12)}.`);
    await client.close();
  });

  it.each<readonly [string, Elicited, string]>([
    ["deny", yes("deny"), "not allowed"],
    ["declined", { action: "decline" }, "not allowed"],
    ["dismissed", { action: "cancel" }, "needs approval"],
    ["accepted without a decision", { action: "accept", content: {} }, "needs approval"],
  ])("%s: does not run, and asks again the next time", async (_case, answer, said) => {
    const { client, name, raw } = await open(() => answer);
    for (const count of [1, 2]) {
      const result = await client.call(name);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(said);
      expect(client.questions).toHaveLength(count);
    }
    expect(await receivedBy("mail", { on: shared, raw })).toBe(0);
    const history = await (await storeOf(onym)).approvals.history();
    expect(history.filter(({ tool }) => tool.includes(raw))).toEqual([]);
    await client.close();
  });

  it.each([["modern"], ["legacy"]])(
    "a call approved once that asks back is one call, not asked about twice: %s server",
    async (server) => {
      const { client } = await open((message) =>
        message.startsWith("Allow") ? yes("once") : { action: "accept", content: { name: "Ann" } },
      );
      for (const nonce of ["a", "b"]) {
        const { structuredContent } = await client.call(`${server}_send`, { nonce });
        expect(structuredContent).toMatchObject({ nonce, answers: [{ content: { name: "Ann" } }] });
      }
      const isApproval = client.questions.map((question) => question.startsWith("Allow"));
      expect(isApproval).toEqual([true, false, true, false]);
      await client.close();
    },
  );
});

describe("renamed × definition changed (POL-2)", () => {
  it("keeps the approval in a pure rename; asks with the difference when the definition changed, or both", async () => {
    const entry = stage.entry({ label: "mail", tools: [SEND] });
    const config = (more: object, rest: object = {}) => ({
      mcpServers: { mail: { ...entry, ...more } },
      policy: ASK,
      ...rest,
    });
    const renamed = config(
      { integration: "post", alias: "letters", version: 2 },
      {
        renames: [{ from: "mail@1/send@1", to: "post@2/send@1" }],
        naming: { pins: { mail_it: "post@2/send@1" } },
      },
    );
    const onym = await stage.start({ config: config({}) });
    const url = `${onym.url}/openai`;
    let answer = yes("always");
    const client = await connectAskedRaw(url, () => answer);
    await client.call("mail_send");
    expect(client.questions).toHaveLength(1);
    answer = { action: "cancel" };

    await reloadConfig(onym, renamed);
    for (const name of ["mail_it", "letters_send", "post@2/send@1", "mail@1/send@1"])
      expect((await client.call(name, { nonce: name })).structuredContent, name).toMatchObject({
        nonce: name,
      });
    expect(client.questions).toHaveLength(1);

    await redefine(url, SEND_TO_ALL);
    expect((await client.call("mail_it")).isError).toBe(true);
    expect(client.questions[1]).toContain('changed $.description: "Sends a mail" → "Sends a mail to all"');
    await reloadConfig(onym, config({}));
    expect((await client.call("mail_send")).isError).toBe(true);
    expect(client.questions[2]).toContain('changed $.description: "Sends a mail" → "Sends a mail to all"');
    // Who cannot be asked leaves the question, with what was approved before.
    expect(textOf(await callUnasked(url, "mail_send"))).toContain(
      "changed since it was approved: its definition",
    );
    const [pending] = await (await storeOf(onym)).approvals.pending();
    expect(pending).toMatchObject({ definition: digested(SEND_TO_ALL), before: digested(SEND) });

    await redefine(url, SEND);
    expect((await client.call("mail_send")).structuredContent).toMatchObject({ raw: "send" });
    expect(client.questions).toHaveLength(3);
  });

  it("asks when the server is started in another way", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    let answer = yes("always");
    const client = await connectAskedRaw(`${onym.url}/openai`, () => answer);
    await client.call("mail_send");
    answer = { action: "cancel" };
    await reloadConfig(onym, { mcpServers: { mail: { ...mail, env: { OTHER: "1" } } }, policy: ASK });
    expect((await client.call("mail_send")).isError).toBe(true);
    expect(client.questions[1]).toContain("its server is started or reached in another way");
    expect(await receivedBy("mail")).toBe(0);
    await reloadConfig(onym, { mcpServers: { mail }, policy: ASK });
    expect((await client.call("mail_send")).isError).toBeUndefined();
  });

  it("does not run what changed while its user was asked: the answer is for what was shown (POL-3)", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK } });
    const url = `${onym.url}/openai`;
    const client = await connectAskedRaw(url, async () => {
      await redefine(url, SEND_TO_ALL);
      return yes("always");
    });
    const result = await client.call("mail_send");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("changed");
    expect(await receivedBy("mail")).toBe(0);
  });
});

describe("an approval of send on one server (POL-2)", () => {
  it("reaches no other: by no spelling, alias, version, or registration under its name with another command", async () => {
    const mail = stage.entry({ label: "mail", tools: [SEND] });
    const other = stage.entry({ label: "other", tools: [SEND] });
    const third = stage.entry({ label: "third", tools: [SEND] });
    const config = (mcpServers: object, rest: object = {}) => ({ mcpServers, policy: ASK, ...rest });
    const onym = await stage.start({ config: config({ mail, other }) });
    const url = `${onym.url}/openai`;
    const client = await connectAskedRaw(url, () => yes("always"));
    await client.call("mail_send");
    const isAsked = async (...names: readonly unknown[]) => {
      for (const name of names) {
        const result = await callUnasked(url, name);
        expect(textOf(result), JSON.stringify(name)).toContain("needs approval");
      }
    };
    await isAsked("other_send", "other@1/send@1", "other/send", "other%401%2Fsend%401", "OTHER@1/SEND@1");
    await isAsked("mcp__onym__other_send", "other.send", "mcp__other__send", {
      server: "other",
      name: "send",
    });

    await reloadConfig(
      onym,
      config({ mail, other: { ...other, integration: "mail", version: 2, alias: "post" } }),
    );
    await isAsked("mail@2/send@1", "mail@latest/send@1", "mail_send_2", { server: "other", name: "send" });

    // The first server is gone, and another answers to everything that it was called by.
    const renames = [{ from: "mail@1/send@1", to: "third@1/send@1" }];
    await reloadConfig(
      onym,
      config({ other, third }, { renames, naming: { aliases: { third: "mail-old" } } }),
    );
    await isAsked("mail@1/send@1", "third@1/send@1", "third_send");
    await reloadConfig(onym, config({ letters: { ...other, integration: "mail" } }));
    await isAsked("mail@1/send@1", { server: "letters", name: "send" });
    await reloadConfig(onym, config({ mail: other }));
    await isAsked("mail@1/send@1", "mail_send", { server: "mail", name: "send" });
    for (const label of ["other", "third"]) expect(stage.starts(label)).toBeGreaterThan(0);
    expect(await receivedBy("other")).toBe(0);

    await reloadConfig(onym, config({ mail }));
    expect((await callUnasked(url, "mail_send")).structuredContent).toMatchObject({ server: "mail" });
  });
});

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
    expect(await receivedBy("mail")).toBe(0);
    await store.approvals.decide(decisionFor(pending));
    await until(async () => (await callUnasked(onym.url, "mail_send")).isError !== true);
    expect(await store.approvals.pending()).toEqual([]);
  });

  it.each(["approved", "rejected"] as const)("waits, and is answered when it is %s", async (verdict) => {
    const onym = await start({ when: "wait", waitMs: 100_000 });
    const store = await storeOf(onym);
    const answered = callUnasked(onym.url, "mail_send", { nonce: "n" });
    await store.approvals.decide({ ...decisionFor(await firstPending(store)), verdict });
    const result = await answered;
    if (verdict === "approved") expect(result.structuredContent).toMatchObject({ nonce: "n" });
    else expect(textOf(result)).toContain("not allowed");
    expect(await receivedBy("mail")).toBe(verdict === "approved" ? 1 : 0);
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
    await redefine(`${onym.url}/openai`, SEND_TO_ALL);
    await store.approvals.decide(decisionFor(pending));
    const other = callUnasked(onym.url, "mail_send", { nonce: "m" });
    const next = await firstPending(store);
    expect(next).toMatchObject({ definition: digested(SEND_TO_ALL) });
    expect(await receivedBy("mail")).toBe(0);
    await store.approvals.decide(decisionFor(next));
    for (const result of await Promise.all([answered, other])) expect(result.isError).toBeUndefined();
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
    expect(await receivedBy("mail")).toBe(0);
  });
});

async function storeOf({ dir }: RunningOnym): Promise<Store> {
  const store = await openStore({ location: "onym.db", folder: dir });
  stores.push(store);
  return store;
}

/** How many calls the server of a label got, of one tool or of all. */
async function receivedBy(
  label: string,
  { on = stage, raw }: { readonly on?: Stage; readonly raw?: string } = {},
): Promise<number> {
  const server = await on.control.server(label);
  const { received } = await server.direct({ do: "received" });
  const messages = received as readonly { readonly method?: string; readonly params?: { name?: string } }[];
  return messages.filter(
    ({ method, params }) => method === "tools/call" && (raw === undefined || params?.name === raw),
  ).length;
}

function decisionFor(pending: PendingApproval | undefined): NewApproval {
  if (pending === undefined) throw new Error("nothing waits for a decision");
  const { principal, tool, launch, digest, definition } = pending;
  const decided = { decidedAt: Date.now(), decidedBy: "an operator", expiresAt: undefined };
  return { verdict: "approved", principal, tool, launch, digest, definition, ...decided };
}

/** What of a tool an approval is about. */
function digested({ name: _, ...definition }: typeof SEND): object {
  return definition;
}

/** Resolves with the first question that is left for an operator. */
function firstPending(store: Store): Promise<PendingApproval> {
  return new Promise((resolve, reject) => {
    const look = () =>
      store.approvals.pending().then(([first]) => {
        if (first === undefined) return;
        stop();
        resolve(first);
      }, reject);
    const stop = store.watch(() => void look());
    void look();
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

/** Gives the tool of the server another definition, and waits until the gateway knows. */
async function redefine(url: string, tool: typeof SEND): Promise<void> {
  const listening = await listenModern(url, { toolsListChanged: true });
  const server = await stage.control.server("mail");
  await server.direct({ do: "set", tools: [tool] });
  await listening.reach("notifications/tools/list_changed", 1);
  listening.close();
}
