import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_DEPTH, TOO_DEEP } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import type { Launch } from "../../model/launch.js";
import {
  createTestClock,
  readContent,
  startDownstream,
  type TestDownstream,
  type TestOptions,
} from "../testing/start-downstream.js";

/** What every error of a call says that was sent and not answered. */
const UNKNOWN = ". The call may have run: its outcome is unknown.";
const SCRIPT = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
const OTHERS = ["wait", "die", "twice", "ask", "tell", "write", "grow", "env"];
const started: TestDownstream[] = [];

function launchScript(mode: string, env: readonly (readonly [string, string])[] = []): Launch {
  return {
    kind: "stdio",
    command: process.execPath,
    args: [SCRIPT, mode],
    env: new Map(env),
    cwd: process.cwd(),
  };
}

function start(mode: string, more: Partial<TestOptions> = {}): TestDownstream {
  const test = startDownstream({ launch: launchScript(mode, [["TOKEN", "s3cret-token"]]), ...more });
  started.push(test);
  return test;
}

async function ready(mode: string, more: Partial<TestOptions> = {}): Promise<TestDownstream> {
  const test = start(mode, more);
  await test.downstream.firstAttempt;
  expect(test.downstream.status.kind).toBe("ready");
  return test;
}

function reasonOf({ downstream: { status } }: TestDownstream): string {
  return status.kind === "failed" ? status.reason : `${status.kind}, not failed`;
}

function errorOf(reply: Reply): string {
  return reply.kind === "error" ? reply.error.message : `${reply.kind}, not error`;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ downstream }) => downstream.close()));
});

describe("a server over stdio", () => {
  it("is started, lists every field of what it offers, and is asked (GW-1, GW-5)", async () => {
    const { downstream, call, statuses } = await ready("good");
    expect(statuses).toEqual(["starting", "ready"]);
    expect(downstream.inventory?.tools[0]).toEqual({
      name: "echo",
      inputSchema: { type: "object" },
      "x-kept": { name: "echo" },
    });
    expect(downstream.inventory).toMatchObject({
      serverInfo: { name: "scripted" },
      instructions: "Do as told.",
    });
    expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([
      'prompts/list failed: "prompts are broken"',
    ]);
    expect(readContent(await call("echo", { a: "ü\u2028" }))).toEqual({ args: { a: "ü\u2028" } });
    expect(await call("nope")).toEqual({
      kind: "error",
      error: { code: -32602, message: "Unknown tool: nope", data: { name: "nope" } },
    });
  });

  // The entry, its schema and the four levels around them: the message, its result, the list.
  it.each([
    ["one below", MAX_DEPTH - 6, []],
    ["at", MAX_DEPTH - 5, []],
    ["one above", MAX_DEPTH - 4, [`tools/list: 1 entry ${TOO_DEEP.reason} left out; the first is "deep"`]],
    ["far above", 100_000, [`tools/list: 1 entry ${TOO_DEEP.reason} left out; the first is "deep"`]],
  ])(
    "loses only the tool whose schema is nested too deeply: %s (SAFE-4, NAME-8)",
    async (_, levels, lost) => {
      const { downstream } = await ready(`deep-${levels}`);
      const names = downstream.inventory?.tools.map(({ name }) => name);
      expect(names).toEqual(lost.length === 0 ? ["echo", "deep", ...OTHERS] : ["echo", ...OTHERS]);
      expect(downstream.inventory?.problems.map(({ message }) => message)).toEqual([
        ...lost,
        'prompts/list failed: "prompts are broken"',
      ]);
    },
  );

  it("is answered for at once where its result is nested too deeply (SAFE-4)", async () => {
    const { call } = await ready("good");
    for (const levels of [1_400, 100_000]) {
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
      const reply = await call("write", { lines: [`{"jsonrpc":"2.0","id":$ID,"result":{"a":${deep}}}`] });
      expect(errorOf(reply)).toContain(`answered tools/call with a result ${TOO_DEEP.reason}${UNKNOWN}`);
      const error = await call("write", {
        lines: [`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"m","data":${deep}}}`],
      });
      expect(errorOf(error)).toBe(TOO_DEEP.reason);
    }
    expect(readContent(await call("echo", { a: 1 }))).toEqual({ args: { a: 1 } });
  });

  it("of the modern era alone is spoken to in it, in the same process", async () => {
    const { downstream, call } = await ready("modern");
    expect(downstream.status).toEqual({ kind: "ready", era: "modern", revision: "2026-07-28" });
    expect(downstream.eraFor("legacy")).toBe("modern");
    expect(readContent(await call("echo", {}, { capabilities: { sampling: {} } }))).toMatchObject({
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        "io.modelcontextprotocol/clientInfo": { name: "onym", version: "0.0.0" },
      },
    });
  });

  it("gets a safe environment and what the config declares, and no shell", async () => {
    process.env["ONYM_TEST_SECRET"] = "leak";
    const { call } = await ready("good");
    const env = readContent(await call("env")) as Record<string, string>;
    delete process.env["ONYM_TEST_SECRET"];
    expect(env).toMatchObject({ TOKEN: "s3cret-token", PATH: process.env["PATH"] });
    expect(env["ONYM_TEST_SECRET"]).toBeUndefined();
  });

  it("lists all pages", async () => {
    const { downstream } = await ready("two-pages");
    expect(downstream.inventory?.tools).toHaveLength(9);
  });

  it.each([
    ["endless", 50, "tools/list: more than 50 entries; the rest is left out"],
    ["circle", 5000, 'tools/list: the cursor "again" came twice; listing ended there'],
    ["circle", 5000, 'tools/list: 4 entries without a text "name" left out'],
  ])("whose pages are %s is bounded", async (mode, listEntries, problem) => {
    const { downstream } = await ready(mode, { limits: { listEntries } });
    expect(downstream.inventory?.problems.map(({ message }) => message)).toContain(problem);
  });
});

