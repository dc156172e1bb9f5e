// The gate before real servers: child processes, and HTTP servers of both eras.

import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createCancelSource } from "../../mcp/fast-path/in-flight.js";
import type { Reply } from "../../mcp/message.js";
import { type ScriptedHttp, sendJson, serveScriptedHttp } from "../testing/serve-scripted-http.js";
import { readContent, startDownstream, type TestDownstream } from "../testing/start-downstream.js";
import { CALLER_IN_FLIGHT } from "./fair-queue.js";

const SCRIPT = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const errorOf = (reply: Reply): string => (reply.kind === "error" ? reply.error.message : reply.kind);
const greedy = { id: "greedy" };
const modest = { id: "modest" };

/** A server that works on `wait` for ever, and says which request that is. */
async function startProcess() {
  const test = startDownstream({
    launch: { kind: "stdio", command: process.execPath, args: [SCRIPT], env: new Map(), cwd: process.cwd() },
  });
  ends.push(() => test.downstream.close());
  await test.downstream.firstAttempt;
  const working = (): unknown[] =>
    test.notifications
      .filter(({ method }) => method === "notifications/test/waiting")
      .map(({ params }) => params?.["id"]);
  return { ...test, working };
}

/** One caller gives up as many calls as it may have in flight, and calls once more. */
async function giveUpAll({ call }: Pick<TestDownstream, "call">, name: string, begun: () => Promise<void>) {
  await call("echo", {}, modest);
  const { signal, cancel } = createCancelSource();
  const given = Array.from({ length: CALLER_IN_FLIGHT }, () => call(name, {}, greedy, { signal }));
  await begun();
  cancel();
  await Promise.all(given);
  const next = call(name, {}, greedy);
  await call("echo", {}, modest);
  return next;
}

describe("a server over stdio", () => {
  it("gets as many calls of one caller as its share, and those of others at once (SAFE-5)", async () => {
    const { call, working, downstream } = await startProcess();
    await call("echo", {}, modest);
    const all = Array.from({ length: 2 * CALLER_IN_FLIGHT }, () => call("wait", {}, greedy));
    expect(readContent(await call("echo", { n: 1 }, modest))).toMatchObject({ args: { n: 1 } });
    expect(working()).toHaveLength(CALLER_IN_FLIGHT);
    await downstream.close();
    await Promise.all(all);
  });

  it("gets no more calls of a caller that gave up so many, until it answers one of them (SAFE-6)", async () => {
    const test = await startProcess();
    const { call, working, until, downstream } = test;
    const next = giveUpAll(test, "wait", () => until(() => working().length === CALLER_IN_FLIGHT));
    await until(() => test.notifications.some(({ method }) => method === "notifications/test/cancelled"));
    await call("echo", {}, modest);
    expect(working()).toHaveLength(CALLER_IN_FLIGHT);
    const late = `{"jsonrpc":"2.0","id":${String(working()[3])},"result":{}}`;
    const answer = '{"jsonrpc":"2.0","id":$ID,"result":{}}';
    await call("write", { lines: [late, answer] }, modest);
    await until(() => working().length === CALLER_IN_FLIGHT + 1);
    await downstream.close();
    expect(errorOf(await next)).toContain("outcome is unknown");
  });

  it("that ends or is closed leaves nothing waiting for what was given up (SAFE-6)", async () => {
    for (const end of ["die", "close"]) {
      const test = await startProcess();
      const { working, until } = test;
      const next = giveUpAll(test, "wait", () => until(() => working().length === CALLER_IN_FLIGHT));
      await until(() => test.notifications.some(({ method }) => method === "notifications/test/cancelled"));
      await test.call("echo", {}, modest);
      if (end === "die") void test.call("die", {}, modest);
      else void test.downstream.close();
      const text = errorOf(await next);
      expect(text).not.toContain(end === "die" ? "outcome is unknown" : "waited");
    }
  });
});

/** A server that holds the answers of `hold`, and answers everything else. */
async function startHttp(): Promise<{ readonly server: ScriptedHttp; readonly held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  const server = await serveScriptedHttp(({ body }, response) => {
    if (body?.["method"] !== "tools/call") return false;
    if ((body["params"] as { readonly name: string }).name === "hold") held.push(response);
    else sendJson(response, { jsonrpc: "2.0", id: body["id"], result: { content: [] } });
    return true;
  });
  ends.push(() => server.close());
  return { server, held };
}

describe("a server over HTTP", () => {
  it("gets no more calls of a caller that gave up so many, until it answers another of that tool (SAFE-6)", async () => {
    const { server, held } = await startHttp();
    const test = startDownstream({ launch: { kind: "http", url: server.url, headers: new Map() } });
    ends.push(() => test.downstream.close());
    await test.downstream.firstAttempt;
    const { call } = test;
    const next = giveUpAll(test, "hold", () => expect.poll(() => held.length).toBe(CALLER_IN_FLIGHT));
    await expect
      .poll(() => server.received.filter(({ body }) => body?.["method"] === "notifications/cancelled").length)
      .toBe(CALLER_IN_FLIGHT);
    await call("echo", {}, modest);
    expect(held).toHaveLength(CALLER_IN_FLIGHT);
    const other = call("hold", {}, modest);
    await expect.poll(() => held.length).toBe(CALLER_IN_FLIGHT + 1);
    const answer = (index: number): void => {
      const id = server.received.filter(
        ({ body }) => (body?.["params"] as { readonly name?: string } | undefined)?.name === "hold",
      )[index]?.body?.["id"];
      const response = held[index];
      if (response !== undefined) sendJson(response, { jsonrpc: "2.0", id, result: { content: [] } });
    };
    answer(CALLER_IN_FLIGHT);
    expect((await other).kind).toBe("result");
    await expect.poll(() => held.length).toBe(CALLER_IN_FLIGHT + 2);
    answer(CALLER_IN_FLIGHT + 1);
    expect((await next).kind).toBe("result");
  });
});
