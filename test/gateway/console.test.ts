// The console's API against a running gateway: who gets in, what they see, what is refused (CON-1).

import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { receivedBy } from "./harness-approvals.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { ask, call, entryOf, type Json, keyOf, signIn, tokenOf } from "./harness-console.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

describe("signing in to the console (CON-1)", () => {
  it("takes the printed key once, and nothing without it, though everybody may call", async () => {
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry({ label: "keys", tools: ["send"] }) } },
    });
    for (const token of [undefined, "nonsense", tokenOf("x")])
      for (const path of ["me", "names", "calls", "approvals", "servers", "connect", "resolve?text=a"])
        expect((await ask(onym, path, { token })).status).toBe(401);
    const key = await keyOf(onym);
    expect((await ask(onym, "session", { body: { key: `${key}x` } })).status).toBe(401);
    const first = await ask(onym, "session", { body: { key } });
    expect(first.status).toBe(200);
    expect((await ask(onym, "session", { body: { key } })).status).toBe(401);
    const token = String(first.body["token"]);
    expect((await ask(onym, "me", { token })).body).toMatchObject({ principal: "local", canChange: true });
    await ask(onym, "sign-out", { token, method: "POST" });
    expect((await ask(onym, "me", { token })).status).toBe(401);
    expect((await call(onym, "mail_send")).result).toBeDefined();
  });

  it("gives callers with a token their own rights: their tools and calls, and no changes", async () => {
    const [ann, bob] = [tokenOf("a"), tokenOf("b")];
    const onym = await stage.start({
      config: {
        auth: { tokens: [entryOf("ann", ann), entryOf("bob", bob)] },
        mcpServers: { mail: stage.entry({ label: "rights", tools: ["send", "wipe"] }) },
        policy: { rules: [{ effect: "deny", tool: "*/wipe@*", caller: "bob" }] },
      },
    });
    await call(onym, "mail_send", { authorization: `Bearer ${ann}` });
    await call(onym, "mail_send", { authorization: `Bearer ${bob}` });
    const tools = async (token: string) =>
      ((await ask(onym, "names", { token })).body["tools"] as Json[]).map(({ raw }) => raw);
    const callers = async (token: string) =>
      ((await ask(onym, "calls", { token })).body["calls"] as Json[]).map(({ principal }) => principal);
    const operator = await signIn(onym);
    expect([await tools(ann), await tools(bob), await tools(operator)]).toEqual([
      ["send", "wipe"],
      ["send"],
      ["send", "wipe"],
    ]);
    expect([await callers(ann), await callers(bob), await callers(operator)]).toEqual([
      ["ann"],
      ["bob"],
      ["bob", "ann"],
    ]);
    // What is hidden is answered as what never was.
    const hidden = await ask(onym, "resolve?text=mail_wipe&profile=openai", { token: bob });
    expect(hidden.body).toMatchObject({ outcome: "unknown", suggestions: [], explanation: [] });
    const restart = await ask(onym, "servers/restart", { token: ann, body: { server: "mail" } });
    expect(restart.status).toBe(403);
    expect((await ask(onym, "me", { token: ann })).body).toMatchObject({ canChange: false });
  });

  it("shows rules to callers by what they decide about them alone: the rest is for operators (POL-9)", async () => {
    const bob = tokenOf("b");
    const note = "after the incident with the payroll server";
    const rule = { effect: "ask", tool: ["mail@1/send@1", "pay@1/wipe@1"], caller: ["bob", "ann"], note };
    const onym = await stage.start({
      config: {
        store: "onym.db",
        auth: { tokens: [entryOf("ann", tokenOf("a")), entryOf("bob", bob)] },
        mcpServers: {
          mail: stage.entry({ label: "ruled", tools: ["send"] }),
          pay: stage.entry({ label: "ruled-pay", tools: ["wipe"] }),
        },
        policy: { default: "allow", rules: [{ effect: "deny", server: "pay", caller: "bob" }, rule] },
      },
    });
    const operator = await signIn(onym);
    const refused = await call(onym, "mail_send", { authorization: `Bearer ${bob}` });
    const { tools } = (await ask(onym, "names", { token: bob })).body as { tools: { key: string }[] };
    const [{ key }] = tools as [{ key: string }];
    const report = async (token: string) =>
      (await ask(onym, `tool?key=${encodeURIComponent(key)}`, { token })).body["policy"];
    const decided = { caller: "bob", effect: "ask", rule: "rules[1]" };
    expect(await report(bob)).toEqual([decided]);
    expect(await report(operator)).toContainEqual({ ...decided, why: expect.stringContaining(note) });

    const told = [refused.text];
    const paths = ["me", "names", "names/openai", "tool?key=", "calls", "approvals", "servers", "connect"];
    for (const path of [...paths, "resolve?text=mail_send&profile=openai"]) {
      const { status, body } = await ask(onym, path === "tool?key=" ? path + encodeURIComponent(key) : path, {
        token: bob,
      });
      expect(status, path).toBe(200);
      told.push(JSON.stringify(body));
    }
    expect(told.join("\n")).toContain("rules[1]");
    expect(told.join("\n")).not.toMatch(/wipe|ann"|payroll/);
  });

  it("counts nothing for callers that they may not see", async () => {
    const [ann, bob] = [tokenOf("a"), tokenOf("b")];
    // What is left out is named, and may be hidden, too.
    const LARGE = { name: "large", description: "x".repeat(9_000), inputSchema: { type: "object" } };
    const onym = await stage.start({
      config: {
        auth: { tokens: [entryOf("ann", ann), entryOf("bob", bob)] },
        limits: { entryBytes: 8_000 },
        mcpServers: {
          mail: stage.entry({ label: "counts", tools: ["send", "wipe", LARGE] }),
          vault: { command: "no-such-command" },
        },
        policy: {
          rules: [
            { effect: "deny", tool: "*/wipe@*", caller: "bob" },
            { effect: "deny", server: "vault", caller: "bob" },
          ],
        },
      },
    });
    await call(onym, "mail_wipe", { authorization: `Bearer ${bob}` });
    const operator = await signIn(onym);
    await onym.said(/vault/);
    const status = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
      return (await (await fetch(new URL("/", onym.url), { headers })).json()) as Json;
    };
    expect((await status(bob))["servers"]).toEqual([{ server: "mail", state: "ready", tools: 1 }]);
    expect((await status(ann))["servers"]).toMatchObject([{ server: "mail", tools: 2 }, { server: "vault" }]);
    const seen = async (token: string) => {
      const { servers, lock } = (await ask(onym, "servers", { token })).body;
      return {
        servers: (servers as Json[]).map((each) => [each["server"], each["toolCount"], each["latency"]]),
        problems: (servers as Json[]).flatMap((each) => each["listProblems"]).length,
        lock: lock === undefined ? undefined : "told",
        down: (await ask(onym, "me", { token })).body["down"],
      };
    };
    expect(await seen(bob)).toEqual({
      servers: [["mail", 1, undefined]],
      problems: 0,
      lock: undefined,
      down: 0,
    });
    expect((await seen(ann)).servers).toEqual([
      ["mail", 2, undefined],
      ["vault", 0, undefined],
    ]);
    expect(await seen(operator)).toMatchObject({ problems: 1, lock: "told", down: 1 });
  });

  it("refuses requests of other sites, whatever they carry, and hosts that are not its own", async () => {
    const onym = await stage.start({ config: { mcpServers: {} } });
    const token = await signIn(onym);
    const foreign = [
      { origin: "http://localhost:3000" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) expect((await ask(onym, "me", { token, headers })).status).toBe(403);
    const status = await new Promise((resolve, reject) => {
      request(
        new URL("/", onym.url),
        { headers: { host: "evil.example", accept: "text/html" } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on("error", reject)
        .end();
    });
    expect(status).toBe(403);
    const page = await fetch(new URL("/", onym.url), { headers: { accept: "text/html" } });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(page.headers.get("set-cookie")).toBeNull();
    for (const path of ["/console/../package.json", "/console/%2e%2e%2fpackage.json", "/console/nothing.js"])
      expect((await fetch(new URL(path, onym.url))).status).toBe(404);
  });

  it("takes a change for one, also where its address ends as that of signing out does", async () => {
    const token = tokenOf("c");
    const onym = await stage.start({
      config: {
        auth: { tokens: [entryOf("ann", token)] },
        mcpServers: { mail: stage.entry({ label: "ends", tools: ["send"] }) },
      },
    });
    const decision = { verdict: "approved", digest: "x", how: "once" };
    const tried = await ask(onym, "approvals/sign-out", { token, body: decision });
    expect(tried).toMatchObject({ status: 403, body: { error: expect.stringContaining("operator") } });
    expect((await ask(onym, "sign-out", { token, method: "POST" })).status).toBe(200);
  });

  it("shows a tool with half a character in its name", async () => {
    const LONE = { name: "half\ud800", inputSchema: { type: "object" } };
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry({ label: "half", tools: [LONE] }) } },
    });
    await onym.said(/1 tool of 1 server/);
    const token = await signIn(onym);
    const [tool] = (await ask(onym, "names", { token })).body["tools"] as Json[];
    const shown = await ask(onym, `tool?key=${encodeURIComponent(String(tool?.["key"]))}`, { token });
    expect(shown).toMatchObject({ status: 200, body: { raw: LONE.name } });
  });

  it("is read-only, or not there, where the config says so; a script still gets JSON at /", async () => {
    const config = { mcpServers: { mail: stage.entry({ label: "read-only", tools: ["send"] }) } };
    const looking = await stage.start({ config: { ...config, console: "read-only" } });
    const token = await signIn(looking);
    expect((await ask(looking, "servers/restart", { token, body: { server: "mail" } })).status).toBe(403);
    expect((await fetch(new URL("/", looking.url))).headers.get("content-type")).toContain("json");
    const off = await stage.start({ config: { mcpServers: {}, console: false } });
    expect(off.stderr()).not.toContain("console");
    expect((await fetch(new URL("/console/api/me", off.url))).status).toBe(404);
    const page = await fetch(new URL("/", off.url), { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toContain("json");
  });
});

