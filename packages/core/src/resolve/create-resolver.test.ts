import { describe, expect, it } from "vitest";
import type { ToolSource } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { formatLock } from "../naming/lock/format-lock.js";
import { explainWhy } from "../naming/wish/why.js";
import { buildSnapshot, type ResolveOptions, type SnapshotOptions } from "../snapshot/build-snapshot.js";
import type { Resolution, ResolveContext } from "./resolution.js";

const CRM: readonly ToolSource[] = [
  { server: "salesforce", tools: ["get_leads", "create_lead", "get_lead_2"] },
  { server: "salesforce-v2", integration: "salesforce", version: 2, tools: ["create_lead"] },
  { server: "data-grout", tools: ["prism.refract", "warden.canary"] },
  { server: "odd", tools: ["100%", "a~b", "%41", "Case", "case", "__proto__", "pay@v1"] },
];
const snapshot = buildSnapshot(CRM);

function outcome(text: string, options: ResolveOptions = { profile: "openai" }, from = snapshot): string {
  const resolution = from.resolve(text, options);
  switch (resolution.outcome) {
    case "resolved":
      return `${resolution.step}: ${resolution.tool.canonical}`;
    case "ambiguous":
      return `ambiguous ${resolution.step}: ${resolution.candidates.map(({ canonical }) => canonical).join(", ")}`;
    case "retired":
      return `retired: ${resolution.successor ?? "-"}`;
    case "unknown":
      return `unknown ${resolution.problem?.code ?? ""}`.trim();
  }
}

