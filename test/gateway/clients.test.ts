// Real SDK clients, old and new, on every transport, in front of real servers, as many clients.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client as ClientV2 } from "@modelcontextprotocol/client";
import type { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { findProfile, sentName } from "@onym/core";
import { matchesProfile } from "@onym/core/profiles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import {
  type ClientSetup,
  connectV1,
  connectV1Sse,
  connectV1Stdio,
  connectV2,
  connectV2Stdio,
  type HttpSetup,
} from "./harness-clients.js";
import { LATE_TOOLS, MAY_FAIL, realArguments, realServers } from "./real-servers.js";

type AnyClient = Pick<ClientV1, "close"> & {
  readonly listTools: () => Promise<{ readonly tools: readonly Listed[] }>;
  readonly callTool: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
};

interface Listed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

const accept = { action: "accept" as const, content: { name: "Ada", check: true } };
const sampled = { role: "assistant" as const, model: "m", content: { type: "text" as const, text: "words" } };

/** A client that can be asked everything, and answers. */
const able: ClientSetup = {
  capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
  prepareV2(client) {
    client.setRequestHandler("elicitation/create", () => accept);
    client.setRequestHandler("sampling/createMessage", () => sampled);
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///tmp", name: "tmp" }] }));
  },
  prepareV1(client) {
    client.setRequestHandler(ElicitRequestSchema, () => accept);
    client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: "file:///tmp", name: "tmp" }],
    }));
  },
};

/** Profile, and how a client comes to it. */
const clients: readonly (readonly [profile: string, by: string, setup: Partial<HttpSetup>])[] = [
  ["claude-code", "clientInfo", { clientName: "claude-code", clientVersion: "2.1.0" }],
  ["claude-ai", "clientInfo", { clientName: "claude-ai" }],
  ["cursor", "clientInfo", { clientName: "cursor-vscode" }],
  ["vscode", "clientInfo", { clientName: "Visual Studio Code" }],
  ["codex", "clientInfo", { clientName: "codex-mcp-client" }],
  ["gemini-cli", "clientInfo", { clientName: "gemini-cli-mcp-client" }],
  ["cline", "clientInfo", { clientName: "Cline" }],
  ["universal", "nothing known of it", { clientName: "somebody" }],
  ["claude-desktop", "endpoint", { profile: "claude-desktop" }],
  ["windsurf", "endpoint", { profile: "windsurf" }],
  ["canonical", "endpoint", { profile: "canonical" }],
  ["mcp-inspector", "endpoint", { profile: "mcp-inspector" }],
  ["anthropic", "header x-onym-profile", { headers: { "x-onym-profile": "anthropic" } }],
  ["openai", "header x-openai-mode", { headers: { "x-openai-mode": "true" } }],
];

const folder = mkdtempSync(join(tmpdir(), "onym-clients-"));
const config = { mcpServers: realServers(folder) };
let onym: RunningOnym;

beforeAll(async () => {
  onym = await startOnym({ config, dir: folder });
  const client = await connectV2({ url: onym.url, ...able });
  await untilListed(client, LATE_TOOLS);
  await client.close();
});

afterAll(async () => {
  await onym.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("every tool of three real servers is listed and called (GW-1, GW-3, GW-5)", () => {
  it.each(clients)("by %s, known by %s, over HTTP in both eras with SDK v1 and v2", async (id, _, setup) => {
    const all = { url: onym.url, ...able, ...setup };
    const connected: AnyClient[] = [
      (await connectV1(all)) as AnyClient,
      (await connectV2({ ...all, era: "legacy" })) as unknown as AnyClient,
      (await connectV2({ ...all, era: "modern" })) as unknown as AnyClient,
    ];
    const lists = await Promise.all(connected.map((client) => namesOf(client)));
    expectNames(id, lists);
    // One after the other: a question that a stdio server asks while two clients wait belongs to neither.
    for (const client of connected) await callEverything(client);
    await Promise.all(connected.map((client) => client.close()));
  });

  it("by a client of 2024-11-05 over HTTP+SSE (GW-1)", async () => {
    const sse = (await connectV1Sse({
      url: onym.url.replace(/\/mcp$/, "/sse"),
      ...able,
      clientName: "claude-code",
    })) as AnyClient;
    const http = (await connectV1({ url: onym.url, ...able, clientName: "claude-code" })) as AnyClient;
    expectNames("claude-code", [await namesOf(sse), await namesOf(http)]);
    await callEverything(sse);
    await Promise.all([sse.close(), http.close()]);
  });

  it.each([
    [
      "SDK v1",
      "claude-desktop",
      () => connectV1Stdio({ dir: folder, ...able, args: ["--profile", "claude-desktop"] }),
    ],
    ["SDK v2, legacy", "cursor", () => connectV2Stdio({ dir: folder, ...able, clientName: "cursor-vscode" })],
    [
      "SDK v2, modern",
      "claude-code",
      () => connectV2Stdio({ dir: folder, ...able, clientName: "claude-code", era: "modern" }),
    ],
  ] as const)("over stdio by %s as %s, under the names it has over HTTP", async (_, id, connect) => {
    const stdio = (await connect()) as unknown as AnyClient;
    await untilListed(stdio, LATE_TOOLS);
    const http = (await connectV2({ url: onym.url, ...able, profile: id })) as unknown as AnyClient;
    expectNames(id, [await namesOf(stdio), await namesOf(http)]);
    await callEverything(stdio);
    await Promise.all([stdio.close(), http.close()]);
  });
});

async function namesOf(client: AnyClient): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Legal where they go, one for each tool, and the same whatever way they came (NAME-4, RULE-5). */
function expectNames(id: string, lists: readonly (readonly string[])[]): void {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`no profile ${id}`);
  const [names = []] = lists;
  expect(names.length).toBeGreaterThan(35);
  for (const list of lists) expect(list).toEqual(names);
  expect(names.filter((name) => !matchesProfile(name, profile, "onym"))).toEqual([]);
  expect(new Set(names.map((name) => sentName(name, profile, "onym"))).size).toBe(names.length);
}

/** Calls every listed tool. A protocol error rejects; an error of the tool's own is looked at. */
async function callEverything(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  const failed: string[] = [];
  for (const { name, _meta } of tools) {
    const raw = String(_meta?.["original_name"]);
    const result = (await client.callTool({ name, arguments: { ...realArguments(raw, folder) } })) as {
      readonly isError?: boolean;
      readonly content: readonly unknown[];
    };
    expect(result.content, name).toBeInstanceOf(Array);
    if (result.isError === true && !MAY_FAIL.has(raw))
      failed.push(`${name}: ${JSON.stringify(result.content)}`);
    if (raw === "get-sum") expect(JSON.stringify(result.content)).toContain("5");
  }
  expect(failed).toEqual([]);
}

/** Lists until these raw names are there: the everything server adds tools after its first list. */
async function untilListed(client: ClientV2 | AnyClient, raws: readonly string[]): Promise<void> {
  for (;;) {
    const { tools } = await (client as AnyClient).listTools();
    const there = new Set(tools.map(({ _meta }) => _meta?.["original_name"]));
    if (raws.every((raw) => there.has(raw))) return;
  }
}
