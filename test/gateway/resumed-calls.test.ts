// A call that waits for its client goes on only as the call it was: of the same tool, as it was, and while policy lets its caller
// call that (POL-3, SAFE-6).

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { ASK, redefine, SEND, SEND_TO_ALL, storeOf } from "./harness-approvals.js";
import { ASKED_CLIENTS, yes } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV2 } from "./harness-clients.js";
import { askModern, type RawAnswer } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

type Params = Readonly<Record<string, unknown>>;
const ALLOW = { default: "allow", rules: [] };
const UNKNOWN_STATE = "requestState belongs to no call";
const accepted = { action: "accept", content: { name: "Ann" } };

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

/** A legacy server whose tools ask the client's user before they answer. */
function asking(label: string, tools: readonly unknown[] = ["run"]) {
  return stage.entry({ label, tools, eras: ["legacy"], behaviours: [{ ask: ["elicitation/create"] }] });
}

function call(url: string, params: Params): Promise<RawAnswer> {
  const { name } = params;
  const headers = typeof name === "object" ? { "mcp-name": (name as { name: string }).name } : {};
  const capabilities = { elicitation: { form: {} } };
  return askModern({ url, method: "tools/call", params, headers, capabilities });
}

/** What answers every question of a reply. */
function answerTo({ result, text }: RawAnswer, answer: object = accepted): Params {
  expect(result?.["resultType"], text).toBe("input_required");
  const keys = Object.keys(result?.["inputRequests"] as object);
  return {
    requestState: result?.["requestState"],
    inputResponses: Object.fromEntries(keys.map((key) => [key, answer])),
  };
}

/** What a server got as answers to its questions. */
async function answersOf(label: string): Promise<readonly unknown[]> {
  const server = await stage.control.server(label);
  const { received } = await server.direct({ do: "received" });
  return (received as readonly Params[]).flatMap(({ method, result }) =>
    method === undefined && result !== undefined ? [result] : [],
  );
}

async function untilCancelled(label: string): Promise<void> {
  const server = await stage.control.server(label);
  await server.direct({ do: "awaitReceived", method: "notifications/cancelled" });
}

/** What is on record after the first call, oldest first. */
async function recorded(onym: RunningOnym) {
  const records = await (await storeOf(onym)).audit.read({ limit: 1000 });
  return records.map(({ kind, canonical, decision, outcome }) => ({ kind, canonical, decision, outcome }));
}

