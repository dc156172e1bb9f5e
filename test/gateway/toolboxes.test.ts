// Toolboxes as clients meet them: three modes, meta tools, opening and closing (GW-10 to GW-14, BOX-5, BOX-7).

import type { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1, connectV2 } from "./harness-clients.js";
import { askLegacy, askModern, entriesIn } from "./harness-raw.js";

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Json;
}
interface AnyClient {
  readonly listTools: () => Promise<{
    readonly tools: readonly { readonly name: string; readonly _meta?: unknown }[];
  }>;
  readonly callTool: (params: { name: string; arguments?: Record<string, unknown> }) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

let stage: Stage;
/** One Onym a mode, over the same toolboxes; labels of servers start with the mode. */
const onyms = new Map<string, RunningOnym>();
const TOOLS = ["read_file", "write_file", "tool__with__underscores"];
const DEV_NAMES = ["dev__fs__read_file", "dev__fs__tool__with__underscores", "dev__fs__write_file"];

beforeAll(async () => {
  stage = await createStage();
  const start = async (mode: string) => {
    const onym = await stage.start({
      config: {
        mcpServers: { plain: stage.entry({ label: `${mode}-plain`, tools: ["look_up"] }) },
        toolboxes: {
          dev: {
            description: "For developers",
            mcpServers: { fs: stage.entry({ label: `${mode}-dev-fs`, tools: TOOLS }) },
          },
          ops: {
            description: "For operators",
            mcpServers: {
              fs: stage.entry({ label: `${mode}-ops-fs`, tools: TOOLS }),
              weather: stage.entry({ label: `${mode}-weather`, tools: [FORECAST] }),
            },
          },
        },
        mode,
      },
    });
    onyms.set(mode, onym);
  };
  await Promise.all(["static", "dynamic", "proxy"].map(start));
});

afterAll(() => stage.close());

const FORECAST = {
  name: "forecast",
  description: "Tells whether it will rain tomorrow",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
};

describe("modes (GW-10)", () => {
  it("static: lists every tool at once, and says where each comes from (BOX-5, GW-2)", async () => {
    const listed = await askModern({ url: `${urlOf("static")}/claude-code`, method: "tools/list" });
    const tools = entriesIn(listed, "tools");
    const names = tools.map(({ name }) => String(name));
    expect(names.slice(0, 2)).toEqual(["list_toolboxes", "find_tools"]);
    expect(names.slice(2).sort()).toEqual([
      ...DEV_NAMES,
      ...DEV_NAMES.map((name) => name.replace("dev", "ops")),
      "ops__weather__forecast",
      "plain_look_up",
    ]);
    const tool = tools.find(({ name }) => name === "dev__fs__tool__with__underscores");
    const source = { source_server: "fs", toolbox_name: "dev" };
    expect(tool).toMatchObject({
      ...source,
      _meta: { ...source, original_name: "tool__with__underscores" },
    });
  });

  it("dynamic: opening registers tools and sends list_changed once, closing takes them away (GW-7, GW-14)", async () => {
    const client = await connectV1({ url: urlOf("dynamic"), profile: "claude-code" });
    const other = await connectV1({ url: urlOf("dynamic"), profile: "claude-code" });
    const changes = countChanges(client);
    const otherChanges = countChanges(other);
    const own = ["list_toolboxes", "open_toolbox", "close_toolbox", "find_tools"];
    const closed = await namesIn(client);
    expect(closed.slice(0, 4)).toEqual(own);
    expect(closed).toHaveLength(5);
    await namesIn(other);

    const opened = await use(client, "open_toolbox", { toolbox: "dev" });
    expect((opened.structuredContent["tools"] as Json[]).map(({ name }) => name)).toEqual(DEV_NAMES);
    await changes.reach(1);
    expect((await namesIn(client)).filter((name) => name.startsWith("dev__"))).toEqual(DEV_NAMES);
    expect(await echo(client, "dev__fs__read_file")).toMatchObject({
      server: "dynamic-dev-fs",
      raw: "read_file",
    });
    // Opening an open one changes nothing.
    await use(client, "open_toolbox", { toolbox: "dev" });
    expect(stage.starts("dynamic-dev-fs")).toBe(1);
    expect(await namesIn(other)).toEqual(closed);

    const server = await stage.control.server("dynamic-dev-fs");
    await use(client, "close_toolbox", { toolbox: "dev" });
    await changes.reach(2);
    expect(await namesIn(client)).toEqual(closed);
    await server.gone;
    await expect(client.callTool({ name: "dev__fs__read_file" })).rejects.toMatchObject({ code: -32602 });
    expect(changes.count()).toBe(2);
    expect(otherChanges.count()).toBe(0);
    await Promise.all([client.close(), other.close()]);
  });

  it("dynamic: opening and closing again and again does not start servers again and again (SAFE-5)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: {},
        toolboxes: { dev: { mcpServers: { fs: stage.entry({ label: "busy", tools: TOOLS }) } } },
        mode: "dynamic",
      },
    });
    const client = await connectV1({ url: onym.url, profile: "claude-code" });
    const changes = countChanges(client);
    await namesIn(client);
    for (let n = 1; n <= 20; n += 1) {
      await use(client, "open_toolbox", { toolbox: "dev" });
      expect(await echo(client, "dev__fs__read_file")).toMatchObject({ server: "busy" });
      await use(client, "close_toolbox", { toolbox: "dev" });
      await expect(client.callTool({ name: "dev__fs__read_file" })).rejects.toMatchObject({ code: -32602 });
      await changes.reach(2 * n);
    }
    // One more where the machine was so slow that the time of another start went by.
    expect(stage.starts("busy")).toBeLessThan(10);
    await client.close();
  });

  it("dynamic: a toolbox that two clients opened stays until both closed it, or left (GW-14)", async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => connectV1({ url: urlOf("dynamic"), profile: "codex" })),
    );
    if (one === undefined || two === undefined) throw new Error("not connected");
    await Promise.all([one, two].map((client) => use(client, "open_toolbox", { toolbox: "dev" })));
    const server = await stage.control.server("dynamic-dev-fs");
    await use(one, "close_toolbox", { toolbox: "dev" });
    expect(await echo(two, "dev__fs__write_file")).toMatchObject({ raw: "write_file" });
    await (two.transport as { terminateSession?: () => Promise<void> }).terminateSession?.();
    await Promise.all([two.close(), server.gone]);
    await one.close();
  });

  it.each(["legacy", "modern"] as const)(
    "proxy, %s: reaches tools through use_tool by any form of name (BOX-6, GW-11)",
    async (era) => {
      const client = (await connectV2({
        url: urlOf("proxy"),
        profile: "claude-code",
        era,
      })) as unknown as AnyClient;
      const own = ["list_toolboxes", "open_toolbox", "close_toolbox", "find_tools", "use_tool"];
      expect(await namesIn(client)).toEqual(own);
      const nonce = `${era}-1`;
      const forms: Record<string, unknown>[] = [
        { tool: "dev__fs__read_file" },
        { tool: { toolbox: "dev", server: "fs", name: "read_file" } },
        { toolbox: "dev", server: "fs", tool: "read_file" },
        { toolbox: "dev", tool: "read_file" },
      ];
      for (const form of forms) {
        const { structuredContent, isError } = await use(client, "use_tool", {
          ...form,
          arguments: { nonce },
        });
        expect(isError, JSON.stringify(form)).not.toBe(true);
        expect(structuredContent).toMatchObject({ server: "proxy-dev-fs", raw: "read_file", nonce });
      }
      const plain = await use(client, "use_tool", { tool: "look_up", arguments: { nonce } });
      expect(plain.structuredContent).toMatchObject({ server: "proxy-plain", nonce });
      await use(client, "close_toolbox", { toolbox: "dev" });
      await client.close();
    },
  );

  it("dynamic, modern: a client without a session reaches tools through use_tool", async () => {
    const client = (await connectV2({
      url: urlOf("dynamic"),
      profile: "cursor",
      era: "modern",
    })) as unknown as AnyClient;
    const names = await namesIn(client);
    const useTool = names.find((name) => name.endsWith("use_tool")) ?? "";
    const { structuredContent } = await use(client, useTool, { tool: "ops__weather__forecast" });
    expect(structuredContent).toMatchObject({ server: "dynamic-weather", raw: "forecast" });
    await use(client, useTool.replace("use_tool", "close_toolbox"), { toolbox: "ops" });
    await client.close();
  });

  it.each(["claude-code", "openai", "universal", "cursor", "canonical"])(
    "gives %s the same names in every mode (GW-10)",
    async (profile) => {
      const fixed = (await connectV2({ url: urlOf("static"), profile })) as unknown as AnyClient;
      const inStatic = ((await fixed.listTools()).tools as readonly { name: string; _meta?: Json }[])
        .filter(({ _meta }) => _meta?.["toolbox_name"] !== undefined)
        .map(({ name }) => name);
      await fixed.close();
      expect(inStatic).toHaveLength(7);
      for (const mode of ["dynamic", "proxy"]) {
        const client = (await connectV2({ url: urlOf(mode), profile })) as unknown as AnyClient;
        const own = await namesIn(client);
        const open = own.find((name) => /open_?toolbox$/i.test(name)) ?? "";
        const shown: string[] = [];
        for (const toolbox of ["dev", "ops"]) {
          const { structuredContent } = await use(client, open, { toolbox });
          shown.push(...(structuredContent["tools"] as { name: string }[]).map(({ name }) => name));
        }
        expect(shown.sort(), mode).toEqual([...inStatic].sort());
        for (const toolbox of ["dev", "ops"])
          await use(client, open.replace(/open(_?)t/i, "close$1t"), { toolbox });
        await client.close();
      }
    },
  );
});

