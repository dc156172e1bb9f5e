// What passes between client and downstream, in all four pairs of eras (GW-5): progress, cancellation, logs, questions.

import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Directed } from "../servers/control.js";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { type ClientSetup, connectV2 } from "./harness-clients.js";
import { askLegacy, askModern } from "./harness-raw.js";

const ERAS = ["legacy", "modern"] as const;
type Era = (typeof ERAS)[number];
type Json = Readonly<Record<string, unknown>>;

const TOOLS = ["report", "talk", "wait", "elicit", "sample", "roots", "all", "plain"];
const BEHAVIOURS = [
  { tool: "report", progress: 3 },
  { tool: "talk", log: ["one", "two"] },
  { tool: "wait", hold: true },
  { tool: "elicit", ask: ["elicitation/create"] },
  { tool: "sample", ask: ["sampling/createMessage"] },
  { tool: "roots", ask: ["roots/list"] },
  { tool: "all", ask: ["elicitation/create", "sampling/createMessage", "roots/list"] },
] as const;

const ELICITED = { action: "accept" as const, content: { name: "Ada" } };
const SAMPLED = { role: "assistant" as const, model: "m", content: { type: "text" as const, text: "words" } };
const ROOTS = { roots: [{ uri: "file:///tmp", name: "tmp" }] };

const able: ClientSetup = {
  capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } },
  prepareV2(client) {
    client.setRequestHandler("elicitation/create", () => ELICITED);
    client.setRequestHandler("sampling/createMessage", () => SAMPLED);
    client.setRequestHandler("roots/list", () => ROOTS);
  },
};

let stage: Stage;
let onym: RunningOnym;
const servers = new Map<string, Directed>();

beforeAll(async () => {
  stage = await createStage();
  const script = (label: string, era: Era) => ({ label, eras: [era], tools: TOOLS, behaviours: BEHAVIOURS });
  const http = await Promise.all(ERAS.map((era) => stage.control.startHttp(script(`http-${era}`, era))));
  onym = await stage.start({
    config: {
      mcpServers: {
        "stdio-legacy": stage.entry(script("stdio-legacy", "legacy")),
        "stdio-modern": stage.entry(script("stdio-modern", "modern")),
        "http-legacy": { url: http[0]?.url },
        "http-modern": { url: http[1]?.url },
      },
      naming: { style: "dotted", profile: "mcp" },
    },
  });
  for (const name of ["stdio-legacy", "stdio-modern", "http-legacy", "http-modern"])
    servers.set(name, await stage.control.server(name));
});

afterAll(() => stage.close());

const pairs = ERAS.flatMap((client) =>
  ["stdio-legacy", "stdio-modern", "http-legacy", "http-modern"].map((server) => [client, server] as const),
);

