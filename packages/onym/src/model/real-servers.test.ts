import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startDownstream } from "../downstream/testing/start-downstream.js";
import type { Launch } from "./launch.js";

const EVERYTHING = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
const children: ChildProcess[] = [];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Starts the reference server over HTTP; it says on stderr or stdout when it listens. */
async function serve(transport: "streamableHttp" | "sse"): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, transport], {
    env: { ...process.env, PORT: String(port) },
  });
  children.push(child);
  await new Promise<void>((resolve) => {
    const look = (chunk: Buffer): void => {
      if (chunk.toString().includes(String(port))) resolve();
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
  });
  return port;
}

const launches: readonly (readonly [string, () => Promise<Launch>])[] = [
  [
    "stdio",
    async () => ({
      kind: "stdio",
      command: process.execPath,
      args: [EVERYTHING, "stdio"],
      env: new Map(),
      cwd: process.cwd(),
    }),
  ],
  [
    "streamable HTTP",
    async () => ({
      kind: "http",
      url: `http://127.0.0.1:${await serve("streamableHttp")}/mcp`,
      headers: new Map(),
    }),
  ],
  [
    "SSE",
    async () => ({ kind: "sse", url: `http://127.0.0.1:${await serve("sse")}/sse`, headers: new Map() }),
  ],
  [
    "SSE at an address that is taken for streamable HTTP",
    async () => ({ kind: "http", url: `http://127.0.0.1:${await serve("sse")}/sse`, headers: new Map() }),
  ],
];

afterAll(() => {
  for (const child of children) child.kill();
});

describe.each(launches)("the reference server over %s", (_, launch) => {
  it("is listed, called, reports progress and asks its caller (GW-1, GW-5)", async () => {
    const { downstream, call } = startDownstream({
      launch: await launch(),
      onServerRequest: () => ({ kind: "result", result: { roots: [] } }),
    });
    await downstream.firstAttempt;
    expect(downstream.status).toMatchObject({ kind: "ready", era: "legacy", revision: "2025-11-25" });
    expect(downstream.inventory?.tools.map(({ name }) => name)).toContain("echo");
    expect(downstream.inventory?.resources.length).toBeGreaterThan(0);
    expect(downstream.inventory?.templates.length).toBeGreaterThan(0);
    expect(downstream.inventory?.prompts.length).toBeGreaterThan(0);
    expect(downstream.inventory?.problems).toEqual([]);
    expect(JSON.stringify(await call("echo", { message: "hello" }))).toContain("Echo: hello");

    const told: unknown[] = [];
    const long = { duration: 0.05, steps: 2 };
    await call("trigger-long-running-operation", long, {
      wantsProgress: true,
      // It writes to its log whenever it likes.
      notify: (notification) => notification.method === "notifications/progress" && told.push(notification),
    });
    expect(told).toEqual(
      [1, 2].map((progress) => ({ method: "notifications/progress", params: { progress, total: 2 } })),
    );

    const sampled = await call(
      "trigger-sampling-request",
      { prompt: "hey" },
      {
        capabilities: { sampling: {} },
        sendRequest: async ({ method }) => ({
          kind: "result",
          result: { role: "assistant", model: "m", content: { type: "text", text: `by ${method}` } },
        }),
      },
    );
    expect(JSON.stringify(sampled)).toContain("by sampling/createMessage");
    await downstream.close();
    expect(downstream.status.kind).toBe("closed");
  });
});
