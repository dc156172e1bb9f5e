// Arguments and results are passed on byte for byte: numbers that no double holds, escapes, order and spaces (GW-5).

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../packages/onym/src/store/open-store.js";
import { projectRoot } from "../project-files.js";
import { ONYM_BIN, onymEnvironment, onymFolder, type RunningOnym, startOnym } from "./harness.js";

const SERVER = `${projectRoot}/test/servers/verbatim-server.mjs`;
const ARGUMENTS =
  '{"n":12345678901234567890,"x":1.50,"e":"\\u00e9\\/","a":[ 1,2 ],"z":-0.0,"":{"__proto__":1}}';
/** Beyond the size from which on nothing of them is read. */
const LARGE = `{"text":"${'\\"quoted\\" \\u00e9 é😀 ]}'.repeat(10_000)}",${ARGUMENTS.slice(1)}`;
const ANSWERED = `"structuredContent":{"sent":${ARGUMENTS}},"huge":12345678901234567890,"x":1.0e0`;
const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "verbatim", version: "1" },
};
const INITIALIZE = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: HELLO });

const children: ChildProcessWithoutNullStreams[] = [];
let config: unknown;
let onym: RunningOnym;
let session: string;

const headers = () => ({
  "content-type": "application/json",
  accept: "application/json",
  ...(session === undefined ? {} : { "mcp-session-id": session }),
});
const post = (body: string) => fetch(onym.url, { method: "POST", headers: headers(), body });
const call = (name: string, args = ARGUMENTS) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;

async function startHttp(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [SERVER, "0", ...args]);
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return `http://127.0.0.1:${line}/mcp`;
  throw new Error("the server ended");
}

type Ask = (line: string) => Promise<string>;

