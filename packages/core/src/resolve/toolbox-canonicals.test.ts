import { describe, expect, it } from "vitest";
import type { ToolSource } from "../catalog/source.js";
import { parseLock } from "../naming/lock/parse-lock.js";
import { buildSnapshot, type ResolveOptions, type Snapshot } from "../snapshot/build-snapshot.js";

/** The second name holds what canonical names are made of. */
const files = { server: "filesystem", tools: ["read_file", "a:b/c@d"] };
const BOXES: readonly ToolSource[] = [
  { toolbox: "dev", ...files },
  { toolbox: "prod", ...files },
];
const boxes = buildSnapshot(BOXES);

function outcome(from: Snapshot, text: string, options: ResolveOptions = {}): string {
  const resolution = from.resolve(text, options);
  switch (resolution.outcome) {
    case "resolved":
      return `${resolution.step}: ${resolution.tool.canonical}`;
    case "ambiguous":
      return `ambiguous ${resolution.step}: ${resolution.candidates.map(({ canonical }) => canonical).join(", ")}`;
    case "retired":
      return `retired: ${resolution.canonical}`;
    case "unknown":
      return `unknown ${resolution.problem?.code ?? ""}`.trim();
  }
}

/** But for those of the raw names. */
function problemsOf({ problems }: Snapshot): Snapshot["problems"] {
  return problems.filter(({ code }) => code !== "bad-characters");
}