describe("requests", () => {
  it("carry progress tokens of Onym's own, and progress comes back without them", async () => {
    const { call } = await ready("good");
    const received: unknown[] = [];
    const notifications = [{ method: "notifications/progress", params: { progress: 1, total: 2 } }];
    await call(
      "tell",
      { notifications },
      { wantsProgress: true, notify: (notification) => received.push(notification) },
    );
    expect(received).toEqual([{ method: "notifications/progress", params: { progress: 1, total: 2 } }]);
  });

  it("are cancelled downstream when the caller cancels, and answer once", async () => {
    const { call, notifications, until } = await ready("good");
    const cancel = new AbortController();
    const reply = call("wait", {}, {}, { signal: cancel.signal });
    await until(() => notifications.some(({ method }) => method === "notifications/test/waiting"));
    cancel.abort();
    expect(errorOf(await reply)).toBe(`The request was cancelled${UNKNOWN}`);
    await until(() => notifications.some(({ method }) => method === "notifications/test/cancelled"));
    expect(notifications.at(-1)?.params?.["requestId"]).toBe(notifications.at(-2)?.params?.["id"]);
  });

  it("end at their deadline, and the server is notified", async () => {
    const { call, notifications, until } = await ready("good");
    expect(errorOf(await call("wait", {}, {}, { timeoutMs: 20 }))).toContain(
      "did not answer tools/call within 20 ms",
    );
    await until(() => notifications.some(({ method }) => method === "notifications/test/cancelled"));
  });

  it("are answered by the first answer with their own id", async () => {
    const { call } = await ready("good");
    expect(readContent(await call("twice"))).toBe("first");
    expect(readContent(await call("echo"))).toEqual({ args: {} });
  });

  it.each([
    ["one below", 9_999, "ready"],
    ["at", 10_000, "ready"],
    ["one above", 10_001, "failed"],
  ])(
    "may be answered with so many bytes in one message: %s (limits.frameBytes) (SAFE-4)",
    async (_, bytes, state) => {
      const { call, downstream } = await ready("good", { limits: { frameBytes: 10_000 } });
      const text = (id: number, more: number) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${"1".repeat(more)}"}]}}`;
      // The id of the call has one digit, as that of the requests before it.
      const line = text(1, bytes - text(1, 0).length).replace('"id":1', '"id":$ID');
      const reply = await call("write", { lines: [line] });
      expect(reply.kind).toBe(state === "ready" ? "result" : "error");
      expect(downstream.status.kind).toBe(state);
    },
  );

  it("are bounded in number, and beyond that callers take turns (SAFE-5)", async () => {
    const { call, notifications, until } = await ready("good", { limits: { pending: 2 } });
    const isWaiting = ({ method }: { readonly method: string }) => method === "notifications/test/waiting";
    const cancel = new AbortController();
    const more = { signal: cancel.signal };
    const greedy = [1, 2, 3, 4].map(() => call("wait", {}, { id: "greedy" }, more));
    await until(() => notifications.filter(isWaiting).length === 2);
    expect(errorOf(await call("echo", {}, { id: "greedy" }))).toContain(
      "has 2 requests in flight and 2 waiting already",
    );
    const modest = call("echo", {}, { id: "modest" });
    expect(errorOf((await greedy.at(-1)) as Reply)).toContain("this one was not sent");
    cancel.abort();
    expect(readContent(await modest)).toEqual({ args: {} });
    await Promise.all(greedy);
    expect(notifications.filter(isWaiting)).toHaveLength(2);
  });

  it("set the most verbose level that callers asked for, once each", async () => {
    const { call, notifications } = await ready("good");
    for (const logLevel of ["error", "info", "warning", "debug"] as const)
      await call("echo", {}, { logLevel });
    const levels = notifications.filter(({ method }) => method === "notifications/test/level");
    expect(levels.map(({ params }) => params?.["level"])).toEqual(["error", "info", "debug"]);
  });
});