describe("the steps of resolving", () => {
  it.each([
    ["sf_get_leads", "public: salesforce@1/get_leads@1"],
    ["salesforce@1/get_leads@1", "canonical: salesforce@1/get_leads@1"],
    ["sf_create_lead", "public: salesforce@1/create_lead@1"],
    ["sf_create_lead_2", "public: salesforce@2/create_lead@1"],
    ["salesforce_create_lead_2", "spelling: salesforce@2/create_lead@1"],
    ["salesforce_create_lead", "spelling: salesforce@1/create_lead@1"],
    ["data-grout_prism_refract", "spelling: data-grout@1/prism.refract@1"],
    ["salesforce.get_leads", "spelling: salesforce@1/get_leads@1"],
    ["salesforce/get_leads", "spelling: salesforce@1/get_leads@1"],
    ["mcp__salesforce__get_leads", "spelling: salesforce@1/get_leads@1"],
    ["mcp_salesforce_get_leads", "spelling: salesforce@1/get_leads@1"],
    ["mcp_salesforce__get_leads", "spelling: salesforce@1/get_leads@1"],
    ["mcp__onym__sf_get_leads", "spelling: salesforce@1/get_leads@1"],
    ["prism__refract", "spelling: data-grout@1/prism.refract@1"],
    ["salesforce@1~get_leads@1", "transport: salesforce@1/get_leads@1"],
    ["salesforce%401%2Fget_leads%401", "transport: salesforce@1/get_leads@1"],
    ["salesforce%401~get_leads%401", "transport: salesforce@1/get_leads@1"],
    ["data-grout/warden.canary@v1", "version: data-grout@1/warden.canary@1"],
    ["salesforce@v1/get_leads@v1", "version: salesforce@1/get_leads@1"],
    ["salesforce@latest/create_lead@latest", "version: salesforce@2/create_lead@1"],
    ["salesforce@latest/get_leads", "version: salesforce@1/get_leads@1"],
    ["salesforce%40latest~create_lead", "version: salesforce@2/create_lead@1"],
    ["Salesforce@1/GET_LEADS@1", "case: salesforce@1/get_leads@1"],
    ["SALESFORCE@V1~GET_LEADS", "case: salesforce@1/get_leads@1"],
    ["get_leads", "context: salesforce@1/get_leads@1"],
  ])("%s → %s (RES-1)", (text, expected) => expect(outcome(text)).toBe(expected));

  it.each([
    ["sf_create_lead_3", "unknown"],
    ["sf_get_leads_2", "unknown"],
    ["SF_GET_LEADS", "unknown"],
    ["salesforce@3/create_lead@1", "unknown"],
    ["salesforce@01/get_leads@1", "unknown bad-version"],
    ["salesforce%4/x", "unknown bad-escape"],
    ["valueOf", "unknown"],
    ["", "unknown"],
  ])("never guesses: %j is %s (RES-1) (RES-2)", (text, expected) => expect(outcome(text)).toBe(expected));

  it("finds the newest of the tool that is written, not of one in another case (CANON-3) (CANON-4)", () => {
    const cased = buildSnapshot([
      { server: "s", tools: [{ name: "read", version: 2 }] },
      { server: "s9", integration: "s", version: 9, tools: ["Read"] },
    ]);
    expect(outcome("s@latest/read@latest", {}, cased)).toBe("version: s@1/read@2");
    expect(outcome("s@latest/Read@latest", {}, cased)).toBe("version: s@9/Read@1");
    expect(outcome("s@latest/READ@latest", {}, cased)).toBe("case: s@9/Read@1");
  });

  it("finds a tool that really ends in a number (RES-2)", () => {
    expect(outcome("sf_get_lead_2")).toBe("public: salesforce@1/get_lead_2@1");
    expect(outcome("get_lead_2")).toBe("context: salesforce@1/get_lead_2@1");
  });

  it("matches exactly before it decodes or folds, so any raw name works (CANON-4) (CANON-5)", () => {
    expect(outcome("odd@1/100%@1")).toBe("canonical: odd@1/100%@1");
    expect(outcome("odd@1/a~b@1")).toBe("canonical: odd@1/a~b@1");
    expect(outcome("odd@1/%41@1")).toBe("canonical: odd@1/%41@1");
    expect(outcome("odd%401~100%25%401")).toBe("transport: odd@1/100%@1");
    expect(outcome("odd%401%2F%2541%401")).toBe("transport: odd@1/%41@1");
    expect(outcome("odd@1/Case@1")).toBe("canonical: odd@1/Case@1");
    expect(outcome("odd@1/case@1")).toBe("canonical: odd@1/case@1");
    expect(outcome("odd@1/CASE@1")).toBe("ambiguous case: odd@1/Case@1, odd@1/case@1");
    expect(outcome("__proto__")).toBe("context: odd@1/__proto__@1");
    expect(outcome("odd@1/pay@v1@1")).toBe("canonical: odd@1/pay@v1@1");
  });

  it("finds the canonical name of an integration that its server writes with a capital (CANON-6)", () => {
    const hub = buildSnapshot([
      { server: "hub", names: "canonical", speaksFor: ["GitHub"], tools: ["GitHub@1/search@1"] },
      { server: "lab", tools: ["search"] },
    ]);
    expect(outcome("GitHub@1/search@1", {}, hub)).toBe("canonical: GitHub@1/search@1");
    expect(outcome("GitHub/search", {}, hub)).toBe("version: GitHub@1/search@1");
    expect(outcome("LAB@1/search@1", {}, hub)).toBe("case: lab@1/search@1");
  });

  it("stops at a spelling that two tools claim, and names them (RES-1)", () => {
    const boxes = buildSnapshot([
      { toolbox: "dev", server: "fs", tools: ["read"] },
      { toolbox: "prod", server: "fs", tools: ["read"] },
    ]);
    const both = "dev:fs@1/read@1, prod:fs@1/read@1";
    expect(outcome("fs@1/read@1", { profile: "openai" }, boxes)).toBe(`ambiguous canonical: ${both}`);
    expect(outcome("fs_read", { profile: "openai" }, boxes)).toBe(`ambiguous spelling: ${both}`);
    expect(outcome("dev__fs__read", { profile: "openai" }, boxes)).toBe("public: dev:fs@1/read@1");
    const prod = boxes.resolve("read", { profile: "openai", context: { toolbox: "prod" } });
    expect(prod.outcome === "resolved" && prod.tool.toolbox).toBe("prod");
    const narrowed = boxes.resolve("fs@1/read@1", { context: { toolbox: "dev" } });
    expect(narrowed.outcome === "resolved" && narrowed.tool.toolbox).toBe("dev");
  });

  it("names everybody who claims a spelling, however many they are (RES-1)", () => {
    const toolboxes = ["dev", "prod", "test", "old"];
    const boxes = buildSnapshot(toolboxes.map((toolbox) => ({ toolbox, server: "fs", tools: ["read"] })));
    for (const text of ["fs@1/read@1", "fs_read", "read", "FS@1/READ@1"]) {
      const found = boxes.resolve(text, { profile: "openai" });
      const candidates = found.outcome === "ambiguous" ? found.candidates : [];
      expect(candidates.map(({ toolbox }) => toolbox).sort(), text).toEqual(toolboxes.toSorted());
    }
  });

  it("finds a spelling that starts as those of clients do (RES-1)", () => {
    const odd = buildSnapshot([{ server: "mcp", tools: ["getLead"] }]);
    expect(outcome("mcp_getLead", { profile: "openai" }, odd)).toBe("public: mcp@1/getLead@1");
    expect(outcome("mcp_get_lead", { profile: "openai" }, odd)).toBe("spelling: mcp@1/getLead@1");
    expect(outcome("mcp_nobody", { profile: "openai" }, odd)).toBe("unknown");
  });

  it("reads a raw name by its context, else only when it is unique (RES-1)", () => {
    expect(outcome("create_lead")).toBe(
      "ambiguous context: salesforce@1/create_lead@1, salesforce@2/create_lead@1",
    );
    const context = { server: "salesforce-v2" };
    expect(outcome("create_lead", { context })).toBe("context: salesforce@2/create_lead@1");
    expect(outcome("get_leads", { context })).toBe("unknown");
  });

  it("takes the structured form wherever a text is taken (BOX-6)", () => {
    const boxes = buildSnapshot([{ toolbox: "dev", server: "fs", tools: ["read__all"] }]);
    const found = boxes.resolve({ toolbox: "dev", server: "fs", name: "read__all" });
    expect(found.outcome === "resolved" && found.tool.raw).toBe("read__all");
    expect(boxes.resolve({ toolbox: "dev", server: "fs", name: "read" }).outcome).toBe("unknown");
    expect(snapshot.resolve({ server: "salesforce", name: "get_leads" }).outcome).toBe("resolved");
    expect(snapshot.resolve({ toolbox: "dev", server: "salesforce", name: "get_leads" }).outcome).toBe(
      "unknown",
    );
  });

  it("knows the names of every other profile (RES-1)", () => {
    const long = buildSnapshot([
      { server: "warehouse", tools: ["list_every_single_shipment_between_two_given_dates_and_ports"] },
    ]);
    for (const profile of long.profiles) {
      const [entry] = long.namesFor(profile).tools;
      const found = long.resolve(entry?.name ?? "", { profile: "openai" });
      expect(found.outcome === "resolved" && found.tool).toBe(entry?.tool);
    }
  });

  it("allocates nothing new for a public name it resolved before (RES-4)", () => {
    const resolve = snapshot.resolverFor("openai");
    expect(resolve("sf_get_leads")).toBe(resolve("sf_get_leads"));
  });
});

