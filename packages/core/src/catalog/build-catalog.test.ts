import { describe, expect, it } from "vitest";
import { type ToolKey, toolKeyOf } from "../identity/tool-key.js";
import { buildCatalog } from "./build-catalog.js";
import { integrationApart, integrationFromServerId, plainIntegration } from "./integration-of.js";
import type { ToolSource } from "./source.js";

const codes = (sources: readonly ToolSource[], aliases: Record<string, string> = {}): string[] =>
  buildCatalog(sources, { aliases }).problems.map(({ code }) => code);
const canonicals = (sources: readonly ToolSource[]): string[] =>
  buildCatalog(sources).tools.map(({ canonical }) => canonical);

describe("integrationFromServerId", () => {
  it.each([
    ["salesforce", "salesforce"],
    ["My Files", "my-files"],
    ["GitHub", "github"],
    ["_0codekit", "0codekit"],
    ["a__b--c", "a-b-c"],
  ])("makes %j kebab: %s (CANON-1)", (server, integration) => {
    expect(integrationFromServerId(server)).toBe(integration);
  });

  it.each(["", "文件", "🙂", "---"])(
    "gives %j a digest, because nothing is left of it (CANON-1)",
    (server) => {
      expect(integrationFromServerId(server)).toMatch(/^server-[a-z2-7]{8}$/);
    },
  );

  it("tells two such ids apart (CANON-1)", () => {
    expect(integrationFromServerId("文件")).not.toBe(integrationFromServerId("文档"));
  });
});

describe("plainIntegration", () => {
  it("is what stood before the digest, and else the integration itself (NAME-8)", () => {
    const plain = (server: string, integration: string): string => plainIntegration({ server, integration });
    expect(plain("GitHub", integrationApart("GitHub"))).toBe("github");
    expect(plain("GitHub", integrationApart("github"))).toBe(integrationApart("github"));
    expect(plain("GitHub", "github")).toBe("github");
  });
});