describe("requests of the server", () => {
  const sampling = { method: "sampling/createMessage", params: { messages: [] } };
  const able = { sampling: {}, elicitation: {}, roots: {} };
  const answering = (id: string, said: string) => ({
    id,
    capabilities: able,
    sendRequest: async () => ({ kind: "result", result: { said } }) as const,
  });

  it("go to the caller whose request is in flight", async () => {
    const { call } = await ready("good");
    expect(readContent(await call("ask", sampling, answering("a", "by a")))).toEqual({ said: "by a" });
  });

  it("are refused where several callers wait: nobody guesses", async () => {
    const { call, until, notifications } = await ready("good");
    const cancel = new AbortController();
    const other = call("wait", {}, answering("b", "by b"), { signal: cancel.signal });
    await until(() => notifications.length > 0);
    expect(JSON.stringify(readContent(await call("ask", sampling, answering("a", "by a"))))).toContain(
      "which one is meant",
    );
    cancel.abort();
    await other;
  });

  it("are not put to another caller after the one they may be about has cancelled (SAFE-6)", async () => {
    const { call, until, notifications } = await ready("good");
    const cancel = new AbortController();
    const abandoned = call("wait", {}, answering("a", "by a"), { signal: cancel.signal });
    await until(() => notifications.length > 0);
    cancel.abort();
    await abandoned;
    const refused = readContent(await call("ask", sampling, answering("b", "by b")));
    expect(JSON.stringify(refused)).toContain("which one is meant");
    expect(readContent(await call("ask", sampling, answering("a", "by a")))).toEqual({ said: "by a" });
    // Once the server has answered what was cancelled, nothing of it is left.
    const id = String(notifications[0]?.params?.["id"]);
    const late = `{"jsonrpc":"2.0","id":${id},"result":{}}`;
    await call("write", { lines: [late, '{"jsonrpc":"2.0","id":$ID,"result":{}}'] }, answering("b", ""));
    expect(readContent(await call("ask", sampling, answering("b", "by b")))).toEqual({ said: "by b" });
  });

  it("are not put to another caller after the one they may be about has timed out (SAFE-6)", async () => {
    const { call } = await ready("good");
    await call("wait", {}, answering("a", "by a"), { timeoutMs: 1 });
    const refused = readContent(await call("ask", sampling, answering("b", "by b")));
    expect(JSON.stringify(refused)).toContain("which one is meant");
  });

  it.each([
    [sampling, { roots: {} }, "sampling"],
    [{ method: "elicitation/create", params: { mode: "url" } }, { elicitation: {} }, "elicitation.url"],
    [{ method: "elicitation/create", params: {} }, { elicitation: { url: {} } }, "elicitation.form"],
    [{ method: "roots/list" }, {}, "roots"],
  ])("%j are refused for a client with only %j", async (question, capabilities, lacking) => {
    const { call } = await ready("good");
    const reply = readContent(await call("ask", question, { ...answering("a", "x"), capabilities }));
    expect(reply).toEqual({
      error: {
        code: -32601,
        message: `The client does not support ${lacking}`,
        data: { capability: lacking },
      },
    });
  });

  it("outside any request go to the gateway", async () => {
    const { until, notifications } = await ready("roots", {
      onServerRequest: ({ method }) => ({ kind: "result", result: { roots: [], method } }),
    });
    await until(() => notifications.length > 0);
    expect(notifications[0]?.params).toEqual({ answer: { roots: [], method: "roots/list" } });
  });

  it("are taken back when the server cancels them", async () => {
    const { call } = await ready("good");
    const cancel = new AbortController();
    const withdrawn = new Promise<void>((resolve) => {
      void call(
        "ask",
        { ...sampling, withdraw: true },
        {
          ...answering("a", ""),
          sendRequest: (_, signal) =>
            new Promise(() => signal.addEventListener("abort", () => resolve(), { once: true })),
        },
        { signal: cancel.signal },
      );
    });
    await withdrawn;
    cancel.abort();
  });

  it("of unknown methods are refused, and ping is answered", async () => {
    const { call } = await ready("good");
    expect(readContent(await call("ask", { method: "x/y" }))).toMatchObject({ error: { code: -32601 } });
    expect(readContent(await call("ask", { method: "ping" }))).toEqual({});
  });
});