describe("a name and a stated origin (RES-1)", () => {
  const stated = buildSnapshot([
    { server: "git", tools: ["status", "x", "log"] },
    { server: "repo", tools: ["git_status", "git.x", "log", "push", "repo.push"] },
    { server: "fs", toolbox: "dev", tools: ["read", "log"] },
    { server: "fs", toolbox: "ops", tools: ["dev__fs__read", "log"] },
  ]);
  const from = (text: string, context: ResolveContext) =>
    outcome(text, { profile: "claude-code", context }, stated);

  it.each<[string, ResolveContext, string]>([
    // Nobody is guessed at: the name is one tool's, and the stated server has another of this name.
    ["git@1/status@1", { server: "repo" }, "canonical: git@1/status@1"],
    ["git.status", { server: "repo" }, "spelling: git@1/status@1"],
    ["git.x", { server: "repo" }, "ambiguous context: git@1/x@1, repo@1/git.x@1"],
    ["git%2Ex", { server: "repo" }, "transport: git@1/x@1"],
    ["repo.push", { server: "repo" }, "ambiguous context: repo@1/push@1, repo@1/repo.push@1"],
    ["dev__fs__read", { server: "fs" }, "ambiguous context: ops:fs@1/dev__fs__read@1, dev:fs@1/read@1"],
    [
      "dev__fs__read",
      { server: "fs", toolbox: "ops" },
      "ambiguous context: ops:fs@1/dev__fs__read@1, dev:fs@1/read@1",
    ],
    ["dev__fs__read", { server: "fs", toolbox: "dev" }, "public: dev:fs@1/read@1"],
    // They agree, or no server is stated, or it has no such tool.
    ["git.x", { server: "git" }, "spelling: git@1/x@1"],
    ["git.x", {}, "spelling: git@1/x@1"],
    ["git.x", { server: "nobody" }, "spelling: git@1/x@1"],
    ["git.x", { server: "" }, "spelling: git@1/x@1"],
    ["dev__fs__read", { toolbox: "ops" }, "public: dev:fs@1/read@1"],
    ["log", { server: "repo" }, "context: repo@1/log@1"],
    ["log", { server: "fs" }, "ambiguous context: dev:fs@1/log@1, ops:fs@1/log@1"],
  ])("%s from %j → %s", (text, context, expected) => expect(from(text, context)).toBe(expected));

  it("that mean two tools are ambiguous also where the name is the caller's own", () => {
    const flat = buildSnapshot([
      { server: "git", tools: ["status"] },
      { server: "repo", tools: ["git_status"] },
    ]);
    const resolve = flat.resolverFor("openai");
    expect(resolve("git_status").outcome).toBe("resolved");
    const both = resolve("git_status", { server: "repo" });
    expect(both).toMatchObject({
      outcome: "ambiguous",
      candidates: [{ server: "git" }, { server: "repo" }],
      steps: [
        { step: "public", outcome: "matched" },
        { step: "context", outcome: "ambiguous" },
      ],
    });
    // What is kept for the next caller is unchanged.
    expect(resolve("git_status")).toMatchObject({ outcome: "resolved", steps: [{ step: "public" }] });
    expect(resolve({ server: "repo", name: "git_status" })).toMatchObject({ tool: { server: "repo" } });
  });
});

