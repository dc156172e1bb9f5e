import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { createEchoRouter, type EchoRouter } from "../../../../../test/edge/echo-router.js";
import { envelope, initialize, modern } from "../../../../../test/edge/http-client.js";
import { MAX_ID_LENGTH } from "../../mcp/message.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";
import { createStdioEdge, type StdioEdge } from "./create-stdio-edge.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Loose = any;

let router: EchoRouter;
let input: PassThrough;
let output: PassThrough;
let edge: StdioEdge;
beforeEach(() => {
  router = createEchoRouter();
  input = new PassThrough();
  output = new PassThrough();
  const limits = { ...DEFAULT_EDGE_LIMITS, requestBytes: 100_000, streams: 2 };
  edge = createStdioEdge({ router, input, output, limits, hints: { profile: "claude", as: "x" } });
});

const write = (...messages: unknown[]) => {
  for (const message of messages) {
    input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }
};
let rest = "";
const read = async (): Promise<Loose> => {
  for (;;) {
    const end = rest.indexOf("\n");
    if (end !== -1) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      return JSON.parse(line);
    }
    const chunk: Buffer | null = output.read();
    if (chunk === null) await new Promise((resolve) => output.once("readable", resolve));
    else rest += chunk.toString();
  }
};
beforeEach(() => {
  rest = "";
});

async function readLines(stream: PassThrough, count: number): Promise<readonly string[]> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    text += chunk;
    if (text.split("\n").length > count) break;
  }
  return text.split("\n").slice(0, count);
}

const ping = (id: string | number) => ({ jsonrpc: "2.0", id, method: "ping" });
const call = (name: string, id: string | number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

describe("a client with a session over stdio", () => {
  it("is answered in order of its opening, even when it does not wait for it (GW-1)", async () => {
    write(initialize(), { jsonrpc: "2.0", method: "notifications/initialized" }, ping("1"), ping(1));
    expect((await read()).result.protocolVersion).toBe("2025-11-25");
    expect([(await read()).id, (await read()).id]).toEqual(["1", 1]);
    expect(router.events).toEqual(["open", "accept notifications/initialized"]);
    expect([router.hints[0]?.profile, router.hints[0]?.as]).toEqual(["claude", "x"]);
  });

  it("has to begin with initialize, and only once", async () => {
    write(call("echo", 1), ping(2), initialize(), initialize());
    expect((await read()).error.code).toBe(-32600);
    expect((await read()).result).toEqual({});
    expect((await read()).result.protocolVersion).toBe("2025-11-25");
    expect((await read()).error.code).toBe(-32600);
  });

  it("gets progress, is asked, and cancels", async () => {
    write(initialize(), call("progress", 1));
    await read();
    const progress = [await read(), await read(), await read()];
    expect(progress.map(({ params }) => params.progress)).toEqual([1, 2, 3]);
    expect((await read()).id).toBe(1);

    write(call("ask", 2));
    const question = await read();
    write({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } });
    expect((await read()).result.content[0].text).toBe('{"action":"decline"}');

    write(call("wait", 3));
    await router.until("begin wait");
    write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } }, ping(4));
    expect((await read()).id).toBe(4);
    await router.until("abort wait");
  });

  it("is told and asked outside of its requests", async () => {
    write(initialize());
    await read();
    const channel = router.sessions[0]?.channel;
    channel?.notify({ method: "notifications/tools/list_changed", params: {} });
    expect((await read()).method).toBe("notifications/tools/list_changed");
    const controller = new AbortController();
    const reply = channel?.sendRequest({ method: "roots/list", params: {} }, controller.signal);
    const { id } = await read();
    controller.abort();
    expect(await reply).toMatchObject({ kind: "error" });
    expect(await read()).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
  });

  it("may send batches in 2025-03-26 only", async () => {
    write([ping(1)], initialize("2025-03-26"), [ping(2), ping("b"), { jsonrpc: "2.0", method: "x" }]);
    expect((await read()).error.code).toBe(-32600);
    await read();
    expect((await read()).map(({ id }: Loose) => id)).toEqual([2, "b"]);
  });

  it("is told when there is too much in a message to parse it, and goes on (SAFE-4)", async () => {
    write(initialize("2025-03-26"));
    await read();
    write(`[${"{},".repeat(30_000)}{}]`, ping(1));
    const { error } = await read();
    expect([error.code, error.message]).toEqual([-32600, expect.stringContaining("5000 values")]);
    expect((await read()).id).toBe(1);
  });
});