describe("canonical names of tools in toolboxes", () => {
  it("have the toolbox in front, also where there is one toolbox only (CANON-7)", () => {
    const one = buildSnapshot(BOXES.slice(0, 1));
    expect(one.catalog.tools.map(({ canonical }) => canonical)).toEqual([
      "dev:filesystem@1/a:b/c@d@1",
      "dev:filesystem@1/read_file@1",
    ]);
    expect(boxes.namesFor("canonical").tools.map(({ name }) => name)).toEqual([
      "dev:filesystem@1/a:b/c@d@1",
      "prod:filesystem@1/a:b/c@d@1",
      "dev:filesystem@1/read_file@1",
      "prod:filesystem@1/read_file@1",
    ]);
  });

  it("lead to the tool whose they are, in every profile (CANON-7)", () => {
    for (const profile of boxes.profiles) {
      for (const tool of boxes.catalog.tools) {
        const found = boxes.resolve(tool.canonical, { profile });
        expect(found.outcome === "resolved" && found.tool).toBe(tool);
      }
    }
  });

  it.each([
    ["prod:filesystem@1/read_file@1", "canonical: prod:filesystem@1/read_file@1"],
    ["prod:filesystem/read_file", "version: prod:filesystem@1/read_file@1"],
    ["prod:filesystem@latest/read_file@v1", "version: prod:filesystem@1/read_file@1"],
    ["prod:filesystem@1~read_file@1", "transport: prod:filesystem@1/read_file@1"],
    ["prod%3Afilesystem%401%2Fread_file%401", "transport: prod:filesystem@1/read_file@1"],
    ["prod%3Afilesystem~read_file", "version: prod:filesystem@1/read_file@1"],
    ["Prod:FileSystem@1/READ_FILE@1", "case: prod:filesystem@1/read_file@1"],
    ["PROD:FILESYSTEM@LATEST/READ_FILE", "case: prod:filesystem@1/read_file@1"],
    ["prod:filesystem@1/a:b/c@d@1", "canonical: prod:filesystem@1/a:b/c@d@1"],
    ["test:filesystem@1/read_file@1", "unknown"],
    ["a b:filesystem@1/read_file@1", "unknown bad-toolbox"],
  ])("%s → %s (CANON-7) (CANON-3) (CANON-4) (CANON-5)", (text, expected) => {
    expect(outcome(boxes, text, { profile: "openai" })).toBe(expected);
  });

  const BOTH = "dev:filesystem@1/read_file@1, prod:filesystem@1/read_file@1";
  it.each([
    ["filesystem@1/read_file@1", "canonical"],
    ["filesystem@1~read_file@1", "transport"],
    ["filesystem@v1/read_file", "version"],
    ["FILESYSTEM@1/read_file@1", "case"],
  ])("without the toolbox are ambiguous in %s, and name both in full (CANON-7)", (text, step) => {
    expect(outcome(boxes, text)).toBe(`ambiguous ${step}: ${BOTH}`);
    const one = buildSnapshot(BOXES.slice(1));
    expect(outcome(one, text)).toBe(`${step}: prod:filesystem@1/read_file@1`);
    const meant = outcome(boxes, text, { context: { toolbox: "prod" } });
    expect(meant).toBe(`${step}: prod:filesystem@1/read_file@1`);
  });

  it("without the toolbox are the name of the tool that is in none (CANON-7)", () => {
    const three = buildSnapshot([...BOXES, files]);
    expect(outcome(three, "filesystem@1/read_file@1")).toBe("canonical: filesystem@1/read_file@1");
    expect(outcome(three, "FileSystem@1/read_file@1")).toBe("case: filesystem@1/read_file@1");
  });

  it("without the toolbox do not change sides while one of two toolboxes is away or gone (CANON-7) (NAME-4)", () => {
    const lock = boxes.nextLock(["openai"]);
    const [dev = files, prod = files] = BOXES;
    const away = buildSnapshot([dev, { ...prod, tools: [] }], { lock, absent: [prod] });
    expect(outcome(away, "filesystem@1/read_file@1")).toBe("unknown server-absent");
    expect(outcome(away, "filesystem@v1/read_file")).toBe("unknown server-absent");
    expect(outcome(away, "FILESYSTEM@1/read_file@1")).toBe("unknown server-absent");
    expect(outcome(away, "dev:filesystem@1/read_file@1")).toBe("canonical: dev:filesystem@1/read_file@1");
    expect(outcome(away, "prod:filesystem@1/read_file@1")).toBe("unknown server-absent");
    expect(outcome(away, "filesystem@1/read_file@1", { context: { toolbox: "dev" } })).toBe(
      "canonical: dev:filesystem@1/read_file@1",
    );
    const gone = buildSnapshot([dev], { lock });
    expect(outcome(gone, "filesystem@1/read_file@1")).toBe("retired: prod:filesystem@1/read_file@1");
    // Of a tool that goes on under another name, too (LOCK-5).
    const renamed = buildSnapshot([dev, { toolbox: "prod", server: "filesystem", tools: ["load"] }], {
      lock,
      renames: [{ from: "prod:filesystem@1/read_file@1", to: "prod:filesystem@1/load@1" }],
    });
    expect(outcome(renamed, "filesystem@1/read_file@1")).toBe(
      "ambiguous canonical: prod:filesystem@1/load@1, dev:filesystem@1/read_file@1",
    );
  });

  it("are what pins and renames take; without the toolbox they say which ones could be meant (CANON-7)", () => {
    const full = buildSnapshot(BOXES, {
      pins: { reader: "prod:filesystem@1/read_file@1" },
      renames: [{ from: "old_read", to: "dev:filesystem@1/read_file@1" }],
    });
    expect(problemsOf(full)).toEqual([]);
    expect(outcome(full, "reader")).toBe("public: prod:filesystem@1/read_file@1");
    expect(outcome(full, "old_read")).toBe("alias: dev:filesystem@1/read_file@1");
    const short = buildSnapshot(BOXES, {
      pins: { reader: "filesystem@1/read_file@1" },
      renames: [{ from: "old_read", to: "filesystem@1/read_file@1" }],
    });
    expect(problemsOf(short).map(({ code }) => code)).toEqual(["pin-ambiguous", "rename-to-nothing"]);
    for (const { fix } of problemsOf(short))
      expect(fix).toContain('"dev:filesystem@1/read_file@1" or "prod:filesystem@1/read_file@1"');
    const one = buildSnapshot(BOXES.slice(1), { renames: [{ from: "old", to: "filesystem@1/read_file@1" }] });
    const found = one.resolve("old");
    expect(found).toMatchObject({ outcome: "resolved", successor: "prod:filesystem@1/read_file@1" });
  });

  it("may be declared to be an old name where they have no toolbox: that says who is meant (CANON-7)", () => {
    const said = buildSnapshot(BOXES, {
      renames: [{ from: "filesystem@1/read_file@1", to: "prod:filesystem@1/read_file@1" }],
    });
    expect(problemsOf(said)).toEqual([]);
    expect(outcome(said, "filesystem@1/read_file@1")).toBe("alias: prod:filesystem@1/read_file@1");
  });

  it("in pins and renames mean nobody while a toolbox that may have the tool is away (CANON-7)", () => {
    const [dev = files, prod = files] = BOXES;
    const away = buildSnapshot([dev, { ...prod, tools: [] }], {
      absent: [prod],
      pins: { reader: "filesystem@1/read_file@1" },
      renames: [{ from: "old_read", to: "filesystem@1/read_file@1" }],
    });
    expect(outcome(away, "reader")).toBe("unknown");
    expect(outcome(away, "old_read")).toBe("unknown server-absent");
  });
});