describe("for a caller that does not see every tool (POL-1)", () => {
  const mixed = buildSnapshot(
    [
      { server: "git", tools: ["status", { name: "log", version: 3 }] },
      { server: "git-2", integration: "git", version: 2, tools: ["status"] },
      {
        server: "ev",
        tools: [
          "git.status",
          "git/status",
          "git@1/status@1",
          "git@1/status",
          "GIT@1/STATUS@1",
          "git_status",
          "git/log",
          "x",
        ],
      },
      { server: "ew", tools: ["x"] },
    ],
    { renames: [{ from: "git@1/state@1", to: "git@1/status@1" }] },
  );
  const seen = (hidden: (tool: Tool) => boolean) =>
    mixed.resolverFor("openai", { sees: (tool) => !hidden(tool) });
  const withoutGit = seen(({ server }) => server === "git");
  const led = (resolution: Resolution) =>
    resolution.outcome === "resolved" ? resolution.tool.canonical : resolution.outcome;

  it.each([
    ["git.status", "ev@1/git.status@1"],
    ["git/status", "ev@1/git/status@1"],
    ["git@1/status", "ev@1/git@1/status@1"],
    ["GIT@1/STATUS@1", "ev@1/GIT@1/STATUS@1@1"],
    ["x", "ambiguous"],
    ["git@latest/status", "git@2/status@1"],
    ["git@latest/log@latest", "unknown"],
    // Given to the hidden tool: they lead nowhere else.
    ["git_status", "git@1/status@1"],
    ["git%5Fstatus", "git@1/status@1"],
    ["git@1/status@1", "git@1/status@1"],
    ["git%401~status%401", "git@1/status@1"],
    ["mcp__onym__git_status", "git@1/status@1"],
    ["git@1/state@1", "git@1/status@1"],
  ])("%s leads where it would without hidden tools, or to whom it was given: %s", (text, expected) => {
    expect(led(withoutGit(text))).toBe(expected);
  });

  it("a stated origin has what it has", () => {
    expect(led(withoutGit({ server: "git", name: "status" }))).toBe("unknown");
    expect(led(withoutGit("git/log", { server: "ev" }))).toBe("ev@1/git/log@1");
    const withoutEw = seen(({ server }) => server === "ew");
    expect([led(withoutEw("x")), led(withoutGit("x", { server: "ew" }))]).toEqual(["ev@1/x@1", "ew@1/x@1"]);
  });

  it("nothing changes for others", () => {
    expect(led(mixed.resolverFor("openai")("git.status"))).toBe("git@1/status@1");
  });
});

