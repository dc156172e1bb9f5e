// Files of mcp-workbench run as they are, with the client flow that their users know (BOX-9).

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../project-files.js";
import { ONYM_BIN } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1 } from "./harness-clients.js";

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}
type Json = Readonly<Record<string, unknown>>;

let stage: Stage;
const folders: string[] = [];
const clients: Client[] = [];
beforeAll(async () => {
  stage = await createStage();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(() => stage.close());

/** As its users start it: a stdio server with `WORKBENCH_CONFIG`, on the published example, with the variables of one toolbox set. */
async function startExample(version: string) {
  const home = mkdtempSync(join(tmpdir(), "onym-workbench-"));
  folders.push(home);
  const data = join(home, "project", "data");
  for (const folder of [data, join(home, "tools"), join(home, "bin")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(data, "note.txt"), "a note");
  for (const folder of ["tools", "bin"])
    symlinkSync(join(projectRoot, "test/servers/npx-local.mjs"), join(home, folder, "npx"));
  const config = join(home, "workbench-config.json");
  copyFileSync(join(projectRoot, `test/data/workbench/workbench-config-${version}.json`), config);
  const { PATH = "" } = process.env;
  const env = {
    PATH: `${join(home, "bin")}:${PATH}`,
    HOME: home,
    PROJECT_ROOT: join(home, "project"),
    WORKBENCH_CONFIG: config,
  };
  const client = new Client({ name: "somebody", version: "1.0.0" });
  const changes = { count: 0 };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes.count += 1;
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [ONYM_BIN, "serve", "--stdio"],
      env,
      cwd: home,
      stderr: "ignore",
    }),
  );
  clients.push(client);
  return { client, changes, note: join(data, "note.txt") };
}

describe("the published example, unchanged (BOX-9)", () => {
  it("of 0.7.3: list, open, list_changed, call, close", async () => {
    const { client, changes, note } = await startExample("0.7.3");
    const closed = await namesIn(client);
    expect(closed).toEqual([
      "workbench_list_toolboxes",
      "workbench_open_toolbox",
      "workbench_close_toolbox",
      "workbench_find_tools",
    ]);

    const listed = jsonOf(await use(client, "workbench_list_toolboxes", {}));
    expect(listed).toMatchObject({ total_count: 4, open_count: 0 });
    const toolboxes = listed["toolboxes"] as Json[];
    expect(toolboxes.map(({ name }) => name)).toEqual([
      "development",
      "production",
      "multi-environment",
      "github",
    ]);
    expect(toolboxes[0]).toEqual({
      name: "development",
      description: "Development environment with local paths and debug settings",
      tool_count: expect.any(Number),
      is_open: false,
    });

    // Who calls too early is told what to do, in the words of the file's users (BOX-8).
    const name = "development__filesystem__read_text_file";
    await expect(client.callTool({ name, arguments: { path: note } })).rejects.toThrow(
      /development is closed: open it with workbench_open_toolbox,/,
    );

    const opened = jsonOf(await use(client, "workbench_open_toolbox", { toolbox_name: "development" }));
    const tools = opened["tools"] as Json[];
    expect(opened).toMatchObject({
      toolbox: "development",
      description: toolboxes[0]?.["description"],
      servers_connected: 2,
      tools_registered: tools.length,
      message: expect.any(String),
    });
    const source = { source_server: "filesystem", toolbox_name: "development" };
    expect(tools.find((tool) => tool["name"] === name)).toMatchObject({
      ...source,
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      description: expect.any(String),
      _meta: { ...source, original_name: "read_text_file" },
    });
    const open = await namesIn(client);
    expect(changes.count).toBe(1);
    expect(open.slice(0, closed.length)).toEqual(closed);
    expect(open.slice(closed.length).sort()).toEqual(tools.map((tool) => String(tool["name"])).sort());

    const read = await use(client, name, { path: note });
    expect(read.content[0]?.text).toBe("a note");
    const graph = await use(client, "development__memory__read_graph", {});
    expect(graph.isError).not.toBe(true);
    expect(jsonOf(await use(client, "workbench_list_toolboxes", {}))).toMatchObject({ open_count: 1 });

    const done = await use(client, "workbench_close_toolbox", { toolbox_name: "development" });
    expect(done.isError).not.toBe(true);
    expect(done.content[0]?.text).toContain("development");
    expect(await namesIn(client)).toEqual(closed);
    expect(changes.count).toBe(2);

    // A server that cannot start is named with the reason, here variables that are not set; the others go on (CFG-2).
    const failed = await use(client, "workbench_open_toolbox", { toolbox_name: "production" });
    expect(failed.isError).toBe(true);
    for (const word of ["database", "DATABASE_URL", "api-client", "API_ENDPOINT"])
      expect(failed.content[0]?.text).toContain(word);

    // As there, closing what is not open and opening what is not there are errors.
    expect((await use(client, "workbench_close_toolbox", { toolbox_name: "development" })).isError).toBe(
      true,
    );
    const unknown = await use(client, "workbench_open_toolbox", { toolbox_name: "nothing" });
    expect(unknown.isError).toBe(true);
    expect(unknown.content[0]?.text).toContain("development, github, multi-environment, production");
  });

  it("of 0.14.0, which says no mode: open_toolbox and use_tool by parts", async () => {
    const { client, note } = await startExample("0.14.0");
    expect(client.getInstructions()).toContain(
      "- development: Development environment with local paths and debug settings",
    );
    const opened = jsonOf(await use(client, "open_toolbox", { toolbox: "development" }));
    expect(opened).toMatchObject({ toolbox: "development", servers_connected: 2 });
    const tool = (opened["tools"] as Json[]).find(
      ({ _meta }) => (_meta as Json)["original_name"] === "read_text_file",
    );
    expect(tool).toMatchObject({ toolbox: "development", server: "filesystem" });
    const parts = { toolbox: "development", server: "filesystem" };
    for (const target of [
      { ...parts, name: "read_text_file" },
      { ...parts, tool: "read_text_file" },
      { ...parts, name: tool?.["name"] },
    ]) {
      const read = await use(client, "use_tool", { tool: target, arguments: { path: note } });
      expect(read.content[0]?.text, JSON.stringify(target)).toBe("a note");
    }
    const wrong = await use(client, "use_tool", { tool: { ...parts, name: "nothing" } });
    expect(wrong.isError).toBe(true);
    // Its default is dynamic, so the tools are in the list as well.
    expect(await namesIn(client)).toContain("development__filesystem__read_text_file");
  });
});