describe("a call that waits for its client", () => {
  const use = (server: string): Params => ({ name: "use_tool", arguments: { server, name: "run" } });
  it.each<readonly [string, (of: "one" | "two") => Params]>([
    ["_meta.source_server", (of) => ({ name: "run", arguments: {}, _meta: { source_server: of } })],
    ["a name in parts", (of) => ({ name: { server: of, name: "run" }, arguments: {} })],
    ["use_tool", use],
  ])("goes on as no other tool: %s", async (_how, paramsOf) => {
    const mcpServers = { one: asking("one"), two: asking("two") };
    const onym = await stage.start({ config: { mcpServers, mode: "proxy", policy: ALLOW } });
    const answer = answerTo(await call(onym.url, paramsOf("one")));
    const other = await call(onym.url, { ...paramsOf("two"), ...answer });
    expect(other.text).toContain(UNKNOWN_STATE);
    expect(await answersOf("one")).toEqual([]);
    // It still waits for whose it is.
    const same = await call(onym.url, { ...paramsOf("one"), ...answer });
    expect(same.result?.["structuredContent"]).toMatchObject({ server: "one", answers: [accepted] });
    expect(await answersOf("two")).toEqual([]);
    await expect
      .poll(async () => (await recorded(onym)).filter(({ kind }) => kind === "outcome"))
      .toEqual([
        expect.objectContaining({ canonical: "one@1/run@1", outcome: "input required" }),
        expect.objectContaining({ canonical: "two@1/run@1", outcome: "error -32602" }),
        expect.objectContaining({ canonical: "one@1/run@1", outcome: "result" }),
      ]);
    await onym.stop();
  });

  it("goes on by every name of its tool, and by none of another one", async () => {
    const mcpServers = { docs: asking("docs", ["pay", "pay_all"]) };
    const onym = await stage.start({ config: { mcpServers, policy: ALLOW } });
    const names = ["docs_pay", "docs@1/pay@1", "docs.pay", "mcp__docs__pay", { server: "docs", name: "pay" }];
    for (const name of names) {
      const answer = answerTo(await call(onym.url, { name: "docs_pay", arguments: { n: 1 } }));
      for (const other of [
        { name: "docs_pay_all", arguments: { n: 1 } },
        { name, arguments: { n: 2 } },
      ])
        expect((await call(onym.url, { ...other, ...answer })).text).toContain(UNKNOWN_STATE);
      const resumed = await call(onym.url, { name, arguments: { n: 1 }, ...answer });
      expect(resumed.result?.["structuredContent"]).toMatchObject({ raw: "pay", answers: [accepted] });
    }
    await onym.stop();
  });

  it("goes on as no other tool where an alias or a profile gives its name another meaning", async () => {
    const mcpServers = { one: asking("one", ["two_run"]), two: asking("two") };
    const onym = await stage.start({ config: { mcpServers, policy: ALLOW } });
    const name = "mcp__one__two_run";
    const answer = answerTo(await call(`${onym.url}/claude-code`, { name, arguments: {} }));
    const url = `${onym.url}/claude-code?as=one`;
    const other = await call(url, { name, arguments: {}, ...answer });
    expect(other.error?.message).toContain("Ambiguous tool");
    expect(await answersOf("one")).toEqual([]);
    // The same tool by the same name at another path is the same call.
    const same = await call(`${onym.url}/cursor`, { name, arguments: {}, ...answer });
    expect(same.result?.["structuredContent"]).toMatchObject({ server: "one", answers: [accepted] });
    await onym.stop();
  });

  it.each([
    ["its server", { effect: "deny", server: "one" }],
    ["its tool", { effect: "deny", tool: "one@1/run" }],
    ["its tool, with an approval", { effect: "ask", tool: "one@1/run" }],
  ])("is ended when a reload denies %s", async (_what, rule) => {
    const mcpServers = { one: asking("one", ["run", "other"]), two: asking("two") };
    const config = (rules: readonly object[]) => ({
      mcpServers,
      policy: { default: "allow", rules, ask: { when: "fail" } },
    });
    const onym = await stage.start({ config: config([]) });
    const of = (server: string) => ({ name: "run", arguments: {}, _meta: { source_server: server } });
    const answer = answerTo(await call(onym.url, of("one")));
    await reloadConfig(onym, config([rule]));
    await untilCancelled("one");
    const later = await call(onym.url, { ...of("two"), ...answer });
    expect(later.error?.message).toContain(UNKNOWN_STATE);
    const same = await call(onym.url, { ...of("one"), ...answer });
    if (rule.effect === "deny") expect(same.error?.message).toContain("Unknown tool: run");
    else expect(same.result).toMatchObject({ resultType: "input_required" });
    expect(await answersOf("one")).toEqual([]);
    if (rule.effect === "deny")
      await expect
        .poll(() => recorded(onym))
        .toContainEqual({ kind: "refusal", canonical: "one@1/run@1", decision: "deny", outcome: "policy" });
    await onym.stop();
  });

  it.each(["legacy", "modern"] as const)(
    "passes no answer of a client with a session on once a reload denies it: %s server",
    async (era) => {
      const label = `answered-${era}`;
      const behaviours = [{ ask: ["elicitation/create" as const] }];
      const mcpServers = { one: stage.entry({ label, tools: ["run"], eras: [era], behaviours }) };
      const deny = { default: "allow", rules: [{ effect: "deny", server: "one" }] };
      const onym = await stage.start({ config: { mcpServers, policy: ALLOW } });
      const [[, connect] = []] = ASKED_CLIENTS;
      const client = await connect?.(onym.url, async () => {
        await reloadConfig(onym, { mcpServers, policy: deny });
        return { action: "accept", content: { name: "Ann" } };
      });
      const ended = await client?.call("one_run").then(JSON.stringify, String);
      expect(client?.questions).toHaveLength(1);
      expect(ended).not.toContain("Ann");
      const { received } = await (await stage.control.server(label)).direct({ do: "received" });
      expect(JSON.stringify(received)).not.toContain("Ann");
      await client?.close();
      await onym.stop();
    },
  );

  it("is ended when its approval is revoked", async () => {
    const onym = await stage.start({ config: { mcpServers: { mail: asking("mail", [SEND]) }, policy: ASK } });
    const params = { name: "mail_send", arguments: {} };
    const approved = answerTo(await call(onym.url, params), yes("always"));
    const first = answerTo(await call(onym.url, { ...params, ...approved }));
    expect((await call(onym.url, { ...params, ...first })).result?.["resultType"]).toBe("complete");
    const answer = answerTo(await call(onym.url, params));
    const { approvals } = await storeOf(onym);
    const [approval] = await approvals.inForce(Date.now());
    await approvals.revoke(approval?.id ?? 0, Date.now());
    await untilCancelled("mail");
    // Somebody is asked again, and then there is no call to go on with.
    const again = answerTo(await call(onym.url, { ...params, ...answer }), yes("once"));
    expect((await call(onym.url, { ...params, ...again })).text).toContain(UNKNOWN_STATE);
    expect(await answersOf("mail")).toEqual([accepted]);
    await onym.stop();
  });

  it("is ended when its tool has changed", async () => {
    const onym = await stage.start({ config: { mcpServers: { mail: asking("mail", [SEND]) } } });
    const params = { name: "mail_send", arguments: {} };
    const answer = answerTo(await call(onym.url, params));
    await redefine(stage, onym.url, SEND_TO_ALL);
    await untilCancelled("mail");
    expect((await call(onym.url, { ...params, ...answer })).text).toContain(UNKNOWN_STATE);
    expect(await answersOf("mail")).toEqual([]);
    await onym.stop();
  });

  it("is ended when its server is started in another way", async () => {
    const entry = asking("moved");
    const onym = await stage.start({ config: { mcpServers: { moved: entry } } });
    const params = { name: "moved_run", arguments: {} };
    const before = await stage.control.server("moved");
    const answer = answerTo(await call(onym.url, params));
    await reloadConfig(onym, { mcpServers: { moved: { ...entry, env: { ANOTHER: "1" } } } });
    // It ends without waiting for the answer.
    await before.gone;
    expect((await call(onym.url, { ...params, ...answer })).text).toContain(UNKNOWN_STATE);
    expect(await answersOf("moved")).toEqual([]);
    await onym.stop();
  });
});