describe("buildCatalog", () => {
  it("keeps raw names code point for code point (CANON-2) (SAFE-2)", () => {
    const names = ["Get Lead", "e\u0301", "\u00e9", "__proto__", "a/b.c@d", "\ud800", ""];
    const { tools, problems } = buildCatalog([{ server: "x", tools: names }]);
    expect(problems).toEqual([]);
    expect(new Set(tools.map(({ raw }) => raw))).toEqual(new Set(names));
  });

  it("orders by integration, version as a number, tool, by code point (NAME-3)", () => {
    const listed = canonicals([
      { server: "s10", integration: "sales", version: 10, tools: ["b", "B"] },
      { server: "s2", integration: "sales", version: 2, tools: ["\u{1F600}", "\uFFFD"] },
      { server: "a", tools: ["z"] },
    ]);
    expect(listed).toEqual([
      "a@1/z@1",
      "sales@2/\uFFFD@1",
      "sales@2/\u{1F600}@1",
      "sales@10/B@1",
      "sales@10/b@1",
    ]);
  });

  it("refuses two downstreams that give one integration and version, and names both (CANON-1) (NAME-5)", () => {
    const { tools, problems } = buildCatalog([
      { server: "one", integration: "sales", tools: ["a"] },
      { server: "two", integration: "sales", tools: ["b"] },
      { server: "other", tools: ["c"] },
    ]);
    expect(problems).toMatchObject([
      { code: "same-integration", severity: "error", servers: ["one", "two"] },
    ]);
    expect(problems[0]?.message).toContain('"one"');
    expect(problems[0]?.message).toContain('"two"');
    expect(tools.map(({ raw }) => raw)).toEqual(["c"]);
    expect(
      codes([
        { server: "x", integration: "sales", tools: [] },
        { server: "Sales", tools: [] },
      ]),
    ).toEqual(["same-integration"]);
  });

  it("takes one downstream in several toolboxes, with a key for each (BOX-7)", () => {
    const { tools, problems } = buildCatalog([
      { toolbox: "dev", server: "fs", tools: ["read"] },
      { toolbox: "prod", server: "fs", tools: ["read"] },
      { server: "fs", tools: ["read"] },
    ]);
    expect(problems).toEqual([]);
    expect(new Set(tools.map(({ key }) => key)).size).toBe(3);
  });

  describe("keeps servers apart whose ids differ only in case or separators", () => {
    const small: ToolSource = { server: "github", tools: ["search"] };
    const large: ToolSource = { server: "GitHub", tools: ["search"] };
    const integrations = (
      sources: readonly ToolSource[],
      recorded: readonly (readonly [ToolSource, string])[] = [],
    ): Readonly<Record<string, string>> => {
      const known = new Map(
        recorded.map(([{ server, toolbox }, canonical]) => [
          toolKeyOf({ server, toolbox, raw: "x" }),
          { canonical },
        ]),
      );
      const { servers } = buildCatalog(sources, { recorded: known });
      return Object.fromEntries(servers.map(({ server, integration }) => [server, integration]));
    };
    const APART = integrationApart("GitHub");

    it("and says so (NAME-8)", () => {
      const { tools, problems } = buildCatalog([small, large]);
      expect(tools.map(({ canonical }) => canonical)).toEqual(["github@1/search@1", `${APART}@1/search@1`]);
      expect(problems).toMatchObject([
        { code: "similar-ids", severity: "warning", servers: ["GitHub", "github"] },
      ]);
      expect(problems[0]?.message).toContain(APART);
    });

    it("in any order, and all of them where no id is kebab itself (NAME-8) (NAME-4)", () => {
      expect(integrations([large, small])).toEqual(integrations([small, large]));
      const names = integrations([
        { server: "Sales Force", tools: [] },
        { server: "sales force", tools: [] },
      ]);
      expect(Object.values(names)).toEqual([
        integrationApart("Sales Force"),
        integrationApart("sales force"),
      ]);
    });

    it("and leaves each what it had on record (NAME-8) (NAME-4)", () => {
      const first = [large, "github@1/search@1"] as const;
      const second = [small, `${integrationApart("github")}@1/search@1`] as const;
      expect(integrations([large, small], [first])).toEqual({
        GitHub: "github",
        github: integrationApart("github"),
      });
      expect(integrations([small], [first, second])).toEqual({ github: integrationApart("github") });
    });

    it("and one that comes after another is gone does not get its names (NAME-8) (NAME-4)", () => {
      const record = new Map([
        [toolKeyOf({ server: "GitHub", raw: "search" }), { canonical: "github@1/search@1" }],
      ]);
      const { servers, problems } = buildCatalog([small], { recorded: record });
      expect(servers.map(({ integration }) => integration)).toEqual([integrationApart("github")]);
      expect(problems).toMatchObject([{ code: "similar-ids", servers: ["github"] }]);
      expect(problems[0]?.fix).toContain('"formerly": ["GitHub"]');
      const declared = buildCatalog([{ ...small, formerly: ["GitHub"] }], { recorded: record });
      expect(declared.servers.map(({ integration }) => integration)).toEqual(["github"]);
      expect(declared.problems).toEqual([]);
      const other = buildCatalog([{ ...small, version: 2 }], { recorded: record });
      expect(other.servers.map(({ integration }) => integration)).toEqual(["github"]);
    });

    it("within a toolbox, and not across toolboxes, whose names differ anyway (NAME-8) (CANON-7)", () => {
      const boxed = { ...large, toolbox: "dev" };
      expect(integrations([small, boxed])).toEqual({ github: "github", GitHub: "github" });
      expect(integrations([{ ...small, toolbox: "dev" }, boxed])).toEqual({
        github: "github",
        GitHub: APART,
      });
      expect(codes([small, { ...large, version: 2 }])).toEqual([]);
    });
  });

  it.each([
    ["a__b", "fs"],
    ["_dev", "fs"],
    ["dev", "fs_"],
    ["dev", "f.s"],
    ["", "fs"],
  ])("refuses the toolbox id %j with server id %j, and names it (BOX-4)", (toolbox, server) => {
    const { tools, problems } = buildCatalog([{ toolbox, server, tools: ["x"] }]);
    expect(problems).toMatchObject([{ code: "bad-toolbox-id", severity: "error" }]);
    expect(tools).toEqual([]);
  });

  describe("warns of a server that is given the integration of another that is gone (NAME-8) (CANON-1)", () => {
    const recorded = new Map([
      [toolKeyOf({ server: "old", raw: "get" }), { canonical: "crm@1/get@1" }],
      [toolKeyOf({ server: "boxed", toolbox: "dev", raw: "get" }), { canonical: "dev:crm@1/get@1" }],
    ]);
    const heir: ToolSource = { server: "new", integration: "crm", tools: ["get"] };

    it("and names both", () => {
      const { problems, tools } = buildCatalog([heir], { recorded });
      expect(problems).toMatchObject([
        { code: "integration-taken", severity: "warning", servers: ["new", "old"] },
      ]);
      expect(problems[0]?.fix).toContain('"formerly": ["old"]');
      expect(tools.map(({ canonical }) => canonical)).toEqual(["crm@1/get@1"]);
    });

    it.each<[string, ToolSource]>([
      ["says that it was the other", { ...heir, formerly: ["old"] }],
      ["has another version", { ...heir, version: 2 }],
      ["had it itself", { ...heir, server: "old" }],
    ])("but not where it %s", (_, source) => {
      expect(buildCatalog([source], { recorded }).problems).toEqual([]);
    });

    it("but not where the other is on record as what it was", () => {
      const [from, to] = ["old", "new"].map((server) => toolKeyOf({ server, raw: "get" })) as [
        ToolKey,
        ToolKey,
      ];
      const handed = new Map([
        [from, { canonical: "crm@1/get@1", successor: to }],
        [to, { canonical: "crm@1/get@1" }],
      ]);
      expect(buildCatalog([heir], { recorded: handed }).problems).toEqual([]);
    });
  });

  it("sets apart what cannot be used and keeps the rest (NAME-5)", () => {
    const hostile = [
      "ok",
      null,
      5,
      {},
      { name: 7 },
      { name: "v", version: 0 },
      { name: "fine", version: 3 },
    ] as unknown as ToolSource["tools"];
    const { tools, problems } = buildCatalog([
      { server: "x", tools: hostile },
      { server: "y", integration: "Not Kebab", tools: ["t"] },
      { server: "z", version: 1.5, tools: ["t"] },
    ]);
    expect(tools.map(({ canonical }) => canonical)).toEqual(["x@1/fine@3", "x@1/ok@1"]);
    expect(problems.map(({ code }) => code).sort()).toEqual(
      [
        "bad-integration",
        "bad-tool",
        "bad-tool",
        "bad-tool",
        "bad-tool",
        "bad-version",
        "bad-version",
      ].sort(),
    );
  });

  it.each([
    ["of one byte", (bytes: number) => "x".repeat(bytes)],
    ["of two bytes", (bytes: number) => `${"x".repeat(bytes % 2)}${"é".repeat(Math.floor(bytes / 2))}`],
    ["of three bytes", (bytes: number) => `${"x".repeat(bytes % 3)}${"文".repeat(Math.floor(bytes / 3))}`],
    ["of four bytes", (bytes: number) => `${"x".repeat(bytes % 4)}${"🙂".repeat(Math.floor(bytes / 4))}`],
  ])(
    "leaves out names over 1,024 bytes in characters %s: one below, at and one above (limits: MAX_NAME_BYTES of read-listed-tools) (SAFE-4, NAME-8)",
    (_, nameOf) => {
      const names = [1_023, 1_024, 1_025].map(nameOf);
      expect(names.map((name) => Buffer.byteLength(name))).toEqual([1_023, 1_024, 1_025]);
      const { tools, problems } = buildCatalog([{ server: "x", tools: [...names, "fine"] }]);
      expect(tools.map(({ raw }) => raw).sort()).toEqual([...names.slice(0, 2), "fine"].sort());
      expect(problems).toMatchObject([{ code: "name-too-long", severity: "error", servers: ["x"] }]);
    },
  );

  it("tells many names that are too long as one problem, cut short (SAFE-4, NAME-8)", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `${index}${"y".repeat(100_000)}`);
    const { tools, problems } = buildCatalog([{ server: "x", tools: names }]);
    expect(tools).toEqual([]);
    expect(problems[0]?.message).toMatch(
      /^The server "x" lists 1000 tools whose names have more than 1024 bytes; left out\. The first starts with "0y+"\.$/,
    );
    expect(JSON.stringify(problems).length).toBeLessThan(1_000);
  });

  it("shows a tool listed twice once, the same one whatever the order (NAME-5)", () => {
    const first = { name: "t", description: "one" };
    const second = { name: "t", description: "two" };
    for (const tools of [
      [first, second],
      [second, first],
    ]) {
      const catalog = buildCatalog([{ server: "x", tools }]);
      expect(catalog.problems).toMatchObject([
        { code: "duplicate-tool", severity: "warning", tools: ["x/t"] },
      ]);
      expect(catalog.tools.map(({ definition }) => definition.description)).toEqual(["one"]);
    }
  });

  it("adopts canonical names of the integrations a downstream may speak for (CANON-6)", () => {
    const { tools, problems } = buildCatalog([
      {
        server: "hub",
        names: "canonical",
        speaksFor: ["salesforce"],
        tools: ["salesforce@2/get_leads@3", "stripe@1/pay@1", "not canonical", "salesforce@latest/x@1"],
      },
    ]);
    expect(tools.map(({ canonical, raw, toolName }) => [canonical, raw, toolName])).toEqual([
      ["salesforce@2/get_leads@3", "salesforce@2/get_leads@3", "get_leads"],
    ]);
    expect(problems.map(({ code }) => code)).toEqual([
      "not-its-integration",
      "not-canonical",
      "not-canonical",
    ]);
  });

  it("adopts those of every integration where a downstream may speak for all of them (CANON-6)", () => {
    const { tools, problems } = buildCatalog([
      {
        server: "hub",
        names: "canonical",
        speaksFor: ["*"],
        tools: ["salesforce@1/get_leads@1", "stripe@1/pay@1", "dev:stripe@1/pay@1"],
      },
      { server: "box", toolbox: "work", names: "canonical", speaksFor: ["*"], tools: ["stripe@1/pay@1"] },
    ]);
    expect(tools.map(({ canonical, label }) => `${canonical} ${label}`)).toEqual([
      "salesforce@1/get_leads@1 sf",
      "stripe@1/pay@1 stripe",
      "work:stripe@1/pay@1 stripe",
    ]);
    expect(problems).toMatchObject([{ code: "not-canonical", tools: ["hub/dev:stripe@1/pay@1"] }]);
    expect(problems[0]?.message).toContain("toolbox");
  });

  it("gives a canonical name that two downstreams offer to neither (CANON-6) (NAME-5)", () => {
    const { tools, problems } = buildCatalog([
      { server: "salesforce", tools: ["get_leads", "other"] },
      { server: "hub", names: "canonical", speaksFor: ["salesforce"], tools: ["salesforce@1/get_leads@1"] },
    ]);
    expect(tools.map(({ canonical }) => canonical)).toEqual(["salesforce@1/other@1"]);
    expect(problems).toMatchObject([{ code: "same-canonical", servers: ["hub", "salesforce"] }]);
  });

  it("finds a tool by its key, and nothing by another text (ID-1)", () => {
    const { tools, toolWithKey } = buildCatalog([{ server: "x", tools: ["__proto__"] }]);
    expect(tools[0] && toolWithKey(tools[0].key)).toBe(tools[0]);
    expect(toolWithKey("__proto__" as never)).toBeUndefined();
  });
});