describe("unknown names", () => {
  it("come with up to five suggestions from the caller's own table (RES-3)", () => {
    const resolution = snapshot.resolve("sf_get_laeds", { profile: "openai" });
    expect(resolution.outcome === "unknown" && resolution.suggestions[0]).toBe("sf_get_leads");
    const many = buildSnapshot([
      { server: "x", tools: Array.from({ length: 50 }, (_, index) => `list_item_${index}`) },
    ]);
    const near = many.resolve("x_list_items", { profile: "openai" });
    expect(near.outcome === "unknown" && near.suggestions).toHaveLength(5);
    const shown = new Set(many.namesFor("openai").tools.map(({ name }) => name));
    for (const name of near.outcome === "unknown" ? near.suggestions : []) expect(shown).toContain(name);
  });

  it.each(["%25".repeat(34_000), "_".repeat(10_000), "\ud800", "a@".repeat(50_000), "x ".repeat(50_000)])(
    "get an answer however hostile the text (RES-4)",
    (text) => expect(["unknown", "resolved"]).toContain(snapshot.resolve(text).outcome),
  );
});

describe("former names", () => {
  const renames = (policy?: "accept" | "warn" | "reject", until?: string): SnapshotOptions => ({
    today: "2027-01-01",
    renames: [
      {
        from: "sf_list_leads",
        to: "salesforce@1/get_leads@1",
        ...(policy === undefined ? {} : { policy }),
        ...(until === undefined ? {} : { until }),
      },
    ],
  });

  it.each([
    [renames(), "alias: salesforce@1/get_leads@1", 1],
    [renames("accept"), "alias: salesforce@1/get_leads@1", 0],
    [renames("reject"), "retired: salesforce@1/get_leads@1", 0],
    [renames("warn", "2027-01-01"), "alias: salesforce@1/get_leads@1", 1],
    [renames("warn", "2026-12-31"), "retired: salesforce@1/get_leads@1", 0],
  ])("follow their policy and window (RES-1)", (options, expected, warnings) => {
    const renamed = buildSnapshot(CRM, options);
    expect(outcome("sf_list_leads", { profile: "openai" }, renamed)).toBe(expected);
    expect(renamed.resolve("sf_list_leads", { profile: "openai" }).warnings).toHaveLength(warnings);
  });

  it("are not given to a new tool (NAME-4)", () => {
    const [first, ...others] = CRM;
    const joined = buildSnapshot(
      [{ server: "salesforce", tools: [...(first?.tools ?? []), "list_leads"] }, ...others],
      renames(),
    );
    expect(joined.namesFor("openai").tools.map(({ name }) => name)).toContain("sf_list_leads_2");
  });

  it("of two tools that are there are ambiguous, and say whose they were (RES-1)", () => {
    const twice = buildSnapshot(CRM, {
      renames: [
        { from: "old", to: "salesforce@1/get_leads@1" },
        { from: "old", to: "salesforce@1/create_lead@1" },
      ],
    });
    expect(outcome("old", { profile: "openai" }, twice)).toBe(
      "ambiguous alias: salesforce@1/get_leads@1, salesforce@1/create_lead@1",
    );
  });

  it("that one tool had for several clients still lead to that one (RES-1) (LOCK-1)", () => {
    const lock = snapshot.nextLock(["openai", "cursor", "anthropic"]);
    const pins = { leads: "salesforce@1/get_leads@1" };
    const pinned = buildSnapshot(CRM, { lock, pins });
    const later = buildSnapshot(CRM, { lock: pinned.nextLock(["openai", "cursor", "anthropic"]), pins });
    for (const [from, profile] of [pinned, later].flatMap((each) =>
      ["openai", "canonical", "gemini"].map((id) => [each, id] as const),
    )) {
      expect(outcome("sf_get_leads", { profile }, from), profile).toMatch(/: salesforce@1\/get_leads@1$/);
      expect(outcome("leads", { profile }, from), profile).toMatch(/: salesforce@1\/get_leads@1$/);
    }
  });

  it("that are declared lead where they are declared to, whatever the lock remembers of them (RES-1) (LOCK-2)", () => {
    const lock = snapshot.nextLock(["openai"]);
    const renames = [{ from: "sf_get_leads", to: "salesforce@2/create_lead@1" }];
    const gone = buildSnapshot(CRM.slice(1), { lock, renames });
    for (const profile of ["openai", "cursor"])
      expect(outcome("sf_get_leads", { profile }, gone)).toBe("alias: salesforce@2/create_lead@1");
  });

  it.each([
    ["accept", "resolved", 0],
    ["warn", "resolved", 1],
    ["reject", "retired", 0],
  ] as const)(
    "that are declared are told as declared, not as on record: %s (RES-1) (LOCK-2)",
    (policy, result, warnings) => {
      const lock = snapshot.nextLock(["openai"]);
      const to = "salesforce@1/get_leads@1";
      const renames = [{ from: "sf_get_leads", to, policy }];
      const pinned = buildSnapshot(CRM, { lock, renames, pins: { leads: to } });
      const found = pinned.resolve("sf_get_leads", { profile: "openai" });
      expect([found.outcome, found.warnings.length]).toEqual([result, warnings]);
    },
  );

  it("of tools that are gone are retired, with what they were (RES-1) (LOCK-1)", () => {
    const lock = snapshot.nextLock(["openai"]);
    const gone = buildSnapshot(CRM.slice(1), { lock });
    expect(gone.resolve("sf_get_leads", { profile: "openai" })).toMatchObject({
      outcome: "retired",
      canonical: "salesforce@1/get_leads@1",
    });
  });
});