describe("a modern client over stdio", () => {
  it("is answered request by request, and may look before it chooses (GW-1)", async () => {
    write(modern("server/discover", {}, 1).body);
    expect((await read()).result.supportedVersions).toEqual(["2026-07-28"]);
    write(initialize());
    expect((await read()).result.protocolVersion).toBe("2025-11-25");
  });

  it("stays modern after its first request", async () => {
    write(modern("tools/list", {}, 1).body);
    expect((await read()).result.resultType).toBe("complete");
    write(initialize(), ping(2), modern("ping", {}, 3).body);
    const codes = [await read(), await read(), await read()].map(({ id, error }) => [id, error.code]);
    expect(codes.sort()).toEqual([
      [0, -32022],
      [2, -32602],
      [3, -32601],
    ]);
  });

  it("learns what is wrong with its envelope", async () => {
    const bad = envelope({ "io.modelcontextprotocol/clientCapabilities": 1 });
    write({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: bad } });
    expect((await read()).error.code).toBe(-32602);
    const other = envelope({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" });
    write({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta: other } });
    expect((await read()).error.data).toEqual({ supported: ["2026-07-28"], requested: "2099-01-01" });
  });

  it("subscribes, is told, and cancels", async () => {
    const listen = (id: string) =>
      modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, id).body;
    write(listen("a"), listen("b"), listen("c"));
    expect((await read()).params.notifications).toEqual({ toolsListChanged: true });
    await read();
    expect((await read()).error.code).toBe(-32603);
    write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } });
    await router.until("unlisten");
    router.publish({ method: "notifications/tools/list_changed", params: {} });
    expect((await read()).params._meta).toEqual({ "io.modelcontextprotocol/subscriptionId": "b" });
    await edge.close();
    expect(await read()).toMatchObject({ id: "b", result: { resultType: "complete" } });
  });
});

describe("a large answer that was made ready", () => {
  it("goes out whole, as bytes, in its place among the others", async () => {
    const out = new PassThrough();
    const large = `{"text":${JSON.stringify("größe 😀 ".repeat(20_000))}}`;
    const respond: EchoRouter["handle"] = async ({ method }) =>
      method === "tools/list"
        ? { kind: "bytes", pieces: [Buffer.from(large)] }
        : { kind: "result", result: {} };
    const source = new PassThrough();
    createStdioEdge({ router: { ...router, handle: respond }, input: source, output: out });
    const list = { jsonrpc: "2.0", method: "tools/list" };
    for (const message of [initialize(), ping(1), { ...list, id: "a" }, { ...list, id: 2 }, ping(3)])
      source.write(`${JSON.stringify(message)}\n`);
    const lines = await readLines(out, 5);
    expect(lines.map((text) => JSON.parse(text).id)).toEqual([0, 1, "a", 2, 3]);
    expect(lines[2]).toBe(`{"jsonrpc":"2.0","id":"a","result":${large}}`);
  });
});

describe("the stdio edge", () => {
  it("answers what is not JSON, or not a message, and goes on", async () => {
    const answerTo = async (line: string | Buffer) => {
      input.write(line);
      const { id, error } = await read();
      return [id, error?.code];
    };
    expect(await answerTo("{\n")).toEqual([null, -32700]);
    expect(await answerTo(Buffer.from([0xff, 0x0a]))).toEqual([null, -32700]);
    expect(await answerTo("5\n")).toEqual([null, -32600]);
    expect(await answerTo('{"jsonrpc":"2.0","id":4,"method":7}\r\n')).toEqual([4, -32600]);
    const longId = "x".repeat(MAX_ID_LENGTH + 1);
    expect(await answerTo(`${JSON.stringify(ping(longId))}\n`)).toEqual([longId, -32600]);
    expect(await answerTo(`\n${JSON.stringify(ping(1))}\n`)).toEqual([1, undefined]);
  });

  it("outlives what is nested too deeply to be answered", async () => {
    write(initialize());
    await read();
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"a":${deep}}}}`,
    );
    expect((await read()).error.code).toBe(-32700);
    write(ping(2));
    expect((await read()).id).toBe(2);
  });

  it("ends the connection at a message that is too large: one below, at and one above (limits.requestBytes) (SAFE-4)", async () => {
    write(initialize());
    await read();
    const sized = (bytes: number): string => {
      const text = JSON.stringify({ ...ping(bytes), more: "" });
      return text.replace('"more":""', `"more":"${"x".repeat(bytes - text.length)}"`);
    };
    for (const bytes of [99_999, 100_000]) {
      write(sized(bytes));
      expect(await read()).toMatchObject({ id: bytes, result: {} });
    }
    write(sized(100_001));
    expect(await read()).toMatchObject({ id: null, error: { code: -32600 } });
    await edge.closed;
    expect(router.events).toEqual(["open", "leave"]);
  });

  it("aborts what is under way when the input ends, and says nothing more", async () => {
    write(initialize(), call("wait", 1));
    await read();
    await router.until("begin wait");
    input.end();
    await edge.closed;
    await router.until("abort wait");
    expect(router.events.filter((event) => event === "leave")).toHaveLength(1);
    expect(output.read()).toBeNull();
  });

  it("stops reading while its client does", async () => {
    write(initialize());
    await read();
    const big = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "echo", arguments: { a: "x".repeat(9000) } },
    };
    for (let count = 0; count < 20; count++) write({ ...big, id: count });
    await new Promise((resolve) => setImmediate(resolve));
    expect(input.isPaused()).toBe(true);
    for (let count = 0; count < 20; count++) expect((await read()).id).toBe(count);
  });

  it("closes when its output breaks", async () => {
    write(initialize());
    await read();
    output.destroy(new Error("EPIPE"));
    await edge.closed;
    expect(router.events).toEqual(["open", "leave"]);
  });

  it("can be closed more than once", async () => {
    await Promise.all([edge.close(), edge.close()]);
    await edge.closed;
  });
});