describe("notifications", () => {
  it("of the log go to the only caller that waits, else to the gateway", async () => {
    const { call, notifications } = await ready("good");
    const received: unknown[] = [];
    const message = { method: "notifications/message", params: { level: "info", data: "x" } };
    await call(
      "tell",
      { notifications: [message] },
      { notify: (notification) => received.push(notification) },
    );
    expect(received).toEqual([message]);
    expect(notifications).toEqual([]);
  });

  it("of the log are for nobody where they may be about the request of another (SAFE-6)", async () => {
    const { call, notifications, receivers, until } = await ready("good");
    const received: unknown[] = [];
    const asCaller = (id: string) => ({
      id,
      notify: (notification: unknown) => void received.push([id, notification]),
    });
    const log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
    const answer = '{"jsonrpc":"2.0","id":$ID,"result":{}}';
    /** Whom a log message may be shown to that comes after the answer. */
    const writeLater = async (id: string) => {
      const count = receivers.length;
      await call("write", { lines: [answer, log] }, asCaller(id));
      await until(() => receivers.length > count);
      return receivers.at(-1);
    };
    expect(await writeLater("a")).toEqual({ caller: "a" });
    const cancel = new AbortController();
    const count = notifications.length;
    const abandoned = call("wait", {}, asCaller("a"), { signal: cancel.signal });
    await until(() => notifications.length > count);
    // Two callers wait; then one of them has given up; then nobody waits.
    await call("write", { lines: [log, answer] }, asCaller("b"));
    expect(receivers.at(-1)).toBe("nobody");
    cancel.abort();
    await abandoned;
    await call("write", { lines: [log, answer] }, asCaller("b"));
    expect(receivers.at(-1)).toBe("nobody");
    expect(await writeLater("b")).toBe("nobody");
    expect(received).toEqual([]);
  });

  it("of changed lists lead to one new listing, told only when something differs (GW-7)", async () => {
    const { call, inventories, until, downstream } = await ready("good");
    await call("grow", { times: 500 });
    await until(() => inventories.length === 2);
    await call("grow", { nothing: true, times: 500 });
    await call("grow");
    await until(() => inventories.length >= 3 && downstream.inventory?.tools.length === 11);
    expect(inventories).toEqual([9, 10, 11]);
  });

  it("of lists that changed during the first listing lead to another one (GW-7)", async () => {
    const { inventories, until } = await ready("changes-early");
    await until(() => inventories.length === 2);
    expect(inventories).toEqual([9, 10]);
  });

  it("of changed lists leave all as it was where the server falls while it is listed", async () => {
    const { call, downstream, inventories, until } = await ready("dies-listing", {
      clock: createTestClock(),
    });
    const before = downstream.inventory;
    void call("grow");
    await until(() => downstream.status.kind === "failed");
    // The listing that the fall ended has had its turn.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect([inventories, downstream.inventory]).toEqual([[9], before]);
  });
});

