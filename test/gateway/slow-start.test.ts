// A server that is slow to start: clients are introduced without it, their lists wait for it (GW-1, NAME-4).

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onymFolder, startOnym } from "./harness.js";
import { connectV1Stdio, connectV2, connectV2Stdio } from "./harness-clients.js";

/** Reads its first request once the test lets it: it waits for a line from a port, where there is one. */
const SERVER = `
  const { createInterface } = require("node:readline");
  const [name, port] = process.argv.slice(1);
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const serve = () => createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const about = { capabilities: { tools: {} }, serverInfo: { name, version: "1" }, instructions: "I am " + name + "." };
    if (method === "initialize") send(id, { protocolVersion: params.protocolVersion, ...about });
    if (method === "tools/list") send(id, { tools: [{ name: "search", inputSchema: { type: "object" } }] });
    if (method === "tools/call") send(id, { content: [{ type: "text", text: name }] });
  });
  if (port === undefined) serve();
  else require("node:net").connect(Number(port), "127.0.0.1").once("data", serve).on("error", () => process.exit());
`;

const gate = createServer();
let isOpen = false;
const held = new Set<Socket>();
gate.on("connection", (socket) => {
  held.add(socket.on("error", () => {}).on("close", () => held.delete(socket)));
  if (isOpen) socket.write("go\n");
});

function release(): void {
  isOpen = true;
  for (const socket of held) socket.write("go\n");
}

const ends: (() => unknown)[] = [];
beforeEach(async () => {
  isOpen = false;
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  for (const socket of held) socket.destroy();
  gate.close();
});

/** `archive` is slow, `books` is not; lists wait as long as the test needs. */
function config(): unknown {
  const { port } = gate.address() as AddressInfo;
  const started = (...args: string[]) => ({ command: process.execPath, args: ["-e", SERVER, ...args] });
  return {
    mcpServers: { archive: started("archive", String(port)), books: started("books") },
    naming: { style: "bare" },
    limits: { listMs: 120_000, startMs: 120_000 },
  };
}

/** As the slow server comes first by name, it gets the name that both want, whoever was up first. */
const OWNERS = [
  ["search", "archive"],
  ["search_2", "books"],
];

describe("a client of a gateway whose server is slow to start", () => {
  it.each([
    ["v1", connectV1Stdio],
    ["v2, 2026-07-28", (setup: { dir: string }) => connectV2Stdio({ ...setup, era: "modern" })],
  ] as const)("is introduced at once over stdio, and its list waits: SDK %s", async (_, connect) => {
    const { dir, remove } = onymFolder({ config: config() });
    ends.push(remove);
    const lists: unknown[] = [];
    for (let start = 0; start < 2; start += 1) {
      isOpen = false;
      const client = await connect({ dir });
      ends.push(() => client.close());
      expect(client.getInstructions()).not.toContain("I am archive.");
      const listing = client.listTools();
      release();
      const { tools } = await listing;
      expect(tools.map(({ name }) => name)).toEqual(["search", "search_2"]);
      for (const [name = "", text] of OWNERS)
        expect(await client.callTool({ name, arguments: {} })).toMatchObject({ content: [{ text }] });
      lists.push(JSON.stringify(tools));
      await client.close();
    }
    expect(lists[1]).toBe(lists[0]);
  });

  it("gets no list before one server is up, however long that takes", async () => {
    const { port } = gate.address() as AddressInfo;
    const slow = (name: string) => ({ command: process.execPath, args: ["-e", SERVER, name, String(port)] });
    const limits = { listMs: 1, startMs: 120_000 };
    const { dir, remove } = onymFolder({ config: { mcpServers: { archive: slow("archive") }, limits } });
    ends.push(remove);
    const client = await connectV1Stdio({ dir });
    ends.push(() => client.close());
    const listing = client.listTools();
    // `listMs` has passed, and the server waits for the test: only a list that waits for it can name its tool.
    if (held.size === 0) await once(gate, "connection");
    release();
    expect((await listing).tools.map(({ name }) => name)).toEqual(["archive_search"]);
  });

  it("hears the instructions of the others, and what is up first takes no name from what is not", async () => {
    const onym = await startOnym({ config: config() });
    ends.push(() => onym.stop());
    await onym.said(/ready +books/);
    const client = await connectV2({ url: onym.url });
    ends.push(() => client.close());
    expect(client.getInstructions()).toContain("I am books.");
    expect(client.getInstructions()).not.toContain("I am archive.");
    const listing = client.listTools();
    release();
    await listing;
    for (const [name = "", text] of OWNERS)
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({ content: [{ text }] });
    const later = await connectV2({ url: onym.url });
    ends.push(() => later.close());
    expect(later.getInstructions()).toContain("I am archive.");
  });
});
