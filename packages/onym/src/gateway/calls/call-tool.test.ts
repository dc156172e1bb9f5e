import { describe, expect, it } from "vitest";
import type { DownstreamRequest } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import { createMemoryStore } from "../../store/create-memory-store.js";
import type { Caller } from "../caller.js";
import { handleRequest } from "../create-router.js";
import type { GatewayContext } from "../gateway-context.js";
import { createMemoryDownstream, failedStatus, READY, toolsNamed } from "../testing/memory-downstream.js";
import {
  buildCaller,
  buildRequestContext,
  buildSession,
  buildSettings,
  profileNamed,
  serverOf,
} from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { createGuard } from "./create-guard.js";
import { prepareOrigin, resolveContextOf } from "./resolve-tool.js";

function call(
  context: GatewayContext,
  params: JsonObject,
  caller: Caller = buildSession(),
  requestContext = buildRequestContext(),
) {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
  return Promise.resolve(handleRequest(request, { caller, requestContext }, context));
}

const echo = ({ params }: DownstreamRequest): Reply => resultReply({ content: [], echoed: params });

describe("tools/call", () => {
  it.each([
    [
      "reads",
      { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
      undefined,
    ],
    ["does not read", { type: "object" }, '{"region":"eu","region":"us"}'],
  ])(
    "forwards what it parsed or the text itself where it %s the arguments: a duplicate member means one thing",
    async (_, inputSchema, text) => {
      const fs = createMemoryDownstream({ tools: [{ name: "a", inputSchema }] }, { answer: echo });
      const sent = '{"region":"eu","region":"us"}';
      const args = JSON.parse(sent);
      const request = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "fs_a", arguments: args },
        argumentsText: { of: args, text: sent },
      } as const;
      await handleRequest(
        request,
        { caller: buildSession(), requestContext: buildRequestContext() },
        buildTestContext([fs]),
      );
      expect(fs.asked[0]?.argumentsText?.text).toBe(text);
      expect(fs.asked[0]?.params).toMatchObject({ arguments: { region: "us" } });
    },
  );

  it("forwards what a person approved, where a member is there twice (POL-3)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    const context = buildTestContext([fs]);
    const guard = await createGuard({
      policy: { default: "ask", rules: [], ask: { when: "fail", waitMs: 0 } },
      audit: { arguments: false, onFailure: "deny" },
      ...{ renames: [], sources: [], maxSuspended: 1, writer: undefined, now: () => 0 },
      store: createMemoryStore(silentLog),
      log: silentLog,
    });
    const shown: unknown[] = [];
    const requestContext = buildRequestContext({
      sendRequest: async ({ params }) => {
        shown.push(params["message"]);
        return resultReply({ action: "accept", content: { decision: "once" } });
      },
    });
    const text = '{"region":"eu","region":"us"}';
    const args = JSON.parse(text);
    const params = { name: "fs_a", arguments: args };
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
    const caller = buildSession({ capabilities: { elicitation: {} } });
    const view = { ...context.latestView(), guard };
    await handleRequest(
      { ...request, argumentsText: { of: args, text } },
      { caller, requestContext },
      { ...context, latestView: () => view, names: { ...context.names, recordNames: () => view } },
    );
    expect(shown).toEqual([expect.stringContaining('With {"region":"us"}')]);
    expect(fs.asked.map(({ argumentsText }) => argumentsText)).toEqual([undefined]);
    expect(fs.asked[0]?.params).toMatchObject({ arguments: { region: "us" } });
  });

  it("gives the downstream its raw name and the arguments untouched (GW-5)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("__proto__") }, { answer: echo });
    const context = buildTestContext([fs]);
    const args = JSON.parse('{"__proto__":{"a":1},"b":[null]}');
    const { tools } = context.latestView().snapshot.tableOf(buildCaller());
    await call(context, { name: tools[0]?.name, arguments: args, _meta: { progressToken: 1, own: 2 } });
    expect(JSON.stringify(fs.asked[0]?.params)).toBe(
      '{"name":"__proto__","arguments":{"__proto__":{"a":1},"b":[null]},"_meta":{"own":2}}',
    );
  });

  it.each([
    [{}],
    [{ name: 5 }],
    [{ name: null }],
    [{ name: { server: "fs" } }],
    [{ name: "fs_a", arguments: [] }],
  ])("refuses %j", async (params) => {
    const context = buildTestContext([createMemoryDownstream({ tools: toolsNamed("a") })]);
    expect(await call(context, params)).toMatchObject({ error: { code: -32602 } });
  });

  it.each([
    ["one below", 4_095, "Unknown tool: xx"],
    ["at", 4_096, "Unknown tool: xx"],
    ["one above", 4_097, "The name has 4097 characters; names have at most 4096."],
  ])(
    "looks up no name that is too long: %s the limit of its characters (limits: MAX_NAME_LENGTH of resolve-tool) (SAFE-4)",
    async (_, length, message) => {
      const context = buildTestContext([createMemoryDownstream({ tools: toolsNamed("a") })]);
      const reply = await call(context, { name: "x".repeat(length) });
      expect(reply).toMatchObject({ error: { code: -32602, message: expect.stringContaining(message) } });
      expect(JSON.stringify(reply).length).toBeLessThan(1_500);
      const inParts = { server: "x".repeat(length - 1), name: "y" };
      expect(JSON.stringify(await call(context, { name: inParts })).includes("at most 4096")).toBe(
        length > 4_096,
      );
    },
  );

  it("says of an unknown tool what it might have been, and puts those names on record (GW-6, RES-6)", async () => {
    const context = buildTestContext([createMemoryDownstream({ tools: toolsNamed("read_file") })]);
    expect(await call(context, { name: "fs_read_fil" })).toEqual(
      errorReply(-32602, "Unknown tool: fs_read_fil. Did you mean fs_read_file?", {
        suggestions: ["fs_read_file"],
      }),
    );
  });

  it.each([
    ["fs_ecko", "Unknown tool: fs_ecko. Did you mean fs_echo?"],
    ["fs_send_mail_now", "Unknown tool: fs_send_mail_now. Did you mean fs_send_mail, fs_send or fs_echo?"],
    ["zzz", "Unknown tool: zzz"],
    ["echo", "Ambiguous tool: echo. It could be fs_echo or git_echo."],
    [
      "fs@1/echo@01",
      expect.stringMatching(/^Unknown tool: fs@1\/echo@01\. .*version.*\. Did you mean fs_echo/),
    ],
    ["fs_\u202eecko", expect.stringMatching(/^Unknown tool: fs_\\u\{202E\}ecko\. Did you mean /)],
    ["fs_echo_".repeat(200), expect.stringMatching(/^Unknown tool: (fs_echo_){37}fs_e$/)],
  ])("helps the model in the message itself: %s (RES-6)", async (name, message) => {
    const context = buildTestContext([
      createMemoryDownstream({ tools: toolsNamed("echo", "send", "send_mail") }),
      createMemoryDownstream({ tools: toolsNamed("echo") }, { server: "git" }),
    ]);
    const reply = await call(context, { name });
    expect(reply).toMatchObject({ error: { code: -32602, message } });
  });

  it("sends an unknown name to the one downstream that takes them (RES-3)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    const context = buildTestContext([fs], { passthrough: fs.id });
    await call(context, { name: "anything" });
    expect(fs.asked[0]?.params["name"]).toBe("anything");
  });

  it.each([
    { source_server: "zzz" },
    { toolbox_name: "zzz" },
    { source_server: "git" },
    { ui: { resourceUri: "ui://nope" } },
    { "ui/resourceUri": "ui://nope" },
  ])("passes no listed tool through, whatever context the caller makes up: %j (RES-3)", async (meta) => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    const git = createMemoryDownstream({ tools: toolsNamed("b") }, { server: "git", answer: echo });
    const context = buildTestContext([fs, git], { passthrough: fs.id });
    expect(await call(context, { name: "a", _meta: meta })).toMatchObject({
      error: { message: expect.stringContaining("Unknown tool") },
    });
    expect([fs.asked, git.asked]).toEqual([[], []]);
    await call(context, { name: "anything", _meta: meta });
    expect(fs.asked[0]?.params["name"]).toBe("anything");
  });

  it("passes nothing through to a toolbox that is closed to the caller (RES-3, GW-10)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { toolbox: "box", answer: echo });
    const toolboxes = [{ id: "box", description: undefined }];
    const context = buildTestContext([fs], { passthrough: fs.id, mode: "dynamic", toolboxes });
    for (const params of [
      { name: "anything" },
      { name: "a", _meta: { source_server: "zzz" } },
      { name: "anything", _meta: { source_server: "zzz" } },
    ])
      expect(await call(context, params)).toMatchObject({
        error: { message: expect.stringContaining("Unknown tool") },
      });
    expect(fs.asked).toEqual([]);
    await call(context, { name: "anything" }, buildSession({ toolboxes: new Set(["box"]) }));
    expect(fs.asked[0]?.params["name"]).toBe("anything");
  });

  it("takes the parts of a name (BOX-6), and the context of who calls", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("find_tools") }, { answer: echo });
    const git = createMemoryDownstream({ tools: toolsNamed("find_tools") }, { server: "git", answer: echo });
    const context = buildTestContext([fs, git], { mode: "proxy" });
    await call(context, { name: { server: "git", name: "find_tools" } });
    await call(context, { name: "find_tools", _meta: { source_server: "fs" } });
    expect([fs.asked.length, git.asked.length]).toEqual([1, 1]);
    // Without a context it is the gateway's own.
    expect(await call(context, { name: "find_tools" })).toMatchObject({
      result: { structuredContent: { tools: {} } },
    });
    expect([fs.asked.length, git.asked.length]).toEqual([1, 1]);
  });

  it("takes no page as a context while a server has listed nothing", async () => {
    const uri = "ui://fs/page";
    const offer = { tools: toolsNamed("pay"), resources: [{ uri, name: "page" }] };
    const fs = createMemoryDownstream(undefined, { answer: echo });
    const git = createMemoryDownstream(offer, { server: "git", answer: echo });
    const askFrom = (page: string) =>
      call(buildTestContext([fs, git]), { name: "pay", _meta: { ui: { resourceUri: page } } });
    const refused = { error: { message: "Unknown tool: pay. Did you mean git_pay?" } };
    expect(await askFrom(uri)).toMatchObject(refused);
    expect(git.asked).toEqual([]);
    await askFrom(`onym://git/${uri}`); // states its server
    fs.come(READY);
    await askFrom(uri);
    expect(git.asked.length).toBe(2);
  });

  it("looks a page up once, in a slice that calls share, and takes none that is too long (SAFE-4)", async () => {
    const offer = { tools: toolsNamed("pay"), templates: [{ uriTemplate: "x://{+page}", name: "page" }] };
    const git = createMemoryDownstream(offer, { server: "git", answer: echo });
    const context = buildTestContext([git]);
    const { snapshot } = context.latestView();
    const page = (length: number) => ({ ui: { resourceUri: "x://".padEnd(length, "a") } });
    const params = { name: "pay", _meta: page(8_192) };
    expect(
      prepareOrigin({ name: "pay", _meta: { source_server: "git" } }, buildCaller(), snapshot),
    ).toBeUndefined();
    expect(resolveContextOf({ _meta: page(8_193) })(snapshot)).toEqual({ server: "" });
    // Nothing is looked up before its slice.
    const preparing = prepareOrigin(params, buildCaller(), snapshot);
    expect(prepareOrigin(params, buildCaller(), snapshot)).toBeInstanceOf(Promise);
    expect(await preparing).toEqual({ server: "git" });
    expect(prepareOrigin(params, buildCaller(), snapshot)).toBeUndefined();
    expect(resolveContextOf(params)(snapshot)).toBe(await preparing);
    const next = { name: "pay", _meta: page(8_191) };
    const called = [call(context, params), call(context, next)];
    expect(prepareOrigin(next, buildCaller(), snapshot)).toBeInstanceOf(Promise);
    await Promise.all(called);
    expect(git.asked.length).toBe(2);
  });
});