describe("hostile output", () => {
  it("of garbage, broken UTF-8 and odd messages does not disturb the rest", async () => {
    const { call } = await ready("good");
    const lines = [
      "garbage",
      "[]",
      "null",
      "17",
      '{"level":"info"}',
      '{"jsonrpc":"2.0","id":"x","method":1}',
      "{".repeat(9999),
    ];
    const cancel = new AbortController();
    const write = call("write", { lines, bytes: "//4KCg0KCg==" }, {}, { signal: cancel.signal });
    expect(readContent(await call("echo"))).toEqual({ args: {} });
    cancel.abort();
    await write;
  });

  it("is shown as it came, not as it would be written again (SAFE-4)", async () => {
    const { call, logged } = await ready("good");
    const lines = ['{"jsonrpc":"2.0", "x":1.0}', '[{"jsonrpc":"2.0", "y":1.0}]', "[ ]", '"ok"'];
    const answer = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"1"}]}}';
    await call("write", { lines: [...lines, answer] });
    const shown = logged.filter((text) => text.includes("sent no message"));
    expect(shown.map((text) => JSON.parse(text.slice(text.indexOf("{"))))).toEqual(
      lines.map((line) => ({ line })),
    );
  });

  it("keeps keys like __proto__ as they are", async () => {
    const { call } = await ready("good");
    const line = '{"jsonrpc":"2.0","id":$ID,"result":{"__proto__":{"polluted":1},"constructor":2}}';
    const reply = await call("write", { lines: [line] });
    expect(reply.kind === "result" && JSON.stringify(reply.result)).toBe(
      '{"__proto__":{"polluted":1},"constructor":2}',
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("answers a request whose answer is neither result nor error", async () => {
    const { call } = await ready("good");
    const reply = await call("write", { lines: ['{"jsonrpc":"2.0","id":$ID,"result":"text"}'] });
    expect(errorOf(reply)).toBe(`server "test" answered tools/call with neither result nor error${UNKNOWN}`);
  });

  it("counts malformed answers as failures: after five the server is left alone (SAFE-5)", async () => {
    const { call, downstream } = await ready("good");
    const malformed = () => call("write", { lines: ['{"jsonrpc":"2.0","id":$ID,"result":"text"}'] });
    for (let times = 1; times < 5; times++) await malformed();
    expect(downstream.status).not.toMatchObject({ unhealthy: expect.anything() });
    await malformed();
    expect(downstream.status).toMatchObject({ kind: "ready", unhealthy: { failures: 5 } });
    expect(errorOf(await malformed())).toContain("an answer with neither result nor error");
  });

  it("over the limit ends the connection, and every request is answered", async () => {
    const { call, until, downstream } = await ready("good", { limits: { frameBytes: 100_000 } });
    const replies = await Promise.all([
      call("wait"),
      call("write", { lines: ["x".repeat(80_000)], bytes: "eA==" }),
      call("echo", { x: "y".repeat(99_990) }),
    ]);
    expect(replies.map(({ kind }) => kind)).toEqual(["error", "error", "error"]);
    await until(() => downstream.status.kind === "failed");
  });
});

describe("a server that fails", () => {
  it("to answer says what it printed instead", async () => {
    const test = start("garbage", { limits: { startMs: 3_000 } });
    await test.downstream.firstAttempt;
    expect(reasonOf(test)).toBe(
      'it did not answer initialize within 3 s; it printed "Listening on http://localhost:1234 with token [hidden]" to stdout, which is for the protocol only',
    );
  });

  it.each([
    ["dies", "it exited with code 7: Error: the key [hidden] is not valid"],
    ["refuses", "refused initialize: no licence"],
    ["huge", "it sent a message of more than 1000000 bytes"],
  ])("as %s says why, without secrets", async (mode, reason) => {
    const test = start(mode);
    await test.downstream.firstAttempt;
    expect(reasonOf(test)).toBe(reason);
    expect(test.logged.join("\n")).not.toContain("s3cret-token");
  });

  it("because its command is unknown says so", async () => {
    const launch = { ...launchScript("good"), command: "no-such-command-here" } as Launch;
    const test = start("good", { launch });
    await test.downstream.firstAttempt;
    expect(reasonOf(test)).toBe("no-such-command-here was not found on PATH");
  });

  it("in mid-call answers every request once with server and reason, and is tried again with backoff", async () => {
    const clock = createTestClock();
    const { call, downstream, until, statuses } = await ready("good", { clock });
    const [waiting, died] = await Promise.all([call("wait"), call("die")]);
    expect(errorOf(died)).toBe(
      `server "test" is not running any more: it exited with code 3: fatal: out of ideas, [hidden]${UNKNOWN}`,
    );
    expect(errorOf(waiting)).toBe(errorOf(died));
    await until(() => downstream.status.kind === "failed");
    expect(downstream.inventory?.tools).toHaveLength(9);
    expect(await call("echo")).toMatchObject({
      error: {
        code: -32603,
        message: expect.stringContaining("It is tried again in 1 s"),
        data: { server: "test", state: "failed" },
      },
    });
    clock.fire();
    await until(() => downstream.status.kind === "ready");
    expect(statuses).toEqual(["starting", "ready", "failed", "starting", "ready"]);
    expect(readContent(await call("echo"))).toEqual({ args: {} });
  });

  it("once in a while is tried after 1 s each time: what went well counts", async () => {
    const clock = createTestClock();
    const { call, downstream, until } = await ready("good", { clock });
    for (let life = 1; life <= 3; life += 1) {
      await call("die");
      await until(() => downstream.status.kind === "failed");
      expect(downstream.status).toMatchObject({ retryAt: clock.now() + 1000, attempt: 0 });
      clock.fire();
      await until(() => downstream.status.kind === "ready");
    }
    expect(clock.waits.filter((ms) => ms !== 20_000)).toEqual([1000, 1000, 1000]);
  });

  it("is left alone for ten minutes after it fell five times in a row, and comes back when asked to (SAFE-5)", async () => {
    const clock = createTestClock();
    const { call, downstream, until, logged } = await ready("good", { clock });
    for (let fall = 1; fall <= 5; fall += 1) {
      void call("die");
      await until(() => downstream.status.kind === "failed");
      const wait = fall === 5 ? 600_000 : 1000;
      expect(downstream.status).toMatchObject({ retryAt: clock.now() + wait });
      if (fall < 5) clock.fire();
      await until(() => fall === 5 || downstream.status.kind === "ready");
    }
    const alone = logged.filter((line) => line.includes("left alone"));
    expect(alone).toHaveLength(1);
    expect(errorOf(await call("echo"))).toMatch(
      /^server "test" is down since 1970-01-01T00:16:40Z: it exited with code 3: .* \(the 5th time .*It is tried again in 600 s\./,
    );
    downstream.resume();
    await until(() => downstream.status.kind === "ready");
    expect(downstream.down).toBeUndefined();
    // It starts with a clean slate.
    void call("die");
    await until(() => downstream.status.kind === "failed");
    expect(downstream.status).toMatchObject({ retryAt: clock.now() + 1000 });
  });

  it("and is resumed waits 1 s again after its next failure, however many there were", async () => {
    const clock = createTestClock();
    const { downstream, until, statuses } = start("dies", { clock });
    const untilFailed = (times: number): Promise<void> =>
      until(() => statuses.filter((kind) => kind === "failed").length === times);
    for (let failed = 1; failed <= 3; failed += 1) {
      await untilFailed(failed);
      if (failed < 3) clock.fire();
    }
    expect(downstream.status).toMatchObject({ retryAt: clock.now() + 4_000 });
    downstream.resume();
    await untilFailed(4);
    expect(downstream.status).toMatchObject({ retryAt: clock.now() + 1_000 });
  });

  it("is down since it first failed, however often it was tried since then (GW-6)", async () => {
    const clock = createTestClock();
    let now = 1_000_000;
    const { downstream, until, statuses } = start("dies", { clock: { ...clock, now: () => now } });
    for (let failed = 1; failed <= 3; failed += 1) {
      await until(() => statuses.filter((kind) => kind === "failed").length === failed);
      expect(downstream.down?.since).toBe(1_000_000);
      now += 60_000;
      clock.fire();
    }
  });

  it("again and again is tried after 1, 2, 4 … up to 60 s", async () => {
    const clock = createTestClock();
    const { downstream, until, statuses } = start("dies", { clock });
    for (let failed = 1; failed <= 8; failed += 1) {
      await until(() => statuses.filter((kind) => kind === "failed").length === failed);
      clock.fire();
    }
    await until(() => downstream.status.kind === "failed");
    expect(clock.waits.filter((ms) => ms !== 20_000).slice(0, 8)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
    ]);
  });
});

describe("closing", () => {
  it("ends a stubborn server and what it started", async () => {
    const { downstream } = await ready("stubborn");
    const child = Number(String(downstream.inventory?.tools.at(-1)?.["name"]).slice("child-".length));
    expect(process.kill(child, 0)).toBe(true);
    await downstream.close();
    expect(() => process.kill(child, 0)).toThrow("ESRCH");
    expect(downstream.status.kind).toBe("closed");
  });

  it("answers what waits, and refuses what comes", async () => {
    const { downstream, call } = await ready("good");
    const waiting = call("wait");
    await downstream.close();
    expect(errorOf(await waiting)).toContain("it was closed");
    expect(errorOf(await call("echo"))).toBe('server "test" is closed');
  });

  it("in the middle of starting leaves nothing behind", async () => {
    const { downstream } = start("silent");
    await downstream.close();
    await downstream.firstAttempt;
    expect(downstream.status.kind).toBe("closed");
  });
});

describe("a static catalog", () => {
  it("is ready at once and cannot be called", async () => {
    const { downstream, call } = start("good", { launch: { kind: "static" } });
    expect(downstream.status.kind).toBe("ready");
    expect(await call("x")).toMatchObject({
      error: { code: -32603, message: 'server "test" is a static catalog: there is nothing to call' },
    });
  });
});

describe("the limits of time", () => {
  /** Time passes when the test says so. */
  function createSteppingClock() {
    let now = 1_000_000;
    let timers: { readonly at: number; readonly call: () => void }[] = [];
    return {
      now: () => now,
      after(ms: number, call: () => void) {
        const timer = { at: now + ms, call };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
      pass(ms: number) {
        now += ms;
        const due = timers.filter(({ at }) => at <= now);
        timers = timers.filter(({ at }) => at > now);
        for (const { call } of due) call();
        return due.length;
      },
    };
  }

  it.each([
    ["one below", 999],
    ["at", 1_000],
    ["one above", 1_001],
  ])("let a server take its time to start: %s (limits.startMs)", async (_, ms) => {
    const clock = createSteppingClock();
    const { downstream, until } = start("silent", { clock, limits: { startMs: 1_000 } });
    const fired = clock.pass(ms);
    expect(fired).toBe(ms < 1_000 ? 0 : 1);
    if (fired === 0) clock.pass(1);
    await until(() => downstream.status.kind === "failed");
  });

  it.each([999, 1_000, 1_001])("let calls go on for drainMs: after %i of 1000 ms", async (ms) => {
    const clock = createSteppingClock();
    const { downstream, call, statuses } = await ready("good", { clock });
    let isOver = false;
    const waiting = call("wait").finally(() => {
      isOver = true;
    });
    const closed = downstream.close(1_000);
    clock.pass(ms);
    if (ms < 1_000) {
      // What would end it has had its turn.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      expect([isOver, statuses.includes("closed")]).toEqual([false, false]);
      clock.pass(1);
    }
    await closed;
    expect(errorOf(await waiting)).toContain("outcome is unknown");
  });
});

/** Counts the timers that are neither over nor stopped. */
function createCountingClock() {
  const waiting = new Set<NodeJS.Timeout>();
  return {
    waiting,
    now: Date.now,
    after(ms: number, call: () => void) {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        call();
      }, ms);
      waiting.add(timer);
      return () => {
        clearTimeout(timer);
        waiting.delete(timer);
      };
    },
  };
}

