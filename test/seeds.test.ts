// The source documents, statement by statement, against the public API. The ids are those of requirements.json.

import {
  buildSnapshot,
  checkName,
  findProfile,
  formatToolboxName,
  parseToolboxName,
  parseToolName,
  type Snapshot,
  validateToolboxName,
} from "@onym/core";
import { detectProfile } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";

const profile = (id: string) => {
  const found = findProfile(id);
  if (found === undefined) throw new Error(`no profile ${id}`);
  return found;
};
const errors = (name: string, id: string) =>
  checkName(name, profile(id)).filter(({ severity }) => severity === "error");
const nameIn = (snapshot: Snapshot, id: string, canonical: string) =>
  snapshot.namesFor(id).tools.find(({ tool }) => tool.canonical === canonical)?.name;
const meaning = (snapshot: Snapshot, text: string, id = "openai") => {
  const resolution = snapshot.resolve(text, { profile: id });
  return resolution.outcome === "resolved" ? resolution.tool.canonical : resolution.outcome;
};

describe("seed 000: tool naming", () => {
  const snapshot = buildSnapshot([
    { server: "salesforce", tools: ["get_leads"] },
    { server: "quickbooks", tools: ["find_recent_invoices"] },
    {
      server: "data-grout",
      tools: ["discovery.discover", "prism.refract", "warden.ensemble", "warden.canary"],
    },
  ]);
  const twoVersions = buildSnapshot([
    { server: "salesforce", tools: ["create_lead"] },
    { server: "salesforce-v2", integration: "salesforce", version: 2, tools: ["create_lead"] },
  ]);

  it("S000-1: restricted clients take 1 to 64 letters, digits, underscores and hyphens", () => {
    for (const name of ["sf_get_leads", "a", "A-9_z", "x".repeat(64)])
      expect(errors(name, "openai")).toEqual([]);
    for (const name of ["", "x".repeat(65), "salesforce@1", "salesforce/get_leads"]) {
      expect(errors(name, "openai"), name).not.toEqual([]);
    }
  });

  it.each([
    ["S000-2", "integration@3/toolsuite.tool@2", "integration", 3, "toolsuite", "toolsuite.tool", 2],
    ["S000-3", "data-grout@1/discovery.discover@1", "data-grout", 1, "discovery", "discovery.discover", 1],
    ["S000-4", "salesforce@1/get_leads@1", "salesforce", 1, undefined, "get_leads", 1],
    ["S000-5", "quickbooks@1/find_recent_invoices@1", "quickbooks", 1, undefined, "find_recent_invoices", 1],
    ["S000-6", "data-grout@1/warden.ensemble@1", "data-grout", 1, "warden", "warden.ensemble", 1],
    ["S000-8", "data-grout@1/prism.refract@1", "data-grout", 1, "prism", "prism.refract", 1],
    ["S000-8", "data-grout@1/warden.canary@1", "data-grout", 1, "warden", "warden.canary", 1],
    ["S000-9", "salesforce@12/get_leads@345", "salesforce", 12, undefined, "get_leads", 345],
  ])("%s: %s is canonical", (_, text, integration, integrationVersion, suite, tool, toolVersion) => {
    const value = { integration, integrationVersion, suite, tool, toolVersion };
    expect(parseToolName(text)).toEqual({ ok: true, value });
  });

  it.each([
    ["S000-7", "data-grout", "data-grout@1/t@1"],
    ["S000-7", "Data Grout", "data-grout@1/t@1"],
    ["S000-7", "Salesforce", "salesforce@1/t@1"],
  ])("%s: the server %s has the integration of %s", (_, server, canonical) => {
    expect(buildSnapshot([{ server, tools: ["t"] }]).catalog.tools.map((tool) => tool.canonical)).toEqual([
      canonical,
    ]);
  });

  it.each(["@1.0", "@01", "@0", "@-1", "@one", "@"])("S000-9: %s is no version", (version) => {
    expect(parseToolName(`salesforce${version}/get_leads@1`).ok).toBe(false);
    expect(parseToolName(`salesforce@1/get_leads${version}`).ok).toBe(false);
  });

  it("S000-10: a client that takes any name is given canonical names", () => {
    for (const { name, tool } of snapshot.namesFor("canonical").tools) expect(name).toBe(tool.canonical);
  });

  it.each([
    ["S000-11", "salesforce@1/get_leads@1", "sf_get_leads"],
    ["S000-12", "salesforce@1/get_leads@1", "sf_get_leads"],
    ["S000-13", "data-grout@1/prism.refract@1", "dg_prism_refract"],
    ["S000-14", "data-grout@1/discovery.discover@1", "dg_discovery_discover"],
    ["S000-15", "data-grout@1/warden.ensemble@1", "dg_warden_ensemble"],
    ["S000-16", "quickbooks@1/find_recent_invoices@1", "qb_find_recent_invoices"],
  ])("%s: %s is %s for restricted clients", (_, canonical, name) => {
    expect(nameIn(snapshot, "openai", canonical)).toBe(name);
  });

  it.each([
    ["S000-18", "Claude Desktop", "claude-desktop"],
    ["S000-18", "claude-ai", "claude-ai"],
    ["S000-19", "ChatGPT", "chatgpt"],
    ["S000-19", "openai-mcp", "chatgpt"],
    ["S000-20", "n8n", "n8n"],
    ["S000-21", "langchain", "langchain-python"],
    ["S000-21", "llamaindex", "llamaindex"],
    ["S000-22", "cursor-vscode", "cursor"],
    ["S000-22", "Continue", "continue"],
    ["S000-22", "Cline", "cline"],
    ["S000-22", "windsurf", "windsurf"],
    ["S000-23", "mcp-remote", "mcp-remote"],
  ])(
    "%s: a client that calls itself %s is detected, and gets names that restricted clients take",
    (_, name, id) => {
      const detection = detectProfile({ clientInfo: { name, version: "1.0.0" } });
      expect(detection.profile.id).toBe(id);
      expect(detection.evidence).not.toEqual([]);
      for (const entry of snapshot.namesFor(detection.profile).tools)
        expect(entry.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    },
  );

  it.each([
    ["S000-26", "dg_warden_canary", "data-grout@1/warden.canary@1"],
    ["S000-27", "sf_get_leads", "salesforce@1/get_leads@1"],
    ["S000-27", "salesforce_get_leads", "salesforce@1/get_leads@1"],
    ["S000-27", "qb_find_recent_invoices", "quickbooks@1/find_recent_invoices@1"],
    ["S000-27", "quickbooks_find_recent_invoices", "quickbooks@1/find_recent_invoices@1"],
    ["S000-27", "dg_prism_refract", "data-grout@1/prism.refract@1"],
    ["S000-28", "sf_delete_everything", "unknown"],
    ["S000-29", "data-grout@1/warden.canary@1", "data-grout@1/warden.canary@1"],
    ["S000-30", "dg_warden_canary", "data-grout@1/warden.canary@1"],
    ["S000-31", "salesforce/get_leads", "salesforce@1/get_leads@1"],
    ["S000-32", "salesforce@1/get_leads@1", "salesforce@1/get_leads@1"],
    ["S000-33", "salesforce@v1/get_leads@v1", "salesforce@1/get_leads@1"],
    ["S000-34", "salesforce@latest/get_leads@latest", "salesforce@1/get_leads@1"],
    ["S000-35", "salesforce@1/get_leads", "salesforce@1/get_leads@1"],
    ["S000-35", "salesforce/get_leads@1", "salesforce@1/get_leads@1"],
    ["S000-36", "salesforce@v1/get_leads@latest", "salesforce@1/get_leads@1"],
    ["S000-36", "salesforce@latest/get_leads@v1", "salesforce@1/get_leads@1"],
    ["S000-37", "Salesforce@1/GET_LEADS@1", "salesforce@1/get_leads@1"],
    ["S000-38", "salesforce@1~get_leads@1", "salesforce@1/get_leads@1"],
    ["S000-39", "salesforce%401%2Fget_leads%401", "salesforce@1/get_leads@1"],
    ["S000-40", "salesforce~get_leads", "salesforce@1/get_leads@1"],
    ["S000-40", "salesforce%40v1%2Fget_leads%40latest", "salesforce@1/get_leads@1"],
    ["S000-40", "Salesforce@1~GET_LEADS@1", "salesforce@1/get_leads@1"],
    ["S000-40", "dg%5Fwarden%5Fcanary", "data-grout@1/warden.canary@1"],
    ["S000-44", "data-grout@1/prism.refract@1", "data-grout@1/prism.refract@1"],
    ["S000-45", "data-grout_prism_refract", "data-grout@1/prism.refract@1"],
    ["S000-46", "salesforce/get_leads", "salesforce@1/get_leads@1"],
    ["S000-47", "salesforce%401~get_leads%401", "salesforce@1/get_leads@1"],
  ])("%s: %s leads to %s", (_, text, canonical) => {
    expect(meaning(snapshot, text)).toBe(canonical);
  });

  it("S000-26: a caller may send the name of another listing, openai_name or cursor_name", () => {
    for (const id of ["openai", "cursor"]) {
      for (const { name, tool } of snapshot.namesFor(id).tools) {
        expect(meaning(snapshot, name, "canonical")).toBe(tool.canonical);
      }
    }
  });

  it.each([
    ["S000-41", "sf_create_lead", "salesforce@1/create_lead@1"],
    ["S000-42", "sf_create_lead_2", "salesforce@2/create_lead@1"],
  ])("%s: %s is given out for %s, and leads back", (_, name, canonical) => {
    expect(nameIn(twoVersions, "openai", canonical)).toBe(name);
    expect(meaning(twoVersions, name)).toBe(canonical);
  });

  it("S000-43: the full integration name takes the suffix too, and no suffix is made up", () => {
    expect(meaning(twoVersions, "salesforce_create_lead_2")).toBe("salesforce@2/create_lead@1");
    expect(meaning(twoVersions, "salesforce_create_lead_3")).toBe("unknown");
  });

  it("S000-48: all forms of every tool lead to the same tool, whoever asks", () => {
    for (const { canonical, integration, toolName } of snapshot.catalog.tools) {
      const forms = [
        canonical,
        `${integration}/${toolName}`,
        `${integration}@v1/${toolName}@latest`,
        canonical.replace("/", "~"),
        encodeURIComponent(canonical),
        canonical.toUpperCase(),
        nameIn(snapshot, "openai", canonical) ?? "",
        `${integration}_${toolName.replace(".", "_")}`,
      ];
      for (const id of ["canonical", "openai", "cursor", "universal"]) {
        expect(new Set(forms.map((form) => meaning(snapshot, form, id)))).toEqual(new Set([canonical]));
      }
    }
  });
});

describe("seed 001: toolbox names", () => {
  const tools = ["read_file", "read_file_async_v2", "my__special__tool", "Lies.Datei/ganz"];
  const snapshot = buildSnapshot([
    { toolbox: "dev", server: "filesystem", tools },
    { toolbox: "prod", server: "memory", tools: ["store_value", "store_value_async"] },
    { toolbox: "testing", server: "clickhouse", tools: ["run_query"] },
    { toolbox: "main", server: "serena", tools: ["find_symbol"] },
  ]);

  it.each([
    ["S001-1", "a__b__c", "a", "b", "c"],
    ["S001-2", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-3", "prod__memory__store_value", "prod", "memory", "store_value"],
    ["S001-4", "testing__clickhouse__run_query", "testing", "clickhouse", "run_query"],
    ["S001-5", "main__serena__find_symbol", "main", "serena", "find_symbol"],
    ["S001-6", "My-box_2__s__t", "My-box_2", "s", "t"],
    ["S001-7", "b__My-server_2__t", "b", "My-server_2", "t"],
    ["S001-8", "dev__filesystem__Lies.Datei/ganz", "dev", "filesystem", "Lies.Datei/ganz"],
    ["S001-9", "dev__file_system__read_file", "dev", "file_system", "read_file"],
    ["S001-12", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-13", "dev__filesystem__my__special__tool", "dev", "filesystem", "my__special__tool"],
    ["S001-19", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-20", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-21", "prod__memory__store_value_async", "prod", "memory", "store_value_async"],
    ["S001-22", "test__server__tool__with__underscores", "test", "server", "tool__with__underscores"],
    ["S001-28", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-36", "dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["S001-37", "dev__filesystem__read_file_async_v2", "dev", "filesystem", "read_file_async_v2"],
    ["S001-38", "dev__filesystem__my__special__tool", "dev", "filesystem", "my__special__tool"],
    ["S001-42", "a__b__c__d____e", "a", "b", "c__d____e"],
  ])("%s: %s is made of its parts and gives them back", (_, name, toolbox, server, originalTool) => {
    const parts = { toolbox, server, originalTool };
    expect(parseToolboxName(name)).toEqual(parts);
    expect(formatToolboxName(parts)).toBe(name);
    expect(validateToolboxName(name)).toEqual({ valid: true });
  });

  const SEPARATORS =
    "Tool name must contain exactly 2 double underscores (format: {toolbox}__{server}__{tool})";
  const EMPTY = "Tool name components (toolbox, server, tool) cannot be empty";
  const CHARACTERS =
    "Toolbox and server names should contain only alphanumeric characters, hyphens, and underscores";

  it.each([
    ["S001-11", "____", EMPTY],
    ["S001-14", "dev__filesystem_read_file", SEPARATORS],
    ["S001-15", "dev_filesystem__read_file", SEPARATORS],
    ["S001-16", "__filesystem__read_file", EMPTY],
    ["S001-17", "dev____read_file", EMPTY],
    ["S001-18", "dev__filesystem__", EMPTY],
    ["S001-23", "read_file", SEPARATORS],
    ["S001-23", "", SEPARATORS],
    ["S001-24", "dev____", EMPTY],
    ["S001-32", "dev__read_file", SEPARATORS],
    ["S001-33", "__filesystem__", EMPTY],
    ["S001-39", "dev__filesystem_read_file", SEPARATORS],
  ])("%s: %j is refused", (_, name, error) => {
    expect(parseToolboxName(name)).toBeNull();
    expect(validateToolboxName(name)).toEqual({ valid: false, error });
  });

  it.each([
    ["S001-6", "my box__server__tool"],
    ["S001-7", "box__my.server__tool"],
    ["S001-34", "bo/x__server__tool"],
  ])("%s: the characters of %j are refused", (_, name) => {
    expect(validateToolboxName(name)).toEqual({ valid: false, error: CHARACTERS });
  });

  it("S001-10: exactly two separators, read literally, is the strict rule", () => {
    const name = "dev__filesystem__my__special__tool";
    expect(validateToolboxName(name, { strict: true })).toEqual({ valid: false, error: SEPARATORS });
    expect(validateToolboxName("dev__filesystem__read_file", { strict: true })).toEqual({ valid: true });
  });

  it("S001-25: any other text gets a value or null, never a throw", () => {
    for (const text of [
      "_",
      "___",
      "_".repeat(10_000),
      "\uD800__\u0000__\u202E",
      "__proto__",
      "%25".repeat(30_000),
    ]) {
      expect(() => parseToolboxName(text)).not.toThrow();
    }
    expect(parseToolboxName("__proto__")).toBeNull();
  });

  it("S001-35: a sound name is valid, without a message", () => {
    expect(validateToolboxName("dev__filesystem__read_file")).toStrictEqual({ valid: true });
  });

  it("S001-14, S001-32: the old form leads nowhere, and the reason holds the new one", () => {
    expect(validateToolboxName("dev__filesystem_read_file")).toMatchObject({
      error: expect.stringContaining("{toolbox}__{server}__{tool}"),
    });
    expect(snapshot.resolve("dev__filesystem_read_file", { profile: "openai" }).outcome).not.toBe("resolved");
  });

  it.each([
    ["S001-29", "dev__filesystem__read_file"],
    ["S001-29", "dev__filesystem__my__special__tool"],
    ["S001-29", "prod__memory__store_value_async"],
    ["S001-29", "testing__clickhouse__run_query"],
  ])("%s: %s is given out, in every profile that takes it", (_, name) => {
    for (const id of ["openai", "anthropic", "mcp"])
      expect(snapshot.namesFor(id).toolNamed(name)).toBeDefined();
  });

  it("S001-30, S001-31: a call by the name given out reaches the tool of the server", () => {
    const resolution = snapshot.resolve("dev__filesystem__read_file", { profile: "openai" });
    expect(resolution).toMatchObject({
      outcome: "resolved",
      tool: { toolbox: "dev", server: "filesystem", raw: "read_file" },
    });
  });

  it("BOX-6: the parts themselves are understood as well", () => {
    const parts = { toolbox: "prod", server: "memory", name: "store_value" };
    const expected = { outcome: "resolved", tool: { toolbox: "prod", server: "memory", raw: "store_value" } };
    expect(snapshot.resolve(parts)).toMatchObject(expected);
  });
});

describe("seed 002: the format of tool names", () => {
  it.each([
    ["S002-1", "a"],
    ["S002-1", "x".repeat(64)],
    ["S002-3", "AZaz09_-./"],
    ["S002-6", "getUser"],
    ["S002-7", "user-profile/update"],
    ["S002-8", "DATA_EXPORT_v2"],
    ["S002-9", "admin.tools.list"],
    ["S002-10", "crm/leads.list"],
    ["S002-11", "list_open_invoices"],
    ["S002-11", "f3a9c1d2-77b0-4e0e"],
  ])("%s: %s is valid", (_, name) => {
    expect(errors(name, "sep-986")).toEqual([]);
  });

  it.each([
    ["S002-1", "", "empty"],
    ["S002-1", "x".repeat(65), "too-long"],
    ["S002-4", "get user", "spaces"],
    ["S002-4", "get,user", "commas"],
    ["S002-4", "get@user", "bad-characters"],
    ["S002-4", "gét", "bad-characters"],
  ])("%s: %j is refused", (_, name, code) => {
    expect(errors(name, "sep-986").map((problem) => problem.code)).toEqual([code]);
  });

  it("S002-2: names that differ in case are different names", () => {
    const snapshot = buildSnapshot([{ server: "users", tools: ["getUser", "getuser"] }]);
    for (const style of ["dotted", "slashed"] as const) {
      const table = snapshot.namesFor("sep-986", { style });
      for (const { name, tool } of table.tools) expect(table.toolNamed(name)?.raw).toBe(tool.raw);
    }
    expect(meaning(snapshot, "users@1/getUser@1")).toBe("users@1/getUser@1");
    expect(meaning(snapshot, "users@1/getuser@1")).toBe("users@1/getuser@1");
    expect(meaning(snapshot, "users@1/GETUSER@1")).toBe("ambiguous");
  });

  it("S002-5: a name given out is unique, and one listed twice by a server is a problem", () => {
    const snapshot = buildSnapshot([
      { server: "a", tools: ["b.c", "b_c", "b/c"] },
      { server: "a-b", tools: ["c"] },
      { server: "twice", tools: ["same", "same"] },
    ]);
    for (const id of ["sep-986", "mcp", "openai"]) {
      const names = snapshot.namesFor(id).tools.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
    expect(snapshot.problems.length).toBeGreaterThan(0);
  });

  it.each([
    ["S002-10", "dotted", "crm.leads.list"],
    ["S002-10", "slashed", "crm/leads.list"],
  ] as const)("%s: the style %s gives out %s", (_, style, name) => {
    const snapshot = buildSnapshot([{ server: "crm", tools: ["leads.list"] }]);
    expect(snapshot.namesFor("sep-986", { style }).tools.map((entry) => entry.name)).toEqual([name]);
    expect(meaning(snapshot, name)).toBe("crm@1/leads.list@1");
  });
});

describe("seed 002: registration", () => {
  const sources = [{ server: "users", tools: ["get user", "getUser"] }];

  it("S002-14: a name is validated when its tool is registered, with a warning", () => {
    const snapshot = buildSnapshot(sources);
    expect(snapshot.problems).toMatchObject([{ code: "spaces", severity: "warning" }]);
    expect(snapshot.catalog.tools).toHaveLength(2);
  });

  it("S002-14: and refused, alone, where the rule is enforced", () => {
    const snapshot = buildSnapshot(sources, { strict: true });
    expect(snapshot.problems).toMatchObject([{ code: "spaces", severity: "error" }]);
    expect(snapshot.catalog.tools.map(({ raw }) => raw)).toEqual(["getUser"]);
  });
});

describe("seed 003: underscores for Anthropic", () => {
  const raw = ["powershell.exec", "fs.list", "net.dns_flush", "winget.install"];
  const snapshot = buildSnapshot([{ server: "kenny", tools: raw }]);

  it.each([
    ["S003-1", "x".repeat(128), true],
    ["S003-1", "x".repeat(129), false],
    ["S003-1", "powershell_exec", true],
    ["S003-1", "Power-Shell_9", true],
    ["S003-2", "powershell.exec", false],
  ])("%s: whether Anthropic takes %s: %s", (_, name, taken) => {
    expect(errors(name, "anthropic").length === 0).toBe(taken);
  });

  it.each([
    ["S003-3", "powershell.exec", "powershell"],
    ["S003-3", "fs.list", "fs"],
    ["S003-3", "net.dns_flush", "net"],
  ])("%s: %s belongs to the family %s", (_, tool, suite) => {
    expect(parseToolName(`kenny@1/${tool}@1`)).toMatchObject({ ok: true, value: { suite, tool } });
  });

  it.each([
    ["S003-4", "encoded", "powershell.exec", "powershell__exec"],
    ["S003-4", "encoded", "net.dns_flush", "net__dns_flush"],
    ["S003-6", "bare", "powershell.exec", "powershell_exec"],
    ["S003-7", "bare", "fs.list", "fs_list"],
    ["S003-8", "bare", "winget.install", "winget_install"],
  ] as const)("%s: in the style %s, %s is %s", (_, style, tool, name) => {
    const table = snapshot.namesFor("anthropic", { style });
    expect(table.tools.find((entry) => entry.tool.raw === tool)?.name).toBe(name);
  });

  it("S003-5: the name the model chooses leads back to the dotted one", () => {
    const table = snapshot.namesFor("anthropic", { style: "encoded" });
    expect(table.tools.map(({ name }) => table.toolNamed(name)?.raw).sort()).toEqual([...raw].sort());
  });

  it.each(["flat", "encoded", "bare", "dotted", "slashed", "prefixed", "canonical"] as const)(
    "S003-9, S003-10: in the style %s every name given out matches the pattern",
    (style) => {
      const names = snapshot.namesFor("anthropic", { style }).tools.map(({ name }) => name);
      expect(names).toHaveLength(raw.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    },
  );
});
