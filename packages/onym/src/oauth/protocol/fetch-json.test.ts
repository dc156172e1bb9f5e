import type { LookupAddress } from "node:dns";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fetchJson } from "./fetch-json.js";

let server: Server;
let port: number;
let connections = 0;
let answer = "{}";

beforeAll(async () => {
  server = createServer((_, response) => response.end(answer));
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  connections = 0;
  answer = "{}";
});

const OUTSIDE = "93.184.216.34";
const HERE = "127.0.0.1";

/** Names by what each look-up of them finds; the last goes on. */
function names(found: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked = new Map<string, number>();
  return (
    hostname: string,
    _: unknown,
    callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
  ): void => {
    const times = asked.get(hostname) ?? 0;
    asked.set(hostname, times + 1);
    const answers = found[hostname] ?? [[]];
    const addresses = answers[Math.min(times, answers.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

const LOGIN = "login.example.org";
const MCP = "mcp.example.com";
const ask = (found: Parameters<typeof names>[0], on = `https://${MCP}/mcp`) =>
  fetchJson(new URL(`http://${LOGIN}:${port}/x`), { server: new URL(on), lookup: names(found) });

describe("what a server outside names", () => {
  it.each([
    ["this machine", [HERE]],
    ["this machine over IPv6", ["::1"]],
    ["this machine in another notation", ["::ffff:127.0.0.1"]],
    ["the network of this machine", ["10.1.2.3"]],
    ["the metadata service of a cloud", ["169.254.169.254"]],
    ["a link", ["fe80::1%eth0"]],
    ["two places inside", ["192.168.1.1", HERE]],
  ])("is not connected to where its name leads to %s (SAFE-4)", async (_, addresses) => {
    expect(await ask({ [MCP]: [[OUTSIDE]], [LOGIN]: [addresses] })).toEqual({
      kind: "failed",
      reason: expect.stringContaining(
        "leads into this machine or its network, although the server is outside",
      ),
    });
    expect(connections).toBe(0);
  });

  it("is looked up for the connection itself, so that a name cannot change in between (SAFE-4)", async () => {
    // Once outside, and inside for whoever looks again.
    const lookup = names({ [MCP]: [[OUTSIDE]], [LOGIN]: [[HERE], [OUTSIDE]] });
    const input = { server: new URL(`https://${MCP}/mcp`), lookup };
    expect(await fetchJson(new URL(`http://${LOGIN}:${port}/x`), input)).toMatchObject({ kind: "failed" });
    expect(connections).toBe(0);
  });

  it("is not nearer because one of the server's own addresses is", async () => {
    expect(await ask({ [MCP]: [[HERE, OUTSIDE]], [LOGIN]: [[HERE]] })).toMatchObject({ kind: "failed" });
    // Its own name is no way in either.
    const self = { server: new URL(`https://${LOGIN}/mcp`), lookup: names({ [LOGIN]: [[OUTSIDE], [HERE]] }) };
    expect(await fetchJson(new URL(`http://${LOGIN}:${port}/x`), self)).toMatchObject({ kind: "failed" });
    expect(connections).toBe(0);
  });

  it.each([
    [{ [MCP]: [[HERE]], [LOGIN]: [[HERE]] }, `https://${MCP}/mcp`],
    [{ [LOGIN]: [[HERE]] }, "http://127.0.0.1/mcp"],
    [{ [LOGIN]: [[HERE]] }, "http://localhost/mcp"],
  ])("is asked where the server itself is as near: %j", async (found, on) => {
    expect(await ask(found, on)).toMatchObject({ kind: "answer", status: 200, body: {} });
  });
});

it.each([
  ["one below", 262_143, "answer"],
  ["at", 262_144, "answer"],
  ["one above", 262_145, "failed"],
])("takes at most 262144 bytes: %s (limits: MAX_BYTES of fetch-json) (SAFE-4)", async (_, bytes, kind) => {
  answer = `{"x":"${"y".repeat(bytes - 8)}"}`;
  expect(await ask({ [LOGIN]: [[HERE]] }, "http://127.0.0.1/mcp")).toMatchObject({ kind });
});