describe("canonical names (CANON-7)", () => {
  it.each(["canonical", "openai", "universal"])(
    "lead %s to the tool of their own toolbox, whose name the list shows (GW-2)",
    async (profile) => {
      const url = `${urlOf("static")}/${profile}`;
      const tools = entriesIn(await askModern({ url, method: "tools/list" }), "tools");
      const shown = tools.map((tool) => String({ canonical_name: tool.name, ...tool }.canonical_name));
      expect(new Set(shown).size).toBe(tools.length);
      for (const [toolbox, canonical] of [
        ["dev", "dev:fs@1/read_file@1"],
        ["ops", "ops:fs@1/read_file@1"],
      ] as const) {
        expect(tools).toContainEqual(
          expect.objectContaining({ _meta: expect.objectContaining({ "onym/canonicalName": canonical }) }),
        );
        const client = await connectV2({ url: urlOf("static"), profile });
        for (const text of [canonical, canonical.replace("/", "~"), encodeURIComponent(canonical)])
          expect(await echo(client, text)).toMatchObject({ server: `static-${toolbox}-fs` });
        await client.close();
      }
    },
  );

  it("without the toolbox are refused with the names of both, and taken where there is one", async () => {
    const client = await connectV2({ url: urlOf("static"), profile: "canonical" });
    const refused = await client.callTool({ name: "fs@1/read_file@1" }).then(String, String);
    expect(refused).toContain("dev:fs@1/read_file@1");
    expect(refused).toContain("ops:fs@1/read_file@1");
    expect(await echo(client, "weather@1/forecast@1")).toMatchObject({ server: "static-weather" });
    await client.close();
  });
});

