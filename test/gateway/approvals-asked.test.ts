// Approvals that a client asks its user for, through a running gateway, in both eras (POL-3).

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { ASK, digested, offer, receivedBy, SEND, storeOf } from "./harness-approvals.js";
import { type Answerer, ASKED_CLIENTS, callUnasked, type Elicited, textOf, yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern } from "./harness-raw.js";

const TOOLS = Array.from({ length: 10 }, (_, at) => ({ ...SEND, name: `send_${at}` }));

describe.each(ASKED_CLIENTS)("asked through its client: %s (POL-3)", (kind, connect) => {
  let shared: Stage;
  let onym: RunningOnym;
  let taken = 0;
  beforeAll(async () => {
    shared = await createStage();
    const back = (era: "modern" | "legacy") =>
      shared.entry({
        label: era,
        tools: [SEND],
        eras: [era],
        behaviours: [{ tool: "send", ask: ["elicitation/create"] }],
      });
    const mail = shared.entry({ label: "mail", tools: TOOLS });
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
    expect(await decisionsOn(onym, raw)).toEqual([
      { decision: "approved", rule: "this call", sent: name, outcome: "by local (asked by its client)" },
      { decision: "approved", rule: "this call", sent: name, outcome: "by local (asked by its client)" },
    ]);
    expect(client.questions[0]).toContain(`Allow "mail@1/${raw}@1" on server "mail"?`);
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
    expect(await decisionsOn(onym, raw)).toEqual([
      {
        decision: "approved",
        rule: `approval ${approval?.id}`,
        sent: name,
        outcome: "by local (asked by its client)",
      },
    ]);
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
    expect(await receivedBy(shared, "mail", { raw })).toBe(0);
    const history = await (await storeOf(onym)).approvals.history();
    expect(history.filter(({ tool }) => tool.includes(raw))).toEqual([]);
    const decisions = (await decisionsOn(onym, raw)).map(({ decision, rule }) => `${decision} ${rule}`);
    const isAnswered = said === "not allowed";
    expect(decisions).toEqual(isAnswered ? ["rejected this call", "rejected this call"] : []);
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
      // The server's own question says whose it is (SAFE-6).
      expect(client.questions[1]).toMatch(new RegExp(`^The server "${server}" asks: `));
      await client.close();
    },
  );

  it("does not run what its server withdrew while its user was asked, whatever is answered", async () => {
    const { client, name, raw } = await open(async () => {
      const others = TOOLS.filter((tool) => tool.name !== raw);
      await offer(shared, `${onym.url}/openai`, others);
      return yes("always");
    });
    // A modern client says the name again with its answer, and hears that it is gone.
    const isModern = kind.endsWith("modern");
    const said = await client.call(name).then(textOf, String);
    expect(said).toContain(
      isModern
        ? `Unknown tool: ${name} (retired)`
        : `mail@1/${raw}@1 was not called: its server no longer offers it.`,
    );
    expect(await receivedBy(shared, "mail", { raw })).toBe(0);
    const records = await (await storeOf(onym)).audit.read({ limit: 1000 });
    const refused = expect.objectContaining({ kind: "refusal", sent: name, outcome: "gone" });
    if (!isModern) expect(records).toContainEqual(refused);
    await client.close();
  });
});

it("lets so many calls of one caller wait for its answer, as the config says (SAFE-5)", async () => {
  const stage = await createStage();
  const mail = stage.entry({ label: "mail", tools: [SEND] });
  const onym = await stage.start({
    config: { mcpServers: { mail }, policy: ASK, limits: { callerQuestions: 2 } },
  });
  const request = {
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name: "mail_send", arguments: {} },
    capabilities: { elicitation: {} },
  };
  for (const _ of [1, 2])
    expect((await askModern(request)).result).toMatchObject({ resultType: "input_required" });
  const third = await askModern(request);
  expect(third.result).toMatchObject({ resultType: "complete", isError: true });
  expect(third.text).toContain("onym approve");
  await stage.close();
});

it("lets calls that wait have so many bytes, and their answers come through (SAFE-5)", async () => {
  const stage = await createStage();
  const mail = stage.entry({ label: "mail", tools: [SEND] });
  const limits = { requestBytes: 20_000 };
  const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK, limits } });
  // The question of a call counts, too.
  const params = { name: "mail_send", arguments: { nonce: "x".repeat(18_000) } };
  const call = (more = {}) =>
    askModern({
      url: `${onym.url}/openai`,
      method: "tools/call",
      params: { ...params, ...more },
      capabilities: { elicitation: {} },
    });
  const waiting = [];
  for (let count = 0; count < 16; count += 1) waiting.push((await call()).result);
  expect(waiting.every((result) => result?.["resultType"] === "input_required")).toBe(true);
  expect((await call()).text).toContain("onym approve");
  const { requestState } = waiting[0] ?? {};
  const [key = ""] = Object.keys((waiting[0]?.["inputRequests"] ?? {}) as object);
  const answered = await call({ requestState, inputResponses: { [key]: yes("once") } });
  expect(answered.result?.["structuredContent"]).toMatchObject({ raw: "send" });
  expect((await call()).result).toMatchObject({ resultType: "input_required" });
  await stage.close();
});

it("without a store what was decided for good stands as long as the gateway runs (POL-3)", async () => {
  const stage = await createStage();
  const mail = stage.entry({ label: "mail", tools: [SEND] });
  const onym = await stage.start({ config: { mcpServers: { mail }, policy: ASK, store: "none" } });
  for (const [, connect] of ASKED_CLIENTS) {
    const client = await connect(`${onym.url}/openai`, () => yes("always"));
    for (const nonce of ["a", "b"])
      expect((await client.call("mail_send", { nonce })).structuredContent).toMatchObject({ nonce });
    expect(client.questions).toHaveLength(connect === ASKED_CLIENTS[0]?.[1] ? 1 : 0);
    await client.close();
  }
  expect(readdirSync(onym.dir).filter((name) => name.includes(".db"))).toEqual([]);
  await stage.close();
});

/** What is on record of what was decided about a tool (POL-4). */
async function decisionsOn(onym: RunningOnym, raw: string) {
  const records = await (await storeOf(onym)).audit.read({});
  return records
    .filter(({ kind, canonical }) => kind === "decision" && canonical === `mail@1/${raw}@1`)
    .map(({ decision, rule, sent, outcome }) => ({ decision, rule, sent, outcome }));
}