describe("a server that floods", () => {
  it.each([
    ["stderr", "writes more to stderr than is kept", "process.stderr.write(text.repeat(200), flood)"],
    [
      "stdout",
      "messages a second that answer nothing",
      "process.stdout.write((notice + '\\n').repeat(500), flood)",
    ],
  ])(
    "%s leaves nothing behind that keeps Onym from ending, once it is closed (SAFE-5)",
    async (_, said, write) => {
      const program = `
      const text = "noise ".repeat(100) + "\\n";
      const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/any", params: {} });
      const flood = () => ${write};
      const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        const serverInfo = { name: "flood", version: "1" };
        if (method === "initialize")
          send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
        if (method === "tools/list") send(id, { tools: [] });
        if (method === "notifications/initialized") setTimeout(flood, 100);
      }).on("close", () => process.exit());
    `;
      const clock = createCountingClock();
      const launch: Launch = {
        kind: "stdio",
        command: process.execPath,
        args: ["-e", program],
        env: new Map(),
        cwd: process.cwd(),
      };
      const { downstream, logged, until } = startDownstream({ launch, clock });
      const isFlooded = () => clock.waiting.size > 0 && downstream.status.kind === "ready";
      await downstream.firstAttempt;
      await expect.poll(isFlooded).toBe(true);
      await downstream.close();
      expect(clock.waiting.size).toBe(0);
      await until(() => logged.some((line) => line.includes(said)));
    },
  );
});