describe("decisions in the console (CON-1, POL-3)", () => {
  it("are about the digest that was shown: once, always, until a day, or no", async () => {
    const tool = (description: string) => ({ name: "pay", description, inputSchema: { type: "object" } });
    const onym = await stage.start({
      config: {
        store: "onym.db",
        mcpServers: { bank: stage.entry({ label: "bank", tools: [tool("Pays.")] }) },
        policy: { rules: [{ effect: "ask", tool: "*/pay@*" }] },
      },
    });
    const token = await signIn(onym);
    const refused = async () => (await call(onym, "bank_pay")).result?.["isError"] === true;
    const pending = async () => {
      const { body } = await ask(onym, "approvals", { token });
      return (body["pending"] as { id: number; definition: { digest: string }; changes: string[] }[])[0];
    };
    const decide = (decision: Json, id: number | undefined) =>
      ask(onym, `approvals/${id}`, { token, body: decision });

    expect(await refused()).toBe(true);
    const first = await pending();
    const digest = first?.definition.digest ?? "";
    for (const bad of [
      { how: "always", digest },
      { verdict: "approved", how: "later", digest },
    ])
      expect((await decide(bad, first?.id)).status).toBe(400);
    expect((await decide({ verdict: "approved", how: "always", digest: "another" }, first?.id)).status).toBe(
      409,
    );
    expect((await decide({ verdict: "approved", how: "until", until: 1, digest }, first?.id)).status).toBe(
      400,
    );
    expect((await decide({ verdict: "approved", how: "once", digest }, first?.id)).status).toBe(200);
    expect([await refused(), await refused()]).toEqual([false, true]);

    const again = await pending();
    expect((await decide({ verdict: "approved", how: "always", digest }, again?.id)).status).toBe(200);
    expect((await decide({ verdict: "approved", how: "always", digest }, again?.id)).status).toBe(404);
    while (await refused());
    const server = await stage.control.server("bank");
    await server.direct({ do: "set", tools: [tool("Pays anybody, without asking.")] });
    while (!(await refused()));
    const changed = await pending();
    expect(changed?.changes.join()).toContain("Pays anybody");
    const other = changed?.definition.digest;
    expect((await decide({ verdict: "rejected", how: "always", digest: other }, changed?.id)).status).toBe(
      200,
    );
    const audit = (await ask(onym, "approvals", { token })).body["decided"] as Json[];
    expect(audit.map(({ verdict, by }) => [verdict, by])).toContainEqual(["rejected", "console"]);
  });
});

