// Toolbox names through a running gateway: given out in three parts, understood, refused with the reason, and announced
// when they come and go (BOX-8, GW-7, and the life of a name in the source document).

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onymFolder, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1, connectV1Stdio } from "./harness-clients.js";
import { askLegacy, askModern, entriesIn } from "./harness-raw.js";

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

const FILES = ["read_file", "read_file_async_v2", "my__special__tool"];
const FORMAT = "{toolbox}__{server}__{tool}";
const SEPARATORS = `Tool name must contain exactly 2 double underscores (format: ${FORMAT})`;
const EMPTY = "Tool name components (toolbox, server, tool) cannot be empty";
const CHARACTERS =
  "Toolbox and server names should contain only alphanumeric characters, hyphens, and underscores";

let stage: Stage;
let fixed: RunningOnym;
let dynamic: RunningOnym;
let boxes: (mode: string) => object;

beforeAll(async () => {
  stage = await createStage();
  boxes = (mode) => ({
    toolboxes: {
      dev: { mcpServers: { filesystem: stage.entry({ label: `${mode}-files`, tools: FILES }) } },
      "Prod-EU": {
        mcpServers: {
          memory: stage.entry({
            label: `${mode}-memory`,
            tools: ["store_value"],
            prompts: [{ name: "recall" }],
            resources: [{ uri: "memory://all", name: "all" }],
          }),
        },
      },
    },
    mode,
  });
  [fixed, dynamic] = await Promise.all([
    stage.start({ config: boxes("static") }),
    stage.start({ config: boxes("dynamic") }),
  ]);
});

afterAll(() => stage.close());

describe("the name that is given out", () => {
  it.each([
    ["somebody", "read_file", "dev__filesystem__read_file"],
    ["somebody", "my__special__tool", "dev__filesystem__my_special_tool"],
    ["somebody", "store_value", "prod_eu__memory__store_value"],
    ["claude-code", "my__special__tool", "dev__filesystem__my__special__tool"],
    ["claude-code", "store_value", "Prod-EU__memory__store_value"],
    ["cursor-vscode", "read_file_async_v2", "dev__filesystem__read_file_async_v2"],
  ])(
    "to %s for %s is %s, in both eras, and a call by it arrives (S001-29, BOX-8)",
    async (clientName, raw, name) => {
      for (const ask of [askModern, askLegacy]) {
        const tools = entriesIn(await ask({ url: fixed.url, method: "tools/list", clientName }), "tools");
        expect(tools.find(({ _meta }) => _meta?.["original_name"] === raw)?.name).toBe(name);
        const call = await ask({
          url: fixed.url,
          method: "tools/call",
          clientName,
          params: { name, arguments: { nonce: "n" } },
        });
        expect(call.result?.["structuredContent"]).toMatchObject({ raw, nonce: "n" });
      }
    },
  );

  it("joins parts that stay what they were: in the entry, in `_meta`, and in a call by its parts (S001-44)", async () => {
    const listed = await askModern({ url: fixed.url, method: "tools/list", clientName: "claude-code" });
    const tool = entriesIn(listed, "tools").find(({ name }) => name === "Prod-EU__memory__store_value");
    const parts = { source_server: "memory", toolbox_name: "Prod-EU" };
    expect(tool).toMatchObject({ ...parts, _meta: { ...parts, original_name: "store_value" } });
    const called = await askModern({
      url: fixed.url,
      method: "tools/call",
      params: {
        name: { toolbox: "Prod-EU", server: "memory", name: "store_value" },
        arguments: { nonce: "parts" },
      },
    });
    expect(called.result?.["structuredContent"]).toMatchObject({
      server: "static-memory",
      raw: "store_value",
      nonce: "parts",
    });
  });
});

describe("a name that leads nowhere", () => {
  it.each([
    ["dev__filesystem_read_file", SEPARATORS],
    ["dev_filesystem__reed_file", SEPARATORS],
    ["__filesystem__read_file", EMPTY],
    ["dev____read_file", EMPTY],
    ["dev__filesystem__", EMPTY],
    ["my box__filesystem__read_file", CHARACTERS],
  ])(
    "%s is refused with the reason, which speaks of the new format (S001-40, S001-43, BOX-8)",
    async (name, reason) => {
      for (const ask of [askModern, askLegacy]) {
        const { error } = await ask({
          url: `${fixed.url}/claude-code`,
          method: "tools/call",
          params: { name },
        });
        expect(error).toMatchObject({
          code: -32602,
          message: expect.stringContaining(`Unknown tool: ${name}. ${reason}`),
          data: { problem: reason },
        });
      }
    },
  );

  it("tells who still sends the old form what to send instead (S001-40)", async () => {
    const { error } = await askModern({
      url: `${fixed.url}/claude-code`,
      method: "tools/call",
      params: { name: "dev__filesystem_read_file" },
    });
    expect(error?.message).toContain(FORMAT);
    expect(error?.data?.["suggestions"]).toContain("dev__filesystem__read_file");
  });

  it("has no such reason where it has the shape, or where there are no toolboxes (BOX-8)", async () => {
    const plain = await stage.start({
      config: { mcpServers: { fs: stage.entry({ label: "plain", tools: ["read"] }) } },
    });
    for (const [onym, name] of [
      [fixed, "dev__filesystem__nothing_like_it"],
      [plain, "dev__filesystem_read"],
    ] as const) {
      const { error } = await askModern({ url: onym.url, method: "tools/call", params: { name } });
      expect(error?.data?.["problem"]).toBeUndefined();
    }
  });
});