describe("meta tools (GW-11)", () => {
  it("find_tools finds by words, and shows arguments and the name to call", async () => {
    const client = (await connectV2({
      url: urlOf("static"),
      profile: "claude-code",
    })) as unknown as AnyClient;
    const { structuredContent } = await use(client, "find_tools", { query: "rain tomorrow" });
    const [first] = structuredContent["tools"] as Json[];
    expect(first).toMatchObject({
      name: "ops__weather__forecast",
      server: "weather",
      toolbox: "ops",
      inputSchema: FORECAST.inputSchema,
    });
    const narrowed = await use(client, "find_tools", { query: "file", toolbox: "ops" });
    const tools = narrowed.structuredContent["tools"] as Json[];
    expect(tools.length).toBeGreaterThan(1);
    for (const { toolbox } of tools) expect(toolbox).toBe("ops");
    await client.close();
  });

  it("list_toolboxes tells what there is and what is open", async () => {
    const client = await connectV1({ url: urlOf("dynamic"), profile: "claude-code" });
    await use(client, "open_toolbox", { toolbox: "ops" });
    const { structuredContent } = await use(client, "list_toolboxes", {});
    expect(structuredContent).toEqual({
      toolboxes: [
        expect.objectContaining({ name: "dev", description: "For developers", servers: 1, open: false }),
        { name: "ops", description: "For operators", servers: 2, tools: 4, open: true },
      ],
    });
    await use(client, "close_toolbox", { toolbox: "ops" });
    await client.close();
  });

  it("fails inside a result that names toolbox, server and tool (GW-6)", async () => {
    const client = (await connectV2({ url: urlOf("proxy"), profile: "claude-code" })) as unknown as AnyClient;
    const unknown = await use(client, "use_tool", { toolbox: "dev", server: "fs", tool: "read_fil" });
    expect(unknown.isError).toBe(true);
    expect(unknown.structuredContent["error"]).toMatchObject({
      toolbox: "dev",
      server: "fs",
      tool: "read_fil",
    });
    const nowhere = await use(client, "open_toolbox", { toolbox: "devv" });
    expect(nowhere.isError).toBe(true);
    expect(nowhere.structuredContent["error"]).toMatchObject({
      toolbox: "devv",
      hint: "There are: dev, ops.",
    });
    await use(client, "close_toolbox", { toolbox: "dev" });
    await client.close();
  });

  it("stands in the instructions of initialize and server/discover, with the listing (GW-12)", async () => {
    for (const [mode, profile, tool] of [
      ["dynamic", "claude-code", "open_toolbox"],
      ["proxy", "openai", "onym_use_tool"],
    ] as const) {
      const url = `${urlOf(mode)}/${profile}`;
      const legacy = await askLegacy({ url, method: "initialize" });
      const modern = await askModern({ url, method: "server/discover" });
      for (const { result } of [legacy, modern]) {
        expect(result?.["instructions"]).toContain("- dev: For developers\n- ops: For operators");
        expect(result?.["instructions"]).toContain(tool);
      }
    }
  });
});