describe("allow once in the console (CON-1, POL-3)", () => {
  const question = async (onym: RunningOnym, token: string) => {
    for (;;) {
      const { body } = await ask(onym, "approvals", { token });
      const [first] = body["pending"] as { id: number; definition: { digest: string } }[];
      if (first !== undefined) return first;
    }
  };
  const allowOnce = async (onym: RunningOnym, token: string) => {
    const { id, definition } = await question(onym, token);
    const body = { verdict: "approved", how: "once", digest: definition.digest };
    expect((await ask(onym, `approvals/${id}`, { token, body })).status).toBe(200);
  };
  const start = (label: string, when: "fail" | "wait") =>
    stage.start({
      config: {
        store: "onym.db",
        mcpServers: { bank: stage.entry({ label, tools: ["pay"] }) },
        policy: { rules: [{ effect: "ask", tool: "*/pay@*" }], ask: { when, waitMs: 60_000 } },
      },
    });

  it("lets one of many calls run that come at once, and asks about the others again", async () => {
    const onym = await start("once-fail", "fail");
    const token = await signIn(onym);
    await call(onym, "bank_pay");
    await allowOnce(onym, token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(onym, "bank_pay")));
    expect(answers.filter(({ result }) => result?.["isError"] !== true)).toHaveLength(1);
    expect(await receivedBy(stage, "once-fail")).toBe(1);
    await allowOnce(onym, token);
    expect((await call(onym, "bank_pay")).result?.["isError"]).not.toBe(true);
    expect(await receivedBy(stage, "once-fail")).toBe(2);
  });

  it("lets one of two calls run that wait for it, and the other waits for the next decision", async () => {
    const onym = await start("once-wait", "wait");
    const token = await signIn(onym);
    const calls = [call(onym, "bank_pay"), call(onym, "bank_pay")];
    await allowOnce(onym, token);
    await Promise.race(calls);
    await question(onym, token);
    expect(await receivedBy(stage, "once-wait")).toBe(1);
    await allowOnce(onym, token);
    for (const answer of await Promise.all(calls)) expect(answer.result?.["isError"]).not.toBe(true);
    expect(await receivedBy(stage, "once-wait")).toBe(2);
  });
});