describe("a toolbox that is closed", () => {
  it.each([
    ["claude-code", "dev__filesystem__read_file", "dev", "open_toolbox"],
    ["openai", "Prod-EU__memory__store_value", "Prod-EU", "onym_open_toolbox"],
    ["universal", "prod_eu__memory__store_value", "Prod-EU", "open_toolbox"],
    // Whether it has such a tool is not told before it is open.
    ["claude-code", "dev__nobody__nothing", "dev", "open_toolbox"],
  ])(
    "is named by the refusal to %s, with the tool that opens it (BOX-8)",
    async (profile, name, toolbox, openWith) => {
      const { error } = await askLegacy({
        url: `${dynamic.url}/${profile}`,
        method: "tools/call",
        params: { name },
      });
      expect(error?.message).toContain(`Unknown tool: ${name}`);
      expect(error?.message).toContain(`The toolbox ${toolbox} is closed: open it with ${openWith},`);
      expect(error?.data).toMatchObject({ closedToolbox: toolbox, openWith });
    },
  );

  it("is closed to one client, though another has opened it (BOX-8, GW-10)", async () => {
    const url = dynamic.url;
    const [one, two] = [
      await connectV1({ url, profile: "claude-code" }),
      await connectV1({ url, profile: "claude-code" }),
    ];
    await use(one, "open_toolbox", { toolbox: "dev" });
    for (const name of ["dev__filesystem__read_file", "filesystem@1/read_file@1"])
      await expect(two.callTool({ name })).rejects.toMatchObject({ code: -32602 });
    await expect(two.callTool({ name: "dev__filesystem__read_file" })).rejects.toThrow(/dev is closed/);
    expect((await use(one, "dev__filesystem__read_file", {})).structuredContent).toMatchObject({
      raw: "read_file",
    });
    await use(one, "close_toolbox", { toolbox: "dev" });
    await Promise.all([one.close(), two.close()]);
  });

  it("says the same of a tool that is denied and of one that never was (BOX-8, GW-6)", async () => {
    const onym = await stage.start({
      config: {
        toolboxes: {
          dev: { mcpServers: { fs: stage.entry({ label: "denied", tools: ["read", "wipe"] }) } },
          ops: { mcpServers: { fs: stage.entry({ label: "denied-ops", tools: ["read"] }) } },
        },
        mode: "dynamic",
        policy: { default: "allow", rules: [{ effect: "deny", tool: "*/wipe" }] },
      },
    });
    const client = await connectV1({ url: onym.url, profile: "claude-code" });
    const refusal = async (name: string): Promise<unknown> => {
      const error: Error & { readonly data?: unknown } = await client.callTool({ name }).then(
        () => new Error("it was called"),
        (reason) => reason,
      );
      return JSON.parse(JSON.stringify([error.message, error.data]).replaceAll(name, "NAME"));
    };
    expect(await refusal("dev__fs__wipe")).toEqual(await refusal("dev__fs__vipe"));
    await use(client, "open_toolbox", { toolbox: "dev" });
    const open = await refusal("dev__fs__wipe");
    expect(open).toEqual(await refusal("dev__fs__vipe"));
    expect(JSON.stringify(open)).not.toContain("closed");
    await client.close();
  });
});

describe("opening and closing (GW-7)", () => {
  it("announce only what changed: tools once, prompts and resources where the toolbox has some", async () => {
    const heard: string[] = [];
    const { dir, remove } = onymFolder({ config: boxes("dynamic") });
    const client = await connectV1Stdio({ dir, prepareV1: (each) => listen(each, heard) });
    await client.listTools();
    /** What was told up to now: one stream holds all, so what was told before an answer was heard before it. */
    const told = async (toolbox: string, tool: "open_toolbox" | "close_toolbox") => {
      await use(client, tool, { toolbox });
      await client.listTools();
      await client.listPrompts();
      return heard.splice(0).sort();
    };
    expect(await told("dev", "open_toolbox")).toEqual(["tools"]);
    expect(await told("dev", "open_toolbox")).toEqual([]);
    expect(await told("Prod-EU", "open_toolbox")).toEqual(["prompts", "resources", "tools"]);
    expect(await told("dev", "close_toolbox")).toEqual(["tools"]);
    expect(await told("dev", "close_toolbox")).toEqual([]);
    expect(await told("Prod-EU", "close_toolbox")).toEqual(["prompts", "resources", "tools"]);
    await client.close();
    remove();
  });
});

function listen(client: Client, heard: string[]): void {
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void heard.push("prompts"));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push("resources"));
}

async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  return (await client.callTool({ name, arguments: args })) as Answer;
}