describe.each(pairs)("a %s client and %s downstream (GW-5)", (era, server) => {
  const connect = (): Promise<ClientV2> => connectV2({ url: onym.url, era, ...able });
  const name = (tool: string) => `${server}.${tool}`;

  it("progress arrives, in order, under the client's own token", async () => {
    const client = await connect();
    const heard: unknown[] = [];
    const result = await client.callTool(
      { name: name("report"), arguments: { nonce: "p" } },
      { onprogress: ({ progress, total }) => void heard.push([progress, total]) },
    );
    expect(result.structuredContent).toMatchObject({ raw: "report", nonce: "p" });
    expect(heard).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    await client.close();
  });

  it("cancellation reaches the downstream", async () => {
    const client = await connect();
    const directed = await directedOf(server);
    await directed.direct({ do: "forget" });
    const stop = new AbortController();
    const call = client.callTool({ name: name("wait") }, { signal: stop.signal });
    await directed.direct({ do: "awaitHeld", count: 1 });
    stop.abort();
    await expect(call).rejects.toThrow();
    if (server !== "http-modern") {
      const { received } = await directed.direct({ do: "awaitReceived", method: "notifications/cancelled" });
      const [first] = received as readonly { params: Json }[];
      const all = (await directed.direct({ do: "received" }))["received"] as readonly Json[];
      const asked = all.find(({ method }) => method === "tools/call");
      expect(first?.params["requestId"]).toBe(asked?.["id"]);
    }
    await directed.direct({ do: "release" });
    // The connection is as good as before.
    expect((await client.callTool({ name: name("plain") })).structuredContent).toMatchObject({
      raw: "plain",
    });
    await client.close();
  });

  it.each([
    ["elicit", [ELICITED]],
    ["sample", [SAMPLED]],
    ["roots", [ROOTS]],
    ["all", [ELICITED, SAMPLED, ROOTS]],
  ] as const)("the question of %s is put to the client and its answer goes back", async (tool, answers) => {
    const client = await connect();
    const { structuredContent, isError } = await client.callTool({
      name: name(tool),
      arguments: { nonce: "q" },
    });
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({ raw: tool, nonce: "q", answers });
    await client.close();
  });

  it("a client that cannot be asked gets an answer all the same", async () => {
    const client = await connectV2({ url: onym.url, era });
    const outcome = await client.callTool({ name: name("elicit") }).then(
      ({ structuredContent }) => JSON.stringify(structuredContent),
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/elicitation/);
    await client.close();
  });

  it("log messages arrive from the level that was asked for", async () => {
    if (era === "modern") {
      const call = { url: onym.url, method: "tools/call", params: { name: name("talk") } };
      expect(logsIn((await askModern({ ...call, logLevel: "info" })).notices)).toEqual(["one", "two"]);
      expect(logsIn((await askModern({ ...call, logLevel: "error" })).notices)).toEqual([]);
      expect(logsIn((await askModern(call)).notices)).toEqual([]);
      return;
    }
    const client = await connect();
    const heard: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data));
    await client.setLoggingLevel("error");
    await client.callTool({ name: name("talk") });
    expect(heard).toEqual([]);
    await client.setLoggingLevel("debug");
    await client.callTool({ name: name("talk") });
    expect(heard).toEqual(["one", "two"]);
    await client.close();
  });
});

describe("arguments and results", () => {
  it("arguments go through untouched, and so do fields of a result that no one knows (GW-5)", async () => {
    const given = { nonce: "n", __proto__x: [1, { a: null }], "": "empty", large: 1e21, deep: { a: [[[]]] } };
    for (const ask of [askLegacy, askModern])
      for (const server of servers.keys()) {
        const params = { name: `${server}.plain`, arguments: given };
        const { result } = await ask({ url: onym.url, method: "tools/call", params });
        expect(result?.["structuredContent"]).toMatchObject({ arguments: given, raw: "plain", server });
      }
  });

  it("a task is asked of no server: its id would be of no use to the client (GW-5)", async () => {
    for (const ask of [askLegacy, askModern])
      for (const server of servers.keys()) {
        const params = { name: `${server}.plain`, arguments: { task: "kept" }, task: { ttl: 60_000 } };
        const { result } = await ask({ url: onym.url, method: "tools/call", params });
        expect(result?.["structuredContent"]).toMatchObject({ arguments: { task: "kept" }, raw: "plain" });
        const { received } = await (await directedOf(server)).direct({ do: "received" });
        const calls = (received as readonly Json[]).filter(({ method }) => method === "tools/call");
        expect(calls.at(-1)?.["params"]).not.toHaveProperty("task");
      }
  });
});

async function directedOf(server: string): Promise<Directed> {
  const directed = servers.get(server);
  if (directed === undefined) throw new Error(`no server ${server}`);
  return directed;
}

function logsIn(notices: readonly Json[]): readonly unknown[] {
  return notices
    .filter(({ method }) => method === "notifications/message")
    .map(({ params }) => (params as Json)["data"]);
}