describe("the names of its meta tools (BOX-9)", () => {
  const boxes = (label: string) => ({
    dev: {
      description: "Development",
      mcpServers: { fs: stage.entry({ label, tools: ["read_file"] }) },
    },
  });

  it("are listed in proxy mode, too, with the arguments that belong to them", async () => {
    const onym = await stage.start({ config: { toolMode: "proxy", toolboxes: boxes("bench-proxy") } });
    const client = await connect(onym.url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "workbench_list_toolboxes",
      "workbench_open_toolbox",
      "workbench_close_toolbox",
      "workbench_find_tools",
      "workbench_use_tool",
    ]);
    const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]));
    expect(required).toMatchObject({
      workbench_open_toolbox: ["toolbox_name"],
      workbench_close_toolbox: ["toolbox_name"],
      workbench_use_tool: ["toolbox_name", "tool_name"],
    });
    const opened = jsonOf(await use(client, "workbench_open_toolbox", { toolbox_name: "dev" }));
    expect(opened).not.toHaveProperty("tools_registered");
    const [tool] = opened["tools"] as Json[];
    const used = await use(client, "workbench_use_tool", {
      toolbox_name: "dev",
      tool_name: tool?.["name"],
      arguments: { nonce: "n" },
    });
    expect(used).toMatchObject({
      structuredContent: { server: "bench-proxy", raw: "read_file", nonce: "n" },
    });
  });

  it("are aliases in every config: not listed, and answered as their users know it", async () => {
    const onym = await stage.start({ config: { mode: "dynamic", toolboxes: boxes("bench-alias") } });
    const client = await connect(onym.url);
    expect((await namesIn(client)).filter((name) => name.startsWith("workbench_"))).toEqual([]);
    const theirs = await use(client, "workbench_open_toolbox", { toolbox_name: "dev" });
    expect(jsonOf(theirs)).toMatchObject({ toolbox: "dev", servers_connected: 1, tools_registered: 1 });
    const ours = await use(client, "open_toolbox", { toolbox: "dev" });
    expect(ours).toMatchObject({ structuredContent: { toolbox: "dev", open: true } });
    expect(ours.content[0]?.text).toMatch(/^Toolbox "dev" is open/);
  });

  it("never stand before a tool that has one of them", async () => {
    const onym = await stage.start({
      config: {
        mode: "dynamic",
        mcpServers: { workbench: stage.entry({ label: "bench-itself", tools: ["open_toolbox"] }) },
        toolboxes: boxes("bench-beside"),
      },
    });
    const client = await connect(onym.url);
    expect(await namesIn(client)).toContain("workbench_open_toolbox");
    const called = await use(client, "workbench_open_toolbox", { nonce: "n" });
    expect(called).toMatchObject({ structuredContent: { server: "bench-itself", raw: "open_toolbox" } });
  });

  async function connect(url: string): Promise<Client> {
    const client = await connectV1({ url, profile: "claude-code" });
    clients.push(client);
    return client;
  }
});

async function namesIn(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  return (await client.callTool({ name, arguments: args })) as Answer;
}

/** Their results are one JSON text. */
function jsonOf({ content }: Answer): Json {
  expect(content).toHaveLength(1);
  return JSON.parse(content[0]?.text ?? "") as Json;
}