describe("texts that mention tools (GW-9)", () => {
  const tools = [
    { name: "read_file", description: "Reads. See `list_files`.", inputSchema: { type: "object" } },
    {
      name: "list_files",
      inputSchema: { type: "object", properties: { x: { description: "As for read_file" } } },
    },
  ];
  const prompts = [
    { name: "p", description: "Uses read_file", arguments: [{ name: "q", description: "`read_file`" }] },
  ];

  it("follow names in prompts and their arguments", async () => {
    const context = buildTestContext([createMemoryDownstream({ tools, prompts })]);
    const request = { jsonrpc: "2.0", id: 1, method: "prompts/list" } as const;
    const reply = await handleRequest(
      request,
      { caller: buildSession(), requestContext: buildRequestContext() },
      context,
    );
    expect(reply.kind === "json" && JSON.parse(reply.json).prompts).toMatchObject([
      { description: "Uses fs_read_file", arguments: [{ name: "q", description: "`fs_read_file`" }] },
    ]);
  });

  it("follow names in what find_tools finds", async () => {
    const context = buildTestContext([createMemoryDownstream({ tools })], { mode: "proxy" });
    const text = JSON.stringify(await call(context, { name: "find_tools", arguments: { query: "file" } }));
    expect(text).toContain("Reads. See `fs_list_files`.");
    expect(text).toContain('"description":"As for fs_read_file"');
    expect(text).not.toContain("As for read_file");
  });
});