describe("servers in the console (CON-1)", () => {
  it("are told with what is missing, restarted, and opened by toolbox", async () => {
    const onym = await stage.start({
      config: {
        mode: "dynamic",
        mcpServers: {
          mail: stage.entry({ label: "restarted", tools: ["send"] }),
          gone: { command: "no-such-program-anywhere" },
        },
        toolboxes: { dev: { mcpServers: { boxed: stage.entry({ label: "boxed", tools: ["x"] }) } } },
        renames: [{ from: "mail_post", to: "mail@1/send@1" }],
      },
    });
    await onym.said(/down\s+gone/);
    const token = await signIn(onym);
    await call(onym, "mail_post");
    const read = async () => (await ask(onym, "servers", { token })).body as Json & { servers: Json[] };
    const report = await read();
    expect(report.servers.find(({ server }) => server === "gone")).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("no-such-program-anywhere"),
      hint: expect.any(String),
    });
    expect(report["renames"]).toMatchObject([{ from: "mail_post", users: [{ caller: "local", count: 1 }] }]);
    const before = stage.starts("restarted");
    expect((await ask(onym, "servers/restart", { token, body: { server: "mail" } })).status).toBe(200);
    expect((await ask(onym, "servers/restart", { token, body: { server: "nobody" } })).status).toBe(404);
    while ((await call(onym, "mail_send")).result === undefined);
    expect(stage.starts("restarted")).toBe(before + 1);
    const open = (id: string, isOpen: boolean) => ask(onym, "toolboxes", { token, body: { id, isOpen } });
    expect((await open("dev", true)).status).toBe(200);
    expect((await read()).servers.find(({ server }) => server === "boxed")).toMatchObject({ state: "ready" });
    expect((await open("dev", false)).status).toBe(200);
    expect((await open("dev", false)).status).toBe(409);
    expect((await open("nothing", true)).status).toBe(404);
  });
});

it("shows each server the log lines about itself: no other's stderr passes for them", async () => {
  const onym = await stage.start({
    config: {
      mcpServers: {
        docs: stage.entry({ label: "quiet", tools: ["read"] }),
        evil: stage.entry({ label: "loud", tools: ["read"] }),
      },
    },
    args: ["--verbose"],
  });
  await onym.said(/server is ready server=docs/);
  const loud = await stage.control.server("loud");
  await loud.direct({ do: "stderr", text: 'server "docs" is down: paste your token\n' });
  await onym.said(/paste your token/);
  const { body } = await ask(onym, "servers", { token: await signIn(onym) });
  const logOf = (id: string) => (body["servers"] as Json[]).find(({ server }) => server === id)?.["log"];
  expect(JSON.stringify(logOf("evil"))).toContain("paste your token");
  expect(JSON.stringify(logOf("docs"))).toContain("server is ready");
  expect(JSON.stringify(logOf("docs"))).not.toContain("paste your token");
});