async function withStdioClient(
  work: (ask: Ask, dir: string) => Promise<void>,
  more = {},
  hello = INITIALIZE,
) {
  const { dir, remove } = onymFolder({ config: { ...(config as object), ...more } });
  const child = spawn(process.execPath, [ONYM_BIN, "serve", "--stdio", "--config", "onym.json"], {
    cwd: dir,
    env: onymEnvironment(dir, {}),
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    return (await lines.next()).value;
  };
  await ask(hello);
  await work(ask, dir);
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  remove();
}

beforeAll(async () => {
  config = {
    naming: { style: "dotted", profile: "mcp" },
    mcpServers: {
      pipe: { command: process.execPath, args: [SERVER] },
      web: { url: await startHttp() },
      lines: { url: await startHttp("--pretty") },
    },
  };
  onym = await startOnym({ config });
  const opened = await post(INITIALIZE);
  session = opened.headers.get("mcp-session-id") ?? "";
});

afterAll(async () => {
  await onym.stop();
  for (const child of children) child.kill();
});

describe("byte for byte", () => {
  it.each(["pipe.echo", "web.echo"])("arguments go to %s, and its result comes back (GW-5)", async (name) => {
    const text = await (await post(call(name))).text();
    expect(text).toContain(ANSWERED);
  });

  it.each(["pipe.echo", "web.echo"])("large arguments go to %s, and come back (GW-5)", async (name) => {
    const text = await (await post(call(name, LARGE))).text();
    expect(text.includes(`{"sent":${LARGE}},"huge":12345678901234567890,"x":1.0e0`)).toBe(true);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", id: 1, result: { content: [] } });
  });

  it.each([
    ["are broken", LARGE.replace('"z":-0.0', '"z":-0.')],
    ["have a control character in a text", LARGE.replace("quoted", "quo\ted")],
    ["are nested beyond reason", `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["would add to the message", `${LARGE}},"method":"ping"`],
    ["end too soon", LARGE.slice(0, -20)],
  ])("large arguments that %s are refused at once, and reach nobody (SAFE-1)", async (_how, args) => {
    const answer = await post(call("web.echo", args));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it("large arguments that are no UTF-8 are refused", async () => {
    const body = Buffer.from(call("web.echo", LARGE));
    body[body.indexOf("quoted")] = 0xff;
    const answer = await fetch(onym.url, { method: "POST", headers: headers(), body });
    expect(answer.status).toBe(400);
  });

  it("large arguments with a name twice are sent on as they are understood", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${LARGE},"name":"web.echo","arguments":{"a":2}}}`;
    const text = await (await post(body)).text();
    expect(text).toContain('{"sent":{"a":2}}');
  });

  it("arguments in many lines reach a server over stdio in one", async () => {
    const spread = '{\n  "n" : 1,\r\n  "text": "two\\nlines" }';
    const text = await (await post(call("pipe.echo", spread))).text();
    expect(text).toContain('"lines":1,');
    expect(text).toContain('{"sent":{"n":1,"text":"two\\nlines"}}');
  });

  it("arguments with a name twice are sent on as they are understood", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":1},"name":"web.echo","arguments":{"a":2}}}`;
    const text = await (await post(body)).text();
    expect(text).toContain('{"sent":{"a":2}}');
  });

  it.each([
    ["small", ""],
    ["large", `"text":"${"x".repeat(10_000)}",`],
  ])("%s arguments that somebody was shown are sent as they were shown (POL-3)", async (_, more) => {
    const hello = INITIALIZE.replace('"capabilities":{}', '"capabilities":{"elicitation":{"form":{}}}');
    const twice = `{${more}"path":"/secret","path":"/fine"}`;
    await withStdioClient(
      async (ask) => {
        const question = JSON.parse(await ask(call("pipe.echo", twice)));
        expect(question.method).toBe("elicitation/create");
        const result = { action: "accept", content: { decision: "once" } };
        const answer = await ask(JSON.stringify({ jsonrpc: "2.0", id: question.id, result }));
        expect(answer).toContain(`{"sent":{${more}"path":"/fine"}}`);
        expect(answer).not.toContain("secret");
      },
      { policy: { default: "ask" } },
      hello,
    );
  });

  it.each([
    ["small", ""],
    ["large", `"text":"${"x".repeat(10_000)}",`],
  ])("%s arguments that are kept on record are sent as they are kept (POL-4)", async (_, more) => {
    await withStdioClient(
      async (ask, dir) => {
        const answer = await ask(call("pipe.echo", `{${more}"path":"/secret","path":"/fine"}`));
        const sent = `{${more}"path":"/fine"}`;
        expect(answer).toContain(`{"sent":${sent}}`);
        const store = await openStore({ location: "onym.db", folder: dir });
        const [intent] = await store.audit.read({ limit: 1 });
        await store.close();
        const argumentsDigest = createHash("sha256").update(sent).digest("hex");
        expect(intent).toMatchObject({ kind: "intent", arguments: JSON.parse(sent), argumentsDigest });
      },
      { audit: { arguments: true } },
    );
  });

  it("large results come back over an event stream, too (GW-5)", async () => {
    const streaming = { ...headers(), accept: "text/event-stream" };
    const body = call("web.echo", LARGE);
    const text = await (await fetch(onym.url, { method: "POST", headers: streaming, body })).text();
    expect(text).toMatch(/^data: \{"jsonrpc":"2\.0","id":1,"result":/m);
    expect(text.includes(`{"sent":${LARGE}},"huge":12345678901234567890,"x":1.0e0}}\n`)).toBe(true);
  });

  it("large arguments and results pass a client over stdio, each in one line (GW-5)", async () => {
    await withStdioClient(async (ask) => {
      for (const name of ["pipe.echo", "web.echo"]) {
        const line = await ask(call(name, LARGE));
        expect(line.startsWith('{"jsonrpc":"2.0","id":1,"result":')).toBe(true);
        expect(line.includes(`{"sent":${LARGE}},"huge":12345678901234567890`)).toBe(true);
      }
    });
  });

  it("a result in many lines reaches a client over stdio in one", async () => {
    await withStdioClient(async (ask) => {
      const { result } = JSON.parse(await ask(call("lines.echo", '{"a":1}')));
      expect(result.structuredContent).toEqual({ sent: { a: 1 } });
    });
  });
});
