// The scripted servers are what they say they are: asked directly, with real SDK clients, in both eras.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ToolSource } from "@onym/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewaySources } from "./awful-tools.js";
import { type Control, createControl, type Directed, type Script } from "./control.js";

const ERAS = ["legacy", "modern"] as const;
const TRANSPORTS = ["stdio", "http"] as const;
const CASES = ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ era, transport })));

let control: Control;
const folder = mkdtempSync(join(tmpdir(), "onym-scripted-"));
const clients: Client[] = [];
let count = 0;

beforeAll(async () => {
  control = await createControl();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await control.close();
  rmSync(folder, { recursive: true, force: true });
});

type Case = (typeof CASES)[number];

async function open(
  { era, transport }: Case,
  script: Omit<Script, "label">,
): Promise<[Client, Directed, string]> {
  count += 1;
  const label = `server ${count}`;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: { elicitation: {}, roots: {}, sampling: {} },
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///here" }] }));
  clients.push(client);
  if (transport === "http") {
    const { url } = await control.startHttp({ ...script, label });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  } else {
    await client.connect(new StdioClientTransport(control.stdioEntry({ ...script, label }, folder)));
  }
  // Over stdio a modern client may begin with a process that only probes; the one that answers now is the one meant.
  await client.listTools();
  return [client, await control.server(label), label];
}

const nameOf = (tool: ToolSource["tools"][number]): string => (typeof tool === "string" ? tool : tool.name);

describe.each(CASES)("a scripted server over $transport in the $era era", (where) => {
  it("answers every awful name with its label, the raw name and the nonce", async () => {
    const names = gatewaySources[0]?.tools.map(nameOf) ?? [];
    const [client, , label] = await open(where, { tools: [...names], eras: [where.era] });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const [index, name] of names.entries()) {
      const args = { nonce: `n${index}` };
      const result = await client.callTool({ name, arguments: args });
      expect(result.structuredContent).toEqual({
        server: label,
        raw: name,
        nonce: args.nonce,
        arguments: args,
      });
    }
  });

  it("answers out of order when told to", async () => {
    const [client, server] = await open(where, { tools: ["a", "b"], behaviours: [{ hold: true }] });
    const order: string[] = [];
    const calls = ["a", "b"].map(async (name) => {
      await client.callTool({ name });
      order.push(name);
    });
    const { held } = await server.direct({ do: "awaitHeld", count: 2 });
    await server.direct({ do: "release", order: "lifo" });
    await Promise.all(calls);
    expect(order).toEqual([...(held as string[])].reverse());
  });

  it("asks the client", async () => {
    const ask = ["elicitation/create", "roots/list"] as const;
    const [client] = await open(where, { tools: ["a"], behaviours: [{ ask }] });
    const result = await client.callTool({ name: "a", arguments: {} });
    const echo = result.structuredContent as { readonly answers: readonly unknown[] };
    expect(echo.answers).toMatchObject([{ action: "accept", content: { name: "Ada" } }, { roots: [{}] }]);
  });

  it("tells of progress before it answers", async () => {
    const [client, server] = await open(where, { tools: ["a"], behaviours: [{ progress: 2, hold: true }] });
    let call: Promise<unknown> = Promise.resolve();
    // The client drops progress that arrives in one piece with the answer, so the answer waits until it was seen.
    await new Promise<void>((resolve) => {
      call = client.callTool({ name: "a" }, { onprogress: ({ progress }) => progress === 2 && resolve() });
    });
    await server.direct({ do: "awaitHeld", count: 1 });
    await server.direct({ do: "release" });
    await call;
  });

  it("changes its tools, hangs, resumes, and ends when told to", async () => {
    const [client, server] = await open(where, { tools: ["a"] });
    await server.direct({ do: "add", tools: ["constructor"] });
    await server.direct({ do: "hang" });
    const listed = client.listTools();
    await server.direct({ do: "awaitParked", count: 1 });
    await server.direct({ do: "resume" });
    expect((await listed).tools.map(({ name }) => name)).toEqual(["a", "constructor"]);
    expect(await server.direct({ do: "exit" })).toEqual({ gone: true });
    await server.gone;
  });
});

describe.each(TRANSPORTS)("a scripted server over %s", (transport) => {
  it("sends a modern subscriber the change of its tools", async () => {
    const [client, server] = await open({ era: "modern", transport }, { tools: ["a"] });
    const changed = new Promise<void>((resolve) =>
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve()),
    );
    await client.listen({ toolsListChanged: true });
    await server.direct({ do: "awaitListens", count: 1 });
    await server.direct({ do: "remove", names: ["a"] });
    await changed;
    expect((await client.listTools()).tools).toEqual([]);
  });

  it("refuses the other era where it speaks one", async () => {
    const legacy = open({ era: "modern", transport }, { eras: ["legacy"] });
    await expect(legacy).rejects.toThrow();
    const modern = open({ era: "legacy", transport }, { eras: ["modern"] });
    await expect(modern).rejects.toThrow();
  });
});

it("has awful tools on servers with names that collide", () => {
  const counted = gatewaySources.flatMap(({ tools }) => tools).length;
  expect([gatewaySources.length, counted]).toEqual([10, 289]);
  for (const { tools } of gatewaySources) expect(new Set(tools.map(nameOf)).size).toBe(tools.length);
});