describe("a call whose client is asked in a session", () => {
  interface Loss {
    readonly onym: RunningOnym;
    readonly label: string;
    readonly config: { readonly mcpServers: { readonly mail: object }; readonly policy: object };
  }
  const bearer = { authorization: "Bearer ann-token" };
  const auth = {
    tokens: ["ann", "eve"].map((name) => ({
      name,
      hash: `sha256:${createHash("sha256").update(`${name}-token`).digest("hex")}`,
    })),
  };
  it.each<readonly [string, object, (loss: Loss) => Promise<unknown>]>([
    [
      "a reload denies it",
      ALLOW,
      ({ onym, config }) =>
        reloadConfig(onym, { ...config, policy: { rules: [{ effect: "deny", server: "mail" }] } }),
    ],
    [
      "its approval is revoked",
      ASK,
      async ({ onym }) => {
        const { approvals } = await storeOf(onym);
        const [approval] = await approvals.inForce(Date.now());
        await approvals.revoke(approval?.id ?? 0, Date.now());
      },
    ],
    [
      "its tool has changed",
      ALLOW,
      async ({ label }) => (await stage.control.server(label)).direct({ do: "set", tools: [SEND_TO_ALL] }),
    ],
    [
      "its server is started in another way",
      ALLOW,
      ({ onym, config }) =>
        reloadConfig(onym, {
          ...config,
          mcpServers: { mail: { ...config.mcpServers.mail, env: { A: "1" } } },
        }),
    ],
    [
      "its token is taken out of the config",
      ALLOW,
      ({ onym, config }) => reloadConfig(onym, { ...config, auth: { tokens: auth.tokens.slice(1) } }),
    ],
  ])("is ended at once, and its server is told, when %s", async (what, policy, lose) => {
    const label = `session, ${what}`;
    const config = { mcpServers: { mail: asking(label, [SEND]) }, policy, auth };
    const onym = await stage.start({ config });
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const withdrawn: unknown[] = [];
    const client = await connectV2({
      url: onym.url,
      headers: bearer,
      capabilities: { elicitation: { form: {} } },
      prepareV2: (made) =>
        made.setRequestHandler("elicitation/create", async ({ params }, { mcpReq: { signal } }) => {
          if (!params.message.includes("What is your name?"))
            return { action: "accept", content: { decision: "always" } };
          signal.addEventListener("abort", () => withdrawn.push(params.message));
          ask();
          return new Promise(() => {});
        }),
    });
    const ended = client.callTool({ name: "mail_send", arguments: {} }).then(JSON.stringify, String);
    await asked;
    const server = await stage.control.server(label);
    const told = server.direct({ do: "awaitReceived", method: "notifications/cancelled" });
    await lose({ onym, label, config });
    // A server that is replaced ends right after it was told.
    if (what.includes("another way")) await server.gone;
    else expect((await told)["received"]).toHaveLength(1);
    // A client without access is cut off.
    if (!what.includes("token")) {
      expect(await ended).toContain("it is no longer allowed, or its tool or server has changed");
      expect(await ended).toContain("its outcome is unknown");
      await expect.poll(() => withdrawn).toHaveLength(1);
    }
    await client.close();
    await onym.stop();
  });
});

describe("a call that waits for approval by its client's user (POL-3)", () => {
  const of = (server: string) => ({ name: "run", arguments: {}, _meta: { source_server: server } });

  it("goes on as no other tool, and the attempt is on record", async () => {
    const mcpServers = Object.fromEntries(
      ["one", "two"].map((id) => [id, stage.entry({ label: id, tools: ["run"] })]),
    );
    const onym = await stage.start({ config: { mcpServers, policy: ASK } });
    const answer = answerTo(await call(onym.url, of("one")), yes("once"));
    const other = await call(onym.url, { ...of("two"), ...answer });
    expect(other.error?.message).toContain(UNKNOWN_STATE);
    await expect
      .poll(() => recorded(onym))
      .toEqual([
        { kind: "refusal", canonical: "two@1/run@1", decision: "refused", outcome: "another call's state" },
      ]);
    const same = await call(onym.url, { ...of("one"), ...answer });
    expect(same.result?.["structuredContent"]).toMatchObject({ server: "one" });
    await onym.stop();
  });
});