describe("the gateway's own names", () => {
  it("give way where a caller's table has one of them (GW-11)", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("workFindTools") }, { answer: echo });
    const { naming } = buildSettings();
    const bare = buildTestContext([fs], { mode: "proxy", naming: { ...naming, style: "bare" } });
    const camel = bare.latestView().snapshot.tools.profiles.find(({ rules }) => rules.shape === "camel");
    if (camel === undefined) throw new Error("no camel profile");
    const caller = buildSession({ profile: camel, as: "work" });
    const list = await handleRequest(
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { caller, requestContext: buildRequestContext() },
      bare,
    );
    const shown = list.kind === "json" ? JSON.parse(list.json).tools.map(({ name }: JsonObject) => name) : [];
    const table = bare.latestView().snapshot.tableOf(caller);
    expect(table.toolNamed("workFindTools")).toBeDefined();
    expect(shown).toHaveLength(2);
    for (const name of shown) expect(table.toolNamed(name)).toBeUndefined();
  });
});

describe("use_tool", () => {
  const tool = {
    name: "a",
    inputSchema: { type: "object", properties: { r: { type: "string", "x-mcp-header": "R" } } },
  };

  it("does not hold the tool's arguments against the headers of its own call", async () => {
    const fs = createMemoryDownstream({ tools: [tool] }, { answer: echo, era: "modern" });
    const context = buildTestContext([fs], { mode: "proxy" });
    const requestContext = buildRequestContext({ headers: new Map() });
    const params = { name: "use_tool", arguments: { tool: "fs_a", arguments: { r: "eu" } } };
    expect(await call(context, params, buildCaller(), requestContext)).toMatchObject({
      result: { echoed: { name: "a" } },
    });
    expect(fs.asked[0]?.headers).toEqual([["Mcp-Param-R", "eu"]]);
    // A direct call is held against them.
    const direct = { name: "fs_a", arguments: { r: "eu" } };
    expect(await call(context, direct, buildCaller(), requestContext)).toMatchObject({
      error: { code: -32020 },
    });
  });

  it("names toolbox, server and tool when the call fails (GW-6)", async () => {
    const fs = createMemoryDownstream(
      { tools: toolsNamed("a") },
      { toolbox: "dev", answer: () => errorReply(-32603, "it broke") },
    );
    const context = buildTestContext([fs], {
      mode: "proxy",
      toolboxes: [{ id: "dev", description: undefined }],
    });
    const caller = buildSession({ profile: profileNamed("openai") });
    const reply = await call(context, { name: "onym_use_tool", arguments: { tool: "dev__fs__a" } }, caller);
    expect(reply).toMatchObject({
      result: {
        isError: true,
        structuredContent: { error: { message: "it broke", toolbox: "dev", server: "fs", tool: "a" } },
      },
    });
  });

  it("gives what a page of nobody means to nobody, also where only one server has it", async () => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") }, { answer: echo });
    const context = buildTestContext([fs]);
    for (const _meta of [
      { ui: { resourceUri: "ui://gone/page" } },
      { "ui/resourceUri": "onym://gone/ui://x" },
    ])
      expect(await call(context, { name: "a", _meta })).toMatchObject({ error: { code: -32602 } });
    expect(fs.asked).toEqual([]);
    expect(await call(context, { name: "a" })).toMatchObject({ kind: "result" });
  });

  it("names every server of a toolbox that cannot be opened", async () => {
    const boxed = ["fs", "git"].map((server) =>
      createMemoryDownstream(undefined, { server, toolbox: "dev" }),
    );
    for (const each of boxed) each.come(failedStatus(1));
    const context = buildTestContext(boxed, {
      mode: "proxy",
      toolboxes: [{ id: "dev", description: undefined }],
      servers: boxed.map((each) => serverOf(each)),
    });
    for (const params of [
      { name: "use_tool", arguments: { tool: "a", server: "fs" } },
      { name: "open_toolbox", arguments: { toolbox: "dev" } },
    ]) {
      const text = JSON.stringify(await call(context, params));
      expect(text).toContain("isError");
      expect(text).toMatch(/server \\"fs\\": it does not run; server \\"git\\": it does not run/);
    }
  });
});

describe("lists", () => {
  it.each(["tools/list", "prompts/list", "resources/list", "resources/templates/list"])(
    "%s takes no cursor that it did not give out",
    async (method) => {
      const context = buildTestContext([createMemoryDownstream({ tools: toolsNamed("a") })]);
      for (const cursor of ["x", 5, null]) {
        const request = { jsonrpc: "2.0", id: 1, method, params: { cursor } } as const;
        expect(
          await handleRequest(
            request,
            { caller: buildSession(), requestContext: buildRequestContext() },
            context,
          ),
        ).toMatchObject({
          error: { code: -32602 },
        });
      }
    },
  );

  it("give a resource without a name its address for one", async () => {
    const context = buildTestContext([
      createMemoryDownstream({ resources: [{ uri: "a:b", name: 5, size: "x" }] }),
    ]);
    const request = { jsonrpc: "2.0", id: 1, method: "resources/list" } as const;
    const reply = await handleRequest(
      request,
      { caller: buildSession(), requestContext: buildRequestContext() },
      context,
    );
    expect(reply.kind === "json" && JSON.parse(reply.json)).toEqual({
      resources: [{ name: "a:b", uri: "a:b" }],
    });
  });
});