describe("a lock that was written before canonical names had toolboxes", () => {
  const line = (toolbox: string, name: string): string =>
    `{"tool":["toolbox","${toolbox}","filesystem","read_file"],"canonical":"filesystem@1/read_file@1","digest":"d","name":"${name}"}`;
  const text = `{"onymLock":1,"profiles":{"canonical":"canonical"},"tools":[${line("dev", "filesystem@1/read_file@1")},${line("prod", "filesystem@1/read_file@1_2")}]}`;
  const parsed = parseLock(text);
  const lock = parsed.ok ? parsed.value : undefined;
  const read = { server: "filesystem", tools: ["read_file"] };
  const sources = [
    { toolbox: "dev", ...read },
    { toolbox: "prod", ...read },
  ];

  it("keeps its names, and each tool is found by its canonical name, too (CANON-7) (LOCK-1)", () => {
    const kept = buildSnapshot(sources, { ...(lock && { lock }) });
    const profile = "canonical";
    expect(kept.namesFor(profile).tools.map(({ name }) => name)).toEqual([
      "filesystem@1/read_file@1",
      "filesystem@1/read_file@1_2",
    ]);
    expect(outcome(kept, "filesystem@1/read_file@1", { profile })).toBe(
      "public: dev:filesystem@1/read_file@1",
    );
    expect(outcome(kept, "prod:filesystem@1/read_file@1", { profile })).toBe(
      "canonical: prod:filesystem@1/read_file@1",
    );
    for (const other of ["openai", "universal"]) {
      expect(outcome(kept, "filesystem@1/read_file@1", { profile: other })).toMatch(/^ambiguous canonical/);
      expect(outcome(kept, "filesystem@1/read_file@1_2", { profile: other })).toBe(
        "spelling: prod:filesystem@1/read_file@1",
      );
    }
  });

  it("tells tools that are gone by their full names (CANON-7)", () => {
    const gone = buildSnapshot([], { ...(lock && { lock }) });
    expect(outcome(gone, "prod:filesystem@1/read_file@1")).toBe("retired: prod:filesystem@1/read_file@1");
    expect(outcome(gone, "filesystem@1/read_file@1_2", { profile: "canonical" })).toBe(
      "retired: prod:filesystem@1/read_file@1",
    );
  });

  it("gives a name up that has become another tool's canonical one: it leads to neither (CANON-7) (NAME-4)", () => {
    const profile = "canonical";
    const three = buildSnapshot([...sources, read], { ...(lock && { lock }) });
    const both = "ambiguous canonical: filesystem@1/read_file@1, dev:filesystem@1/read_file@1";
    expect(outcome(three, "filesystem@1/read_file@1", { profile })).toBe(both);
    expect(three.namesFor(profile).problems).toMatchObject([{ code: "locked-name-ambiguous" }]);
    expect(outcome(three, "dev:filesystem@1/read_file@1", { profile })).toBe(
      "public: dev:filesystem@1/read_file@1",
    );
    const next = buildSnapshot([...sources, read], { lock: three.nextLock([profile]) });
    expect(outcome(next, "filesystem@1/read_file@1", { profile })).toBe(both);
  });
});

describe("a public name that is another tool's canonical name", () => {
  const hostile: readonly ToolSource[] = [
    { server: "salesforce", tools: ["get_leads"] },
    { server: "other", tools: ["salesforce@1/get_leads@1"] },
  ];

  it("is not given out, whatever the style (CANON-7) (NAME-4)", () => {
    const bare = buildSnapshot(hostile, { style: "bare" });
    expect(outcome(bare, "salesforce@1/get_leads@1", { profile: "canonical" })).toBe(
      "canonical: salesforce@1/get_leads@1",
    );
    const names = bare.namesFor("canonical").tools.map(({ name }) => name);
    expect(names).toEqual(["salesforce@1/get_leads@1_2", "get_leads"]);
  });

  it("cannot be pinned (CANON-7)", () => {
    const pinned = buildSnapshot(hostile, {
      pins: { "salesforce@1/get_leads@1": "other@1/salesforce@1/get_leads@1@1" },
    });
    expect(pinned.namesFor("canonical").problems).toMatchObject([{ code: "pin-taken" }]);
  });
});