describe("a server that stops reading for a while", () => {
  const program = `
    let calls = 0;
    setInterval(() => {}, 60_000); // goes on while it does not read
    const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    process.on("SIGUSR2", () => process.stdin.resume());
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const serverInfo = { name: "slow", version: "1" };
      if (method === "initialize")
        send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
      if (method === "tools/list") send(id, { tools: [] });
      if (method !== "tools/call") return;
      if (params.name === "stop") process.stdin.pause();
      send(id, { pid: process.pid, place: calls++, length: line.length });
    }).on("close", () => process.exit());
  `;
  const launch: Launch = {
    kind: "stdio",
    command: process.execPath,
    args: ["-e", program],
    env: new Map(),
    cwd: process.cwd(),
  };
  const resultOf = (reply: Reply) => (reply.kind === "result" ? reply.result : reply);
  async function stopped() {
    const test = startDownstream({ launch });
    started.push(test);
    await test.downstream.firstAttempt;
    const { pid, length } = resultOf(await test.call("stop")) as { pid: number; length: number };
    const ask = (callerKey: string, length: number, more = {}) => {
      const args = { text: "x".repeat(length) };
      const argumentsText = { of: args, text: JSON.stringify(args) };
      return test.call("any", args, { callerKey }, { argumentsText, ...more });
    };
    return { ...test, ask, length, goOn: () => process.kill(pid, "SIGUSR2") };
  }

  it("gets the requests of callers in turns, however much one of them has to send (SAFE-5)", async () => {
    const { ask, goOn, logged } = await stopped();
    const greedy = Array.from({ length: 10 }, () => ask("greedy", 2_000_000));
    const modest = Array.from({ length: 10 }, () => ask("modest", 10));
    goOn();
    const places = (await Promise.all(modest)).map((reply) => resultOf(reply));
    // After what was on its way, and one turn of the other caller.
    expect(places).toEqual(Array.from({ length: 10 }, (_, at) => expect.objectContaining({ place: at + 3 })));
    for (const reply of await Promise.all(greedy)) expect(resultOf(reply)).toHaveProperty("place");
    expect(logged.join()).not.toContain("unhealthy");
  });

  it.each([
    ["one below", -1, true],
    ["at", 0, true],
    ["one above", 1, false],
  ])(
    "is sent more while it has not read so many bytes: %s the limit (limits: MAX_UNREAD_BYTES of open-stdio) (SAFE-5)",
    async (_, more, isSent) => {
      const { ask, call, downstream, length } = await stopped();
      // As the line that stopped it, with another name of four letters and a text; its line end counts, too.
      const text = "x".repeat(1_048_576 + more - length - '"text":""'.length - 1);
      const first = call("more", { text });
      const second = ask("other", 10);
      await downstream.close();
      expect(errorOf(await first)).toContain(UNKNOWN);
      expect(errorOf(await second).includes(UNKNOWN)).toBe(isSent);
    },
  );

  it("is not asked what waits, once it ended (SAFE-5)", async () => {
    const { ask, downstream } = await stopped();
    const all = [ask("greedy", 2_000_000), ask("greedy", 2_000_000), ask("modest", 10)];
    await downstream.close();
    const [first, ...waiting] = (await Promise.all(all)).map(errorOf);
    expect(first).toContain(UNKNOWN);
    for (const text of waiting) expect(text).not.toContain(UNKNOWN);
  });
});

describe("the hint of a server that ended", () => {
  async function hintOf(args: readonly string[]): Promise<string> {
    const launch: Launch = {
      kind: "stdio",
      command: process.execPath,
      args,
      env: new Map([["TOKEN", "s3cret-token"]]),
      cwd: process.cwd(),
    };
    const test = startDownstream({ launch });
    started.push(test);
    await test.downstream.firstAttempt;
    const { status } = test.downstream;
    return status.kind === "failed" ? status.hint : status.kind;
  }

  it("is its whole command, to be pasted, without secrets", async () => {
    expect(
      await hintOf(["-e", "process.exit(3)", "--", "--api-key", "abcd1234", "s3cret-token", "it's"]),
    ).toBe(
      `Run it by hand to see why: ${process.execPath} -e 'process.exit(3)' -- --api-key '••••' [hidden] 'it'\\''s'; --verbose shows its stderr.`,
    );
  });

  it("leaves out arguments that are too long to read", async () => {
    expect(await hintOf(["-e", `process.exit(3);${" ".repeat(300)}`])).toMatch(
      /^Run ".*" with its arguments by hand to see why; --verbose/,
    );
  });
});