describe("a text that was one gone tool's own, and would be the flat name of another", () => {
  it("is the first one's: a guess never beats what is exact (RES-1)", () => {
    for (const sources of [
      [
        { server: "fs", tools: ["read"] },
        { server: "mcp", tools: ["fs_read"] },
      ],
      [
        { server: "mcp", tools: ["fs_read"] },
        { server: "fs", tools: ["read"] },
      ],
    ]) {
      const lock = buildSnapshot(sources).nextLock(["canonical"]);
      const gone = buildSnapshot([{ server: "other", tools: ["look"] }], { lock });
      expect(gone.resolve("mcp_fs_read", { profile: "openai" })).toMatchObject({ canonical: "fs@1/read@1" });
      expect(gone.resolve("mcp_fs_write", { profile: "openai" }).outcome).toBe("unknown");
    }
  });
});

describe("a name that one client shows for a tool and another showed for a second one", () => {
  const LONG = "list_every_single_shipment_between_two_given_dates_and_two_given_ports";
  const before = buildSnapshot([{ server: "s", tools: [LONG] }]);
  const lock = before.nextLock(["cursor"]);
  /** Too long for Cursor, it is cut there. Another server's tool has the very name for OpenAI. */
  const cut = before.namesFor("cursor").tools[0]?.name ?? "";
  const namesake: ToolSource = { server: "list", tools: [cut.slice("list_".length)] };
  const [second, first] = [`s@1/${LONG}@1`, `list@1/${namesake.tools[0]}@1`];

  it("is the first one's for OpenAI, and was the second one's for Cursor (RES-1) (NAME-4)", () => {
    const pins = { short: second };
    const pinned = buildSnapshot([{ server: "s", tools: [LONG] }], { lock, pins });
    // At once, and after a restart.
    for (const known of [lock, pinned.nextLock(["cursor"])]) {
      const after = buildSnapshot([{ server: "s", tools: [LONG] }, namesake], { lock: known, pins });
      expect(outcome(cut, { profile: "openai" }, after)).toBe(`public: ${first}`);
      expect(outcome(cut, { profile: "cursor" }, after)).toBe(`alias: ${second}`);
      // Who is shown both kinds beside its own may have learnt either.
      expect(outcome(cut, { profile: "canonical" }, after)).toBe(`ambiguous public: ${first}, ${second}`);
    }
  });

  it("is nobody's where the second one is gone, but for OpenAI, which never showed it for that (NAME-4)", () => {
    const after = buildSnapshot([{ server: "s", tools: [] }, namesake], { lock });
    expect(outcome(cut, { profile: "openai" }, after)).toBe(`public: ${first}`);
    expect(outcome(cut, { profile: "cursor" }, after)).toBe("retired: -");
    expect(outcome(cut, { profile: "canonical" }, after)).toBe("retired: -");
  });
});

