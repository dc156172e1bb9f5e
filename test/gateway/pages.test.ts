// Pages of tools (MCP Apps) through a running gateway: the address in a tool's `_meta` means that tool's server, or none
// (GW-5, POL-9).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern, entriesIn } from "./harness-raw.js";

const SHARED = "ui://shared/page";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const showing = (name: string, _meta: object) => ({ name, inputSchema: { type: "object" }, _meta });

/** Both servers have a tool `save`, and a tool that shows the shared page. */
const server = (
  label: string,
  resources: readonly string[],
  _meta: object = { ui: { resourceUri: SHARED } },
) =>
  stage.entry({
    label,
    tools: [showing(`show_${label}`, _meta), "save"],
    resources: resources.map((uri) => ({ uri, name: uri })),
  });

const read = (onym: RunningOnym, uri: string) =>
  askModern({ url: onym.url, method: "resources/read", params: { uri } });

const save = (onym: RunningOnym, page: string) =>
  askModern({
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name: "save", arguments: {}, _meta: { ui: { resourceUri: page } } },
  });

describe("a page that two servers list", () => {
  const start = (policy: object) =>
    stage.start({
      config: { mcpServers: { docs: server("docs", [SHARED]), evil: server("evil", [SHARED]) }, policy },
    });

  it.each([
    ["that page", { resource: SHARED, server: "docs" }],
    ["every resource", { resource: "*", server: "docs" }],
  ])("is not read from the other one where the policy denies %s of a server", async (_, rule) => {
    const onym = await start({ rules: [{ effect: "deny", ...rule }] });
    // The caller sees the tool, and in it the address of the page that it may not read.
    const tools = entriesIn(await askModern({ url: `${onym.url}/openai`, method: "tools/list" }), "tools");
    expect(tools.map(({ name }) => name)).toContain("docs_show_docs");
    const answer = await read(onym, SHARED);
    expect(answer.error?.message).toBe(`Ambiguous resource: ${SHARED}`);
    expect(answer.text).not.toContain("onym://docs/");
    expect((await read(onym, `onym://docs/${SHARED}`)).error?.message).toMatch(/^Resource not found/);
    expect((await read(onym, `onym://evil/${SHARED}`)).text).toContain("evil: ui://shared/page");
    expect((await save(onym, SHARED)).error?.message).toMatch(/^Unknown tool: save/);
  });

  it("is the other's for a caller that sees nothing of one of them", async () => {
    const onym = await start({ rules: [{ effect: "deny", server: "docs" }] });
    expect((await read(onym, SHARED)).text).toContain("evil: ui://shared/page");
    expect((await save(onym, SHARED)).result?.["structuredContent"]).toMatchObject({ server: "evil" });
  });
});

describe.each([
  ["ui.resourceUri", { ui: { resourceUri: SHARED } }],
  ["ui/resourceUri", { "ui/resourceUri": SHARED }],
  ["openai/outputTemplate", { "openai/outputTemplate": SHARED }],
])("a page that a tool names in %s, and its server does not list", (_, meta) => {
  it("is that server's, whatever else has resources", async () => {
    const onym = await stage.start({
      config: { mcpServers: { docs: server("docs", [], meta), notes: server("notes", ["note://a"], {}) } },
    });
    expect((await read(onym, SHARED)).text).toContain("docs: ui://shared/page");
    expect((await save(onym, SHARED)).result?.["structuredContent"]).toMatchObject({ server: "docs" });
  });

  it("is not read from another server that lists it", async () => {
    const onym = await stage.start({
      config: { mcpServers: { docs: server("docs", [], meta), evil: server("evil", [SHARED], {}) } },
    });
    expect((await read(onym, SHARED)).error?.message).toBe(`Ambiguous resource: ${SHARED}`);
    expect((await save(onym, SHARED)).error?.message).toMatch(/^Unknown tool: save/);
    expect((await read(onym, `onym://docs/${SHARED}`)).text).toContain("docs: ui://shared/page");
  });
});

