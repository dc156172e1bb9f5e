import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Bundle, bundleServer } from "../../../../../test/edge/bundle-server.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";

const INFO = { name: "test", version: "1" };
const ANSWER = { action: "accept" as const, content: { who: "me" } };

let edge: ServedEdge;
let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleServer(new URL("../../../../../test/edge/stdio-server.ts", import.meta.url));
});
afterAll(() => bundle.remove());
beforeEach(async () => {
  edge = await serveEdge();
});
afterEach(() => edge.close());

describe("the SDK of 1.x", () => {
  const transports = {
    "Streamable HTTP": () => new Http1(new URL(edge.url)),
    "HTTP+SSE": () => new SSEClientTransport(new URL(`${edge.origin}/sse`)),
    stdio: () => new Stdio1({ command: process.execPath, args: [bundle.file], stderr: "pipe" }),
  };
  const connect = async (kind: keyof typeof transports) => {
    const client = new Client1(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's transports do not fit its own interface with exact optional types
    await client.connect(transports[kind]() as any);
    return client;
  };

  it.each(["Streamable HTTP", "HTTP+SSE", "stdio"] as const)("works over %s (GW-1)", async (kind) => {
    const client = await connect(kind);
    await client.ping();
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
    const echoed = await client.callTool({ name: "echo", arguments: { a: "ä" } });
    expect(echoed["content"]).toEqual([{ type: "text", text: '{"a":"ä"}' }]);

    const progress: number[] = [];
    await client.callTool({ name: "progress", arguments: { hold: true } }, CallToolResultSchema, {
      onprogress: (step) => {
        if (progress.push(step.progress) === 3) void client.callTool({ name: "release" });
      },
    });
    expect(progress).toEqual([1, 2, 3]);

    const asked = await client.callTool({ name: "ask" });
    expect(asked["content"]).toEqual([{ type: "text", text: JSON.stringify(ANSWER) }]);
    await expect(client.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32602 });

    const controller = new AbortController();
    const waiting = client.callTool({ name: "wait" }, CallToolResultSchema, { signal: controller.signal });
    if (kind !== "stdio") await edge.router.until("begin wait");
    controller.abort("enough");
    await expect(waiting).rejects.toThrow();
    if (kind !== "stdio") await edge.router.until("abort wait");
    await client.ping();
    await client.close();
  });

  it("is told of changes on its stream, and ends its session", async () => {
    const client = new Client1(INFO);
    const transport = new Http1(new URL(edge.url));
    const changed = new Promise((resolve) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, resolve),
    );
    // biome-ignore lint/suspicious/noExplicitAny: as above
    await client.connect(transport as any);
    edge.router.sessions[0]?.channel.notify({ method: "notifications/tools/list_changed", params: {} });
    await changed;
    await transport.terminateSession();
    expect(edge.router.events).toContain("leave");
    await client.close();
  });

  it("over HTTP+SSE leaves when its stream ends", async () => {
    const client = await connect("HTTP+SSE");
    await client.close();
    await edge.router.until("leave");
  });

  it("takes up a long call again when its connection breaks", async () => {
    const transport = new Http1(new URL(edge.url), {
      reconnectionOptions: {
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 5,
      },
    });
    const client = new Client1(INFO);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    await client.connect(transport as any);
    let hasEvent = () => {};
    const resumable = new Promise<void>((resolve) => {
      hasEvent = resolve;
    });
    const waiting = client.callTool({ name: "wait" }, CallToolResultSchema, {
      onresumptiontoken: () => hasEvent(),
    });
    await edge.router.until("begin wait");
    edge.clock.pass(250);
    await resumable;
    edge.breakConnections();
    edge.router.release();
    expect((await waiting)["content"]).toEqual([{ type: "text", text: "waited" }]);
    await client.close();
  });
});

describe("the SDK of 2.x", () => {
  const modes = ["legacy", "auto", { pin: "2026-07-28" }] as const;
  const connect = async (mode: (typeof modes)[number], transport: Http2 | Stdio2) => {
    const client = new Client2(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", () => ANSWER);
    await client.connect(transport);
    return client;
  };

  it.each(modes.flatMap((mode) => [["HTTP", mode] as const, ["stdio", mode] as const]))(
    "works over %s in the mode %j (GW-1)",
    async (kind, mode) => {
      const transport =
        kind === "HTTP"
          ? new Http2(new URL(edge.url))
          : new Stdio2({ command: process.execPath, args: [bundle.file], stderr: "pipe" });
      const client = await connect(mode, transport);
      expect(client.getNegotiatedProtocolVersion()).toBe(mode === "legacy" ? "2025-11-25" : "2026-07-28");
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
      const echoed = await client.callTool({ name: "echo", arguments: { a: "ä" } });
      expect(echoed.content).toEqual([{ type: "text", text: '{"a":"ä"}' }]);

      const progress: number[] = [];
      // The SDK forgets who wants progress as soon as it has the answer, so the answer waits.
      await client.callTool(
        { name: "progress", arguments: { hold: true } },
        {
          onprogress: (step) => {
            if (progress.push(step.progress) === 3) void client.callTool({ name: "release" });
          },
        },
      );
      expect(progress).toEqual([1, 2, 3]);

      const asked = await client.callTool({ name: "ask" });
      expect(asked.content).toEqual([{ type: "text", text: JSON.stringify(ANSWER) }]);
      await expect(client.callTool({ name: "nothing" })).rejects.toMatchObject({ code: -32602 });

      const controller = new AbortController();
      const waiting = client.callTool({ name: "wait" }, { signal: controller.signal });
      if (kind === "HTTP") await edge.router.until("begin wait");
      controller.abort();
      await expect(waiting).rejects.toThrow();
      if (kind === "HTTP") await edge.router.until("abort wait");
      expect((await client.listTools()).tools).toHaveLength(5);
      await client.close();
    },
  );

  it("ends its session", async () => {
    const transport = new Http2(new URL(edge.url));
    const client = await connect("legacy", transport);
    await transport.terminateSession();
    expect(edge.router.events).toContain("leave");
    await client.close();
  });
});