describe("aliases of integrations", () => {
  const labels = (sources: readonly ToolSource[], aliases: Record<string, string> = {}): string[] =>
    buildCatalog(sources, { aliases }).servers.map(({ server, label }) => `${server}=${label}`);

  it("has the built-in ones, and takes the operator's (NAME-1)", () => {
    const sources = ["salesforce", "quickbooks", "data-grout", "x"].map((server) => ({ server, tools: [] }));
    expect(labels(sources, { x: "ex", salesforce: "crm" })).toEqual([
      "data-grout=dg",
      "quickbooks=qb",
      "salesforce=crm",
      "x=ex",
    ]);
    expect(labels([{ server: "x", alias: "y", tools: [] }])).toEqual(["x=y"]);
  });

  it("refuses an alias that is another's id, integration or alias (NAME-7)", () => {
    const two = (alias: string): ToolSource[] => [
      { server: "one", alias, tools: [] },
      { server: "Two Things", integration: "two", tools: [] },
    ];
    expect(codes(two("two"))).toEqual(["alias-taken"]);
    expect(codes(two("Two Things"))).toEqual(["bad-alias"]);
    expect(codes(two("free"))).toEqual([]);
    expect(codes(two("one"))).toEqual([]);
    expect(codes([...two("free"), { server: "three", alias: "free", tools: [] }])).toEqual([
      "alias-taken",
      "alias-taken",
    ]);
  });

  it("lets all versions of an integration share one alias, and no more than one (NAME-7)", () => {
    const v2: ToolSource = { server: "sf2", integration: "salesforce", version: 2, tools: [] };
    expect(
      codes([
        { server: "salesforce", alias: "crm", tools: [] },
        { ...v2, alias: "crm" },
      ]),
    ).toEqual([]);
    expect(
      codes([
        { server: "salesforce", alias: "crm", tools: [] },
        { ...v2, alias: "c2" },
      ]),
    ).toEqual(["two-aliases"]);
  });

  it("leaves a built-in alias to whoever declares it, where its integration is absent (NAME-7)", () => {
    expect(labels([{ server: "starfleet", alias: "sf", tools: [] }])).toEqual(["starfleet=sf"]);
    const both = [
      { server: "salesforce", tools: [] },
      { server: "starfleet", alias: "sf", tools: [] },
    ];
    expect(labels(both)).toEqual(["salesforce=salesforce", "starfleet=sf"]);
  });

  it("orders the tools of one integration in several toolboxes by tool first (NAME-3)", () => {
    const tools = ["b", "a"];
    const listed = buildCatalog([
      { toolbox: "y", server: "fs", tools },
      { toolbox: "x", server: "fs", tools },
    ]).tools.map(({ raw, toolbox }) => `${raw}${toolbox}`);
    expect(listed).toEqual(["ax", "ay", "bx", "by"]);
  });

  it("drops a built-in alias that somebody else owns (NAME-7)", () => {
    const sources = [
      { server: "salesforce", tools: [] },
      { server: "sf", tools: [] },
    ];
    expect(labels(sources)).toEqual(["salesforce=salesforce", "sf=sf"]);
  });
});