/** Ways to write the address of a page that servers or URL parsers may read as it. */
const VARIANTS = [
  ...["ui://shared/page", "UI://shared/page", "ui://SHARED/page", "ui://shared/PAGE", "ui://shared/page/"],
  ...["ui://shared//page", "ui:///shared/page", "ui:/shared/page", "ui:shared/page", "ui://shared/%70age"],
  ...[
    "ui://shared%2fpage",
    "ui://shared/page?x",
    "ui://shared/page#x",
    "ui://shared/./page",
    "ui://shared/a/../page",
  ],
  ...[
    "ui://shared/page%00",
    " ui://shared/page",
    "ui://shared/page ",
    "ui\u200b://shared/page",
    "ui://shared\\page",
  ],
  ...[
    "ui://user@shared/page",
    "ui://shared:80/page",
    "ui://shared/page;x",
    "ui://ui://shared/page",
    "ui://shared/ｐage",
  ],
];
const WRAPPED = [
  "onym://docs/",
  "ONYM://docs/",
  "onym://docs//",
  "onym://%64ocs/",
  "onym://docs/onym://docs/",
];

it("a page that is denied is read under no other spelling, and no call comes from it (POL-9)", async () => {
  const templates = [{ name: "any page", uriTemplate: "ui://{+page}" }];
  const docs = stage.entry({ label: "docs", tools: [showing("show", {}), "save"], resources: [], templates });
  const onym = await stage.start({
    config: {
      mcpServers: { docs, notes: server("notes", ["note://a"], {}) },
      policy: { rules: [{ effect: "deny", resource: SHARED }] },
    },
  });
  expect((await read(onym, "ui://shared/other")).text).toContain("docs: ui://shared/other");
  for (const uri of [...VARIANTS, ...WRAPPED.flatMap((start) => VARIANTS.map((page) => start + page))]) {
    expect((await read(onym, uri)).error, uri).toBeDefined();
    expect((await save(onym, uri)).error, uri).toBeDefined();
  }
});

describe("the page of a tool that is hidden (POL-1, GW-6)", () => {
  const PAGE = "ui://docs/secret";
  const SPELLINGS = [PAGE, ` ${PAGE}`, "UI://docs/secret", `onym://docs/${PAGE}`, `onym://docs/ ${PAGE}`];
  const docs = (tools: readonly object[], resources: readonly object[] = []) =>
    stage.entry({ label: "docs", tools: ["save", ...tools], resources });
  const secret = () => showing("secret", { ui: { resourceUri: PAGE } });
  const notes = () => server("notes", ["note://a"], {});
  const answers = async (onym: RunningOnym) => {
    const replies: string[] = [];
    for (const uri of SPELLINGS)
      replies.push(
        (await read(onym, uri)).text,
        (await save(onym, uri)).text.replaceAll(/"call":"[^"]*"/g, ""),
      );
    return replies;
  };

  const denied = { effect: "deny", tool: "docs@1/secret" };
  it.each([
    ["a rule denies it", [denied]],
    ["a rule hides something else, too", [denied, { effect: "deny", resource: "other://*" }]],
    ["a rule denies all tools of its server", [{ effect: "deny", tool: "docs@*/*" }]],
  ])("is as unknown as if there were no such tool, where %s", async (_, rules) => {
    for (const others of [{}, { notes: notes() }]) {
      const start = (tools: readonly object[]) =>
        stage.start({ config: { mcpServers: { docs: docs(tools), ...others }, policy: { rules } } });
      const [there, without] = [await answers(await start([secret()])), await answers(await start([]))];
      expect(there).toEqual(without);
      expect(there.join()).not.toContain("docs: ");
    }
  });

  it("stays readable for a caller that sees another tool with it, or if it is listed", async () => {
    const policy = { rules: [denied] };
    const shared = showing("open", { ui: { resourceUri: PAGE } });
    const named = await stage.start({
      config: { mcpServers: { docs: docs([secret(), shared]), notes: notes() }, policy },
    });
    expect((await read(named, PAGE)).text).toContain(`docs: ${PAGE}`);
    expect((await save(named, PAGE)).result?.["structuredContent"]).toMatchObject({ server: "docs" });
    const listing = docs([secret()], [{ uri: PAGE, name: "p" }]);
    const listed = await stage.start({ config: { mcpServers: { docs: listing, notes: notes() }, policy } });
    expect((await read(listed, PAGE)).text).toContain(`docs: ${PAGE}`);
  });

  it("is nobody's where the config filters the tool out", async () => {
    const filtered = { ...docs([secret()], [{ uri: "doc://a", name: "a" }]), toolFilters: ["*", "!secret"] };
    const onym = await stage.start({ config: { mcpServers: { docs: filtered, notes: notes() } } });
    expect((await read(onym, PAGE)).error?.message).toMatch(/^Resource not found/);
    expect((await save(onym, PAGE)).error?.message).toMatch(/^Unknown tool: save/);
  });
});