describe("X/tool", () => {
  const two: readonly ToolSource[] = [
    { server: "salesforce", version: 2, tools: ["create_lead", "only_here"] },
    { server: "sf-old", integration: "salesforce", tools: ["create_lead", "merge"] },
  ];
  const versions = buildSnapshot(two);

  it("means the server X and version 1 of the integration X; two different tools are ambiguous (CANON-3)", () => {
    const both = "salesforce@1/create_lead@1, salesforce@2/create_lead@1";
    expect(outcome(versions, "salesforce/create_lead")).toBe(`ambiguous spelling: ${both}`);
    expect(outcome(versions, "salesforce~create_lead")).toBe(`ambiguous transport: ${both}`);
    expect(outcome(versions, "salesforce/only_here")).toBe("spelling: salesforce@2/only_here@1");
    expect(outcome(versions, "salesforce/merge")).toBe("version: salesforce@1/merge@1");
    expect(outcome(versions, "salesforce@2/create_lead")).toBe("version: salesforce@2/create_lead@1");
    expect(outcome(versions, "salesforce/create_lead", { context: { server: "sf-old" } })).toBe(
      "spelling: salesforce@1/create_lead@1",
    );
  });

  it.each(["X.", "mcp__X__", "mcp_X__", "mcp_X_"])(
    "means both when it is written %stool (CANON-3)",
    (form) => {
      const start = form.replace("X", "salesforce");
      expect(outcome(versions, `${start}create_lead`)).toBe(
        "ambiguous spelling: salesforce@1/create_lead@1, salesforce@2/create_lead@1",
      );
      expect(outcome(versions, `${start}only_here`)).toBe("spelling: salesforce@2/only_here@1");
      expect(outcome(versions, `${start}create_lead`, { context: { server: "salesforce" } })).toBe(
        "spelling: salesforce@2/create_lead@1",
      );
      const lock = versions.nextLock(["openai"]);
      expect(outcome(buildSnapshot(two.slice(0, 1), { lock }), `${start}create_lead`)).toBe(
        "retired: salesforce@1/create_lead@1",
      );
    },
  );

  it.each(["Salesforce/create_lead", "salesforce/Create_Lead", "SALESFORCE~create_lead"])(
    "means both in any casing: %s (CANON-3) (CANON-4)",
    (text) => {
      const snapshot = buildSnapshot([
        { server: "salesforce", version: 2, tools: ["create_lead"] },
        { server: "old", integration: "salesforce", tools: ["create_lead"] },
      ]);
      expect(outcome(snapshot, text)).toBe(
        "ambiguous case: salesforce@1/create_lead@1, salesforce@2/create_lead@1",
      );
    },
  );

  it("means no server whose id differs only in case (CANON-4)", () => {
    const snapshot = buildSnapshot([
      { server: "github", tools: ["s"] },
      { server: "GitHub", tools: ["s"] },
    ]);
    for (const text of ["GitHub@1/s@1", "GITHUB/s"])
      expect(outcome(snapshot, text)).toMatch(/^ambiguous case: /);
    expect(outcome(snapshot, "github@1/s@1")).toBe("canonical: github@1/s@1");
  });

  it("is refused while the server of version 1 is away or gone, and not another's (CANON-3) (NAME-4)", () => {
    const lock = versions.nextLock(["openai"]);
    const [first = { server: "", tools: [] }, second = { server: "", tools: [] }] = two;
    const away = buildSnapshot([first, { ...second, tools: [] }], { lock, absent: [second] });
    expect(outcome(away, "salesforce/create_lead")).toBe("unknown server-absent");
    expect(outcome(buildSnapshot([first], { lock }), "salesforce/create_lead")).toBe(
      "retired: salesforce@1/create_lead@1",
    );
  });
});

describe("names that a downstream gives its tools itself", () => {
  const described = buildSnapshot([
    {
      server: "hub",
      names: "canonical",
      speaksFor: ["*"],
      tools: [
        { name: "warden@1/ensemble@1", openai_name: "w_ensemble", cursor_name: "warden-ensemble" } as never,
        { name: "warden@1/canary@1", openai_name: "docs_search", cursor_name: "search" } as never,
        { name: "prism@1/one@1", openai_name: "twice" } as never,
        { name: "prism@1/two@1", openai_name: "twice", cursor_name: 5 } as never,
      ],
    },
    { server: "docs", tools: ["search"] },
  ]);

  it("lead to them where nothing else is called that (RES-1) (S000-26)", () => {
    expect(outcome(described, "w_ensemble")).toBe("spelling: warden@1/ensemble@1");
    expect(outcome(described, "warden-ensemble")).toBe("spelling: warden@1/ensemble@1");
    expect(outcome(described, "twice")).toBe("ambiguous spelling: prism@1/one@1, prism@1/two@1");
  });

  it("take no name from another tool, not even its raw name (RES-1)", () => {
    expect(outcome(described, "docs_search")).toBe("public: docs@1/search@1");
    expect(outcome(described, "search")).toBe("context: docs@1/search@1");
  });
});