describe("connections (GW-14, BOX-7)", () => {
  it("closing one toolbox does not touch the same server in another (BOX-7)", async () => {
    const client = await connectV1({ url: urlOf("dynamic"), profile: "claude-code" });
    await use(client, "open_toolbox", { toolbox: "dev" });
    await use(client, "open_toolbox", { toolbox: "ops" });
    const [dev, ops] = [
      await stage.control.server("dynamic-dev-fs"),
      await stage.control.server("dynamic-ops-fs"),
    ];
    expect(await echo(client, "dev__fs__read_file")).toMatchObject({ server: "dynamic-dev-fs" });
    expect(await echo(client, "ops__fs__read_file")).toMatchObject({ server: "dynamic-ops-fs" });
    const before = stage.starts("dynamic-ops-fs");
    await use(client, "close_toolbox", { toolbox: "dev" });
    await dev.gone;
    expect(await echo(client, "ops__fs__read_file")).toMatchObject({ server: "dynamic-ops-fs" });
    expect(stage.starts("dynamic-ops-fs")).toBe(before);
    expect(
      (await namesIn(client))
        .filter((name) => name.includes("__fs__"))
        .every((name) => name.startsWith("ops")),
    ).toBe(true);
    await use(client, "close_toolbox", { toolbox: "ops" });
    await ops.gone;
    await client.close();
  });

  it("many opens at once share one connection (GW-14)", async () => {
    const before = stage.starts("proxy-dev-fs");
    const clients = await Promise.all(
      [1, 2, 3].map(() => connectV1({ url: urlOf("proxy"), profile: "claude-code" })),
    );
    const opens = clients.flatMap((client) =>
      [1, 2, 3].map(() => use(client, "open_toolbox", { toolbox: "dev" })),
    );
    for (const { isError } of await Promise.all(opens)) expect(isError).not.toBe(true);
    expect(stage.starts("proxy-dev-fs")).toBe(before + 1);
    for (const client of clients) {
      await use(client, "close_toolbox", { toolbox: "dev" });
      await client.close();
    }
  });

  it("a failed open says so and leaves nothing running (GW-14)", async () => {
    stage.hold("stuck");
    const onym = await stage.start({
      config: {
        toolboxes: { dead: { mcpServers: { stuck: stage.entry({ label: "stuck", tools: ["x"] }) } } },
        mode: "dynamic",
        limits: { startMs: 1_500 },
      },
    });
    const client = await connectV1({ url: onym.url, profile: "claude-code" });
    const opening = use(client, "open_toolbox", { toolbox: "dead" });
    const stuck = await stage.control.server("stuck");
    const { isError, structuredContent } = await opening;
    expect(isError).toBe(true);
    expect(structuredContent["error"]).toMatchObject({ toolbox: "dead", server: "stuck" });
    await stuck.gone;
    expect(() => process.kill(stuck.pid, 0)).toThrow("ESRCH");
    const list = await use(client, "list_toolboxes", {});
    expect(list.structuredContent).toMatchObject({ toolboxes: [{ name: "dead", open: false }] });
    await client.close();
  });
});

