// A server with very many tools: whoever lists them first waits for that, and nobody else does (SAFE-4).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLock } from "@onym/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, openSession, post } from "../edge/http-client.js";
import { type RunningOnym, startOnym } from "./harness.js";

const MANY = 20_000;

/** Lists so many tools; `change` adds one and says so. After `tool_2` it changes a prompt again and again, until `tool_3`. */
const SERVER = `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const tool = (name) => ({ name, description: "Like tool_1.", inputSchema: { type: "object" } });
  let version = 0;
  let flapping;
  const tools = ["change", ...Array.from({ length: Number(process.argv[1]) }, (_, n) => "tool_" + n)].map(tool);
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const { protocolVersion } = params ?? {};
    const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true } };
    const serverInfo = { name: "s", version: "1" };
    if (method === "initialize") send({ id, result: { protocolVersion, capabilities, serverInfo } });
    if (method === "tools/list") send({ id, result: { tools } });
    if (method === "prompts/list") send({ id, result: { prompts: [{ name: "p", description: "v" + ++version }] } });
    if (method !== "tools/call") return;
    if (params.name === "change") {
      tools.push(tool("added"));
      send({ method: "notifications/tools/list_changed" });
    }
    if (params.name === "tool_2") flapping = setInterval(() => send({ method: "notifications/prompts/list_changed" }), 520);
    if (params.name === "tool_3") clearInterval(flapping);
    send({ id, result: { content: [{ type: "text", text: "done" }] } });
  });
`;

let onym: RunningOnym;
beforeAll(async () => {
  const serverOf = (tools: number) => ({ command: process.execPath, args: ["-e", SERVER, String(tools)] });
  onym = await startOnym({
    config: {
      mcpServers: { large: serverOf(MANY), small: serverOf(5) },
      store: "none",
      limits: { listEntries: MANY + 2 },
    },
  });
  await onym.said(/ready {2}large/);
});
afterAll(async () => {
  await onym.stop();
});

/** As clients of this kind ask. */
async function ask(
  client: string,
  method: string,
  params: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { body, headers } = modern(method, params);
  const { json, text } = await post(`${onym.url}/${client}`, body, { headers });
  // On a slow machine the answer comes on a stream, behind comments.
  return (json ?? JSON.parse(text.slice(text.lastIndexOf("\ndata: ") + "\ndata: ".length))).result;
}

async function listAll(client: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: unknown; ; ) {
    const page = await ask(client, "tools/list", cursor === undefined ? {} : { cursor });
    names.push(...(page["tools"] as { name: string }[]).map(({ name }) => name));
    cursor = page["nextCursor"];
    if (cursor === undefined) return names;
  }
}

describe("a server with 20,000 tools", () => {
  it("lets others be called while it is listed for the first time (SAFE-4)", async () => {
    const call = { name: "small_tool_1", arguments: {} };
    await ask("openai", "tools/call", call);
    const done: string[] = [];
    const list = ask("claude-code", "tools/list").then(() => done.push("list"));
    for (let n = 0; n < 3; n++) {
      expect(await ask("openai", "tools/call", call)).toHaveProperty("content");
      done.push("call");
    }
    await list;
    // Listed in one piece, it would be answered first, because it was asked for first.
    expect(done[0]).toBe("call");
    expect(new Set(await listAll("claude-code")).size).toBe(MANY + 1 + 6);
  });

  it("is found by other spellings, and unknown names are refused with what was meant (RES-1, RES-6)", async () => {
    const { body, headers } = modern("tools/call", { name: "large_tol_1", arguments: {} });
    const { text } = await post(`${onym.url}/openai`, body, { headers });
    expect(text).toContain("large_tool_1");
    const spelled = { name: "large/tool_1", arguments: {} };
    expect(await ask("openai", "tools/call", spelled)).toHaveProperty("content");
  });

  it("has every name on record before it is shown (LOCK-1)", async () => {
    const names = await listAll("gemini");
    const read = parseLock(readFileSync(join(onym.dir, "onym.lock"), "utf8"));
    const recorded = read.ok ? read.value.profiles.get("gemini")?.names : undefined;
    expect(names.filter((name) => recorded?.get(name) === undefined)).toEqual([]);
  });

  it("shows what is new once it says so, and the names that were there stay (GW-7)", async () => {
    const before = await listAll("openai");
    const session = await openSession(onym.url);
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "large_change", arguments: {} },
    };
    await post(onym.url, call, { headers: session });
    let after = await listAll("openai");
    while (after.length === before.length) after = await listAll("openai");
    expect(after.filter((name) => !before.includes(name))).toEqual(["large_added"]);
    expect(after.length).toBe(before.length + 1);
  });

  it("keeps nobody waiting while it changes a list again and again (SAFE-5)", async () => {
    await ask("openai", "tools/call", { name: "large_tool_2", arguments: {} });
    const session = await openSession(onym.url);
    await post(onym.url, { jsonrpc: "2.0", id: 2, method: "tools/list" }, { headers: session });
    await ask("openai", "resources/list");
    await listAll("openai");
    const { body, headers } = modern("tools/call", { name: "small_tol_1", arguments: {} });
    expect((await post(`${onym.url}/openai`, body, { headers })).text).toContain("small_tool_1");
    await ask("openai", "tools/call", { name: "large_tool_3", arguments: {} });
  });
});