describe("names of tools that are gone", () => {
  const FORMS = [
    "crm_search",
    "mcp__onym__crm_search",
    "mcp_onym_crm_search",
    "crm@1/search@1",
    "crm@1~search@1",
    "crm%401%2Fsearch%401",
    "crm@v1/search",
    "CRM/Search",
    "crm.search",
    "crm/search",
    "mcp__crm__search",
  ];
  const impostor: ToolSource = { server: "impostor", tools: FORMS };
  const lock = buildSnapshot([{ server: "crm", tools: ["search"] }, impostor]).nextLock(["openai"]);

  it("are not another's for whom the caller was shown them, whatever other profiles call others (NAME-4)", () => {
    const before = buildSnapshot([{ server: "s", tools: ["A_b", "a.b"] }]);
    const options = { lock: before.nextLock(["universal", "openai", "cursor"]) };
    const after = buildSnapshot([{ server: "s", tools: ["a.b"] }], options);
    expect(outcome("s_a_b", { profile: "universal" }, before)).toBe("public: s@1/A_b@1");
    expect(outcome("s_a_b", { profile: "openai" }, before)).toBe("public: s@1/a.b@1");
    expect(outcome("s_a_b", { profile: "universal" }, after)).toBe("retired: -");
    expect(outcome("s_a_b", { profile: "openai" }, after)).toBe("public: s@1/a.b@1");
  });

  it.each(FORMS)("do not lead to one who calls his own tool %s (RES-1) (NAME-4)", (text) => {
    const sources = [{ server: "crm", tools: [] }, impostor];
    const gone = buildSnapshot(sources, { lock });
    const absent = buildSnapshot(sources, { lock, absent: [{ server: "crm" }] });
    expect(outcome(text, undefined, gone)).toBe("retired: -");
    expect(outcome(text, undefined, absent)).toBe("unknown server-absent");
    const context = { server: "impostor" };
    expect(gone.resolve({ ...context, name: text }).outcome).toBe("resolved");
  });
});

describe("absent downstreams", () => {
  const lock = snapshot.nextLock(["openai"]);
  const without = buildSnapshot(CRM.slice(1), { lock, absent: [{ server: "salesforce" }] });

  it("keep the names that the lock holds for their tools, and nobody else gets them (LOCK-1) (NAME-4)", () => {
    const again = without.nextLock(["openai"]);
    expect(formatLock(again)).toBe(formatLock(lock));
    expect(without.namesFor("openai").tools.map(({ name }) => name)).toContain("sf_create_lead_2");
  });

  it("make their names unknown, with the reason, and not retired (RES-1)", () => {
    const resolution = without.resolve("sf_get_leads", { profile: "openai" });
    expect(resolution).toMatchObject({ outcome: "unknown", problem: { code: "server-absent" } });
  });
});

describe("explain", () => {
  it("tells what was tried, what matched and why this name (RES-5)", () => {
    const lines = snapshot.explain("Salesforce@1/CREATE_lead@1", { profile: "openai" }).join("\n");
    expect(lines).toContain('is "salesforce@1/create_lead@1" (its canonical name in another case)');
    expect(lines).toContain("canonical names, with versions filled in");
    expect(snapshot.explain("sf_create_lead_2", { profile: "openai" }).join("\n")).toContain("is taken by");
    expect(snapshot.explain("sf_get_laeds", { profile: "openai" })[0]).toContain(
      'near it are "sf_get_leads"',
    );
    expect(snapshot.explain({ server: "salesforce", name: "get_leads" })[0]).toContain(
      "salesforce / get_leads",
    );
  });

  it("never shows a control character as it is (RES-5) (SAFE-1)", () => {
    expect(snapshot.explain("a\u202eb\n").join("")).not.toMatch(/[\u202e\n]/);
  });

  it.each(["wish", "fitted", "unrepeated", "cut", "numbered", "locked", "pinned"] as const)(
    "has words for a name that was %s (RES-5)",
    (kind) => expect(explainWhy({ kind, wish: "w", takenBy: "t" } as never)).not.toBe(""),
  );
});