describe("config", () => {
  it("filters tools by raw names and globs (GW-13)", async () => {
    const tools = ["read_file", "read_dir", "write_file", "*"];
    const server = (label: string, toolFilters?: string[]) => ({
      ...stage.entry({ label, tools }),
      ...(toolFilters === undefined ? {} : { toolFilters }),
    });
    const onym = await stage.start({
      config: {
        toolboxes: {
          box: {
            mcpServers: {
              all: server("f1"),
              star: server("f2", ["nothing", "*"]),
              none: server("f3", []),
              some: server("f4", ["read_*", "nothing"]),
              one: server("f5", ["write_file"]),
            },
          },
        },
      },
    });
    const listed = await askModern({ url: `${onym.url}/canonical`, method: "tools/list" });
    const shown = new Map<string, string[]>();
    for (const { source_server, _meta } of entriesIn(listed, "tools")) {
      if (source_server === undefined) continue;
      shown.set(source_server, [...(shown.get(source_server) ?? []), String(_meta["original_name"])].sort());
    }
    expect(Object.fromEntries(shown)).toEqual({
      all: [...tools].sort(),
      star: [...tools].sort(),
      some: ["read_dir", "read_file"],
      one: ["write_file"],
    });
    const hidden = await askModern({
      url: onym.url,
      method: "tools/call",
      params: { name: "box__some__write_file" },
    });
    expect(hidden.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Unknown tool: box__some__write_file\. Did you mean /),
    });
  });

  it("reads a workbench file as it is (CFG-1)", async () => {
    const { command, args } = stage.entry({ label: "bench", tools: TOOLS });
    const onym = await stage.start({
      config: JSON.stringify({
        toolMode: "dynamic",
        toolboxes: {
          main: {
            description: "The workbench",
            mcpServers: { memory: { command, args, env: { NAME: "value" }, toolFilters: ["*"] } },
          },
        },
      }),
    });
    const client = await connectV1({ url: onym.url, profile: "claude-code" });
    await use(client, "open_toolbox", { toolbox: "main" });
    expect(await echo(client, "main__memory__read_file")).toMatchObject({
      server: "bench",
      raw: "read_file",
    });
    await client.close();
  });
});

function urlOf(mode: string): string {
  return onyms.get(mode)?.url ?? "";
}

async function namesIn(client: Pick<AnyClient, "listTools">): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function use(client: unknown, name: string, args: Record<string, unknown>): Promise<Answer> {
  return (await (client as AnyClient).callTool({ name, arguments: args })) as Answer;
}

async function echo(client: unknown, name: string): Promise<Json> {
  return (await use(client, name, { nonce: "n" })).structuredContent;
}

/** Counts the list changes a client hears of. */
function countChanges(client: ClientV1) {
  let count = 0;
  let wake = () => {};
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    count += 1;
    wake();
  });
  return {
    count: () => count,
    reach: (wanted: number) =>
      new Promise<void>((resolve) => {
        wake = () => {
          if (count >= wanted) resolve();
        };
        wake();
      }),
  };
}

it("says how many tools were opened, also where there are thousands (GW-14)", async () => {
  const large = await createStage();
  const tools = Array.from({ length: 1_500 }, (_, at) => `tool_${at}`);
  const onym = await large.start({
    config: {
      mode: "dynamic",
      toolboxes: { dev: { mcpServers: { fs: large.entry({ label: "many", tools }) } } },
    },
  });
  const opened = await askModern({
    url: onym.url,
    method: "tools/call",
    params: { name: "open_toolbox", arguments: { toolbox: "dev" } },
  });
  expect(opened.text).toContain("is open: 1500 tools");
  await large.close();
});
