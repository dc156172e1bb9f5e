// What a caller with a token may take and learn through the console: no more than through MCP (CON-1, SAFE-5, GW-6).

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { ask, call, entryOf, type Json, signIn, tokenOf } from "./harness-console.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const [ANN, BOB] = [tokenOf("a"), tokenOf("b")];

function configOf(label: string, more: Json = {}): Json {
  return {
    auth: { tokens: [entryOf("ann", ANN), entryOf("bob", BOB)] },
    mcpServers: { mail: stage.entry({ label, tools: ["send", "wipe", "Wipe"] }) },
    ...more,
  };
}

async function watch(onym: RunningOnym, token: string): Promise<Response> {
  return fetch(new URL("/console/api/calls/stream", onym.url), {
    headers: { authorization: `Bearer ${token}` },
  });
}

describe("what is hidden from a caller (GW-6)", () => {
  it("looks in the console as what never was, resolved and called", async () => {
    const onym = await stage.start({
      config: configOf("hidden", {
        policy: { rules: [{ effect: "deny", tool: "*/*ipe@*", caller: "bob" }] },
      }),
    });
    const heard = async (text: string): Promise<unknown> => {
      const { body } = await ask(onym, `resolve?profile=openai&text=${encodeURIComponent(text)}`, {
        token: BOB,
      });
      return { ...body, input: "" };
    };
    // Waits until its server is there.
    await call(onym, "mail_send", { authorization: `Bearer ${ANN}` });
    const nothing = await heard("mail_nothing");
    for (const text of ["mail_wipe", "mail@1/wipe@1", "wipe", "mail@1/WIPE@1"])
      expect([text, await heard(text)]).toEqual([text, nothing]);
    expect(await heard("mail_send")).toMatchObject({ outcome: "resolved" });

    for (const name of ["mail_nothing", "mail_wipe"])
      await call(onym, name, { authorization: `Bearer ${BOB}` });
    const told = (await ask(onym, "calls", { token: BOB })).body;
    const [wiped, unknown] = (told["calls"] as Json[]).map(
      ({ id, at, ms, request, sent, phases, ...rest }) => ({
        ...rest,
        phases: (phases as Json[]).map(({ name }) => name),
      }),
    );
    expect(wiped).toEqual(unknown);
    expect([told["servers"], told["tools"]]).toEqual([[], []]);
    const operator = await signIn(onym);
    expect((await ask(onym, "calls", { token: operator })).body).toMatchObject({
      calls: [
        {
          reason: "policy",
          decision: "deny",
          rule: "rules[0]",
          tool: { canonical: "mail@1/wipe@1", server: "mail" },
        },
        { reason: "unknown" },
        { principal: "ann" },
      ],
    });
  });

  it("is not named as the reason why another tool has its name", async () => {
    const onym = await stage.start({
      config: configOf("reasons", {
        mcpServers: { mail: stage.entry({ label: "reasons", tools: ["a.b", "a_b"] }) },
        policy: { rules: [{ effect: "deny", tool: "mail@1/a_b@1", caller: "bob" }] },
      }),
    });
    // Waits until its server is there.
    await call(onym, "mail_a_b", { authorization: `Bearer ${ANN}` });
    const told = async (token: string): Promise<string> => {
      const names = (await ask(onym, "names", { token })).body;
      const [tool] = (names["tools"] as { key: string; raw: string }[]).filter(({ raw }) => raw === "a.b");
      const page = await ask(onym, `tool?key=${encodeURIComponent(tool?.key ?? "")}`, { token });
      const column = await ask(onym, "names/openai", { token });
      return JSON.stringify([column.body, page.body]);
    };
    expect(await told(await signIn(onym))).toContain("mail@1/a_b@1");
    const heard = await told(BOB);
    expect(heard).toContain("mail_a_b_2");
    expect(heard).not.toContain("mail@1/a_b@1");
  });

  it("is not counted in the status, of which a stranger learns nothing", async () => {
    const onym = await stage.start({
      config: configOf("counted", {
        policy: { rules: [{ effect: "deny", tool: "*/*ipe@*", caller: "bob" }] },
      }),
    });
    // Waits until its server is there.
    await call(onym, "mail_send", { authorization: `Bearer ${ANN}` });
    const statusFor = async (headers: Record<string, string>) =>
      (await (await fetch(new URL("/", onym.url), { headers })).json()) as Json;
    const toolsFor = async (token: string) =>
      (await statusFor({ authorization: `Bearer ${token}` }))["servers"];
    expect(await toolsFor(ANN)).toMatchObject([{ server: "mail", tools: 3 }]);
    expect(await toolsFor(BOB)).toMatchObject([{ server: "mail", tools: 1 }]);
    for (const headers of [{}, { authorization: "Bearer nonsense" }])
      expect(Object.keys(await statusFor(headers))).toEqual(["name", "error"]);
  });

  it("is not in the metrics that it may read, so it reads none", async () => {
    const onym = await stage.start({
      config: configOf("scraped", {
        metrics: true,
        policy: { rules: [{ effect: "deny", server: "mail", caller: "bob" }] },
      }),
    });
    const scrape = async (token: string) =>
      (await fetch(new URL("/metrics", onym.url), { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await scrape(ANN), await scrape(BOB)]).toEqual([200, 403]);
    // Whether there is anything that the rule hides is not told either.
    const rules = [{ effect: "deny", tool: "mail@1/nothing", caller: "bob" }];
    await reloadConfig(onym, configOf("scraped", { metrics: true, policy: { rules } }));
    expect([await scrape(ANN), await scrape(BOB)]).toEqual([200, 403]);
  });

  it("changes nothing that the caller is told, when it changes", async () => {
    const config = (label: string, ...tools: string[]) =>
      configOf(label, {
        mcpServers: { mail: stage.entry({ label, tools }) },
        policy: { rules: [{ effect: "deny", tool: "*/*ipe@*", caller: "bob" }] },
      });
    const onym = await stage.start({ config: config("before", "send", "wipe") });
    const told = async (token: string) => (await ask(onym, "me", { token })).body["namesRevision"];
    // Waits until its server is there.
    await call(onym, "mail_send", { authorization: `Bearer ${ANN}` });
    const before = [await told(ANN), await told(BOB)];
    await reloadConfig(onym, config("after", "send", "wipe", "Wipe"));
    await call(onym, "mail_send", { authorization: `Bearer ${ANN}` });
    expect(await told(ANN)).not.toBe(before[0]);
    expect(await told(BOB)).toBe(before[1]);
  });
});

describe("the share of a caller (SAFE-5)", () => {
  it("has its answers in it until they are read", async () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => ({
      name: `${n}_${"x".repeat(900)}`,
      inputSchema: { type: "object" },
    }));
    const onym = await stage.start({
      config: configOf("unread", { mcpServers: { mail: { tools } }, limits: { callerPending: 1 } }),
    });
    const { port } = new URL(onym.url);
    const socket = connect(Number(port), "127.0.0.1");
    const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${BOB}\r\n\r\n`;
    socket.write(`GET /console/api/names ${head}`);
    await once(socket, "readable");
    expect((await ask(onym, "me", { token: BOB })).status).toBe(429);
    expect((await ask(onym, "me", { token: ANN })).status).toBe(200);
    socket.destroy();
    const freed = async (): Promise<number> => {
      const { status } = await ask(onym, "me", { token: BOB });
      return status === 200 ? status : freed();
    };
    expect(await freed()).toBe(200);
  });

  it("has its reads in it: 32 wait, more are refused, and others read meanwhile", async () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => ({
      name: `tool_${n}`,
      inputSchema: { type: "object" },
    }));
    const onym = await stage.start({ config: configOf("reads", { mcpServers: { mail: { tools } } }) });
    const read = async (path: string, token: string) => {
      const { status, headers } = await fetch(new URL(path, onym.url), {
        headers: { authorization: `Bearer ${token}`, accept: "application/json" },
      });
      return `${status} ${headers.get("retry-after")}`;
    };
    for (const path of ["/console/api/names", "/console/api/calls", "/console/api/connect", "/"]) {
      const many = Array.from({ length: 200 }, () => read(path, BOB));
      expect([path, await read(path, ANN)]).toEqual([path, "200 null"]);
      const answers = await Promise.all(many);
      expect(new Set(answers)).toEqual(new Set(["200 null", "429 1"]));
    }
    const many = Array.from({ length: 200 }, () => read("/console/api/names", BOB));
    let isRead = false;
    void Promise.all(many).finally(() => {
      isRead = true;
    });
    const meanwhile = new Set<string>();
    while (!isRead) meanwhile.add(await read("/console/api/me", BOB));
    expect(meanwhile).toContain("429 1");
  });

  it("has its streams in it, and they end with its access", async () => {
    const onym = await stage.start({ config: configOf("streams", { limits: { callerStreams: 2 } }) });
    const streams = [await watch(onym, BOB), await watch(onym, BOB)];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const third = await watch(onym, BOB);
    expect([third.status, third.headers.get("retry-after")]).toEqual([429, "1"]);
    const other = await watch(onym, ANN);
    expect(other.status).toBe(200);
    await streams[0]?.body?.cancel();
    const freed = async (): Promise<Response> => {
      const next = await watch(onym, BOB);
      return next.status === 200 ? next : freed();
    };
    const next = await freed();

    await reloadConfig(onym, {
      ...configOf("streams", { limits: { callerStreams: 2 } }),
      auth: { tokens: [entryOf("ann", ANN)] },
    });
    for (const stream of [streams[1], next]) expect(await stream?.text()).toContain("event: hello");
    expect((await watch(onym, BOB)).status).toBe(401);
    await other.body?.cancel();
  });

  it("has 32 of its pages watching, and keeps nobody else from it: one below, at and one above (limits: MAX_PAGES of stream-calls)", async () => {
    const onym = await stage.start({ config: configOf("pages") });
    const pages = [];
    for (let count = 0; count < 32; count += 1) pages.push(await watch(onym, BOB));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    const more = await watch(onym, BOB);
    expect([more.status, more.headers.get("retry-after")]).toEqual([429, "1"]);
    const other = await watch(onym, ANN);
    expect(other.status).toBe(200);
    for (const page of [...pages, other]) await page.body?.cancel();
  });

  it("has its pages among the streams of all (SAFE-5)", async () => {
    const onym = await stage.start({ config: configOf("all", { limits: { streams: 2 } }) });
    const pages = [await watch(onym, BOB), await watch(onym, ANN)];
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    const third = await watch(onym, ANN);
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "5"]);
    for (const page of pages) await page.body?.cancel();
  });

  it("has its requests a second in it", async () => {
    const onym = await stage.start({ config: configOf("rate", { limits: { callerRate: 3 } }) });
    const asked = await Promise.all(Array.from({ length: 30 }, () => ask(onym, "me", { token: BOB })));
    const statuses = new Set(asked.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    expect((await ask(onym, "me", { token: ANN })).status).toBe(200);
  });
});

describe("approvals that wait, in the console", () => {
  it("come in pages, to a caller its own, however large their definitions are (SAFE-5)", async () => {
    const filler = "x".repeat(150_000);
    const tools = Array.from({ length: 30 }, (_, n) => ({
      name: `pay_${n}`,
      description: `${n} ${filler}`,
      inputSchema: { type: "object" },
    }));
    const onym = await stage.start({
      config: {
        ...configOf("paged"),
        store: "onym.db",
        mcpServers: { bank: stage.entry({ label: "paged", tools }) },
        policy: { rules: [{ effect: "ask", tool: "bank@1/*@*" }] },
      },
    });
    for (let n = 0; n < 30; n += 1) await call(onym, `bank_pay_${n}`, { authorization: `Bearer ${ANN}` });
    await call(onym, "bank_pay_0", { authorization: `Bearer ${BOB}` });
    const pagesFor = async (token: string) => {
      const pages: Json[] = [];
      for (let after: unknown = 0; after !== undefined; after = pages.at(-1)?.["next"])
        pages.push((await ask(onym, `approvals?after=${after}`, { token })).body);
      return pages.map(({ total, pending }) => [
        total,
        (pending as Json[]).map(({ principal, canonical }) => `${principal} ${canonical}`),
      ]);
    };
    const names = tools.map(({ name }) => `ann bank@1/${name}@1`);
    const own = [
      [30, names.slice(0, 13)],
      [30, names.slice(13, 26)],
      [30, names.slice(26)],
    ];
    expect(await pagesFor(ANN)).toEqual(own);
    expect(await pagesFor(BOB)).toEqual([[1, ["bob bank@1/pay_0@1"]]]);
    const all = (await pagesFor(await signIn(onym))).flatMap(([, shown]) => shown);
    expect(all).toEqual([...names, "bob bank@1/pay_0@1"]);
    expect((await ask(onym, "approvals?after=nonsense", { token: BOB })).body).toMatchObject({ total: 1 });
  });
});

describe("a rejection in the console", () => {
  it("ends every open question about the tool, as onym deny does (POL-3)", async () => {
    const tool = (description: string) => ({ name: "pay", description, inputSchema: { type: "object" } });
    const onym = await stage.start({
      config: {
        store: "onym.db",
        mcpServers: { bank: stage.entry({ label: "moot", tools: [tool("Pays.")] }) },
        policy: { rules: [{ effect: "ask", tool: "*/pay@*" }] },
      },
    });
    const token = await signIn(onym);
    const pending = async () =>
      (await ask(onym, "approvals", { token })).body["pending"] as { id: number; definition: Json }[];
    await call(onym, "bank_pay");
    const server = await stage.control.server("moot");
    await server.direct({ do: "set", tools: [tool("Pays anybody.")] });
    for (;;) {
      await call(onym, "bank_pay");
      if ((await pending()).length === 2) break;
    }
    const [{ id, definition } = { id: 0, definition: {} }] = await pending();
    const body = { verdict: "rejected", how: "always", digest: definition["digest"] };
    expect((await ask(onym, `approvals/${id}`, { token, body })).status).toBe(200);
    expect(await pending()).toEqual([]);
  });
});

describe("a reloaded config", () => {
  it("makes the console read-only, in which one can sign out, or takes it away", async () => {
    const config = { mcpServers: { mail: stage.entry({ label: "reloaded", tools: ["send"] }) } };
    const onym = await stage.start({ config });
    const token = await signIn(onym);
    const restart = async () =>
      (await ask(onym, "servers/restart", { token, body: { server: "mail" } })).status;
    expect(await restart()).toBe(200);
    await reloadConfig(onym, { ...config, console: "read-only" });
    expect(await restart()).toBe(403);
    expect((await ask(onym, "sign-out", { token, method: "POST" })).status).toBe(200);
    expect((await ask(onym, "me", { token })).status).toBe(401);
    await reloadConfig(onym, { ...config, console: false });
    expect((await fetch(new URL("/console/api/me", onym.url))).status).toBe(404);
  });
});
