// onym migrate as its users meet it: the built program in folders of its own, with a home that has clients.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, runOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";

const onym = (folder: string, ...args: readonly string[]) => runOnym(folder, args);

const CONFIG = {
  mcpServers: { salesforce: { tools: ["get_leads"] }, docs: { tools: ["search", "page.read"] } },
};

describe("onym migrate (LOCK-4)", () => {
  it("prints the table, the aliases with their window, and the lists of clients as a diff; it writes nothing", () => {
    const settings = '{\n  // kept\n  "permissions": { "deny": ["mcp__onym__sf_get_leads"] }\n}\n';
    const folder = folderWith({ "onym.json": CONFIG, ".claude/settings.json": settings });
    const ran = onym(folder, "migrate", "--to", "prefixed", "--until", "2027-01-31");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("3 names from today's names of universal to prefixed names of universal");
    expect(ran.out).toContain("sf_get_leads    → mcp_salesforce_get_leads");
    expect(ran.out).toContain(
      '{"from":"sf_get_leads","to":"salesforce@1/get_leads@1","until":"2027-01-31","policy":"warn"}',
    );
    expect(ran.out).toContain('-  "permissions": { "deny": ["mcp__onym__sf_get_leads"] }');
    expect(ran.out).toContain('+  "permissions": { "deny": ["mcp__onym__mcp_salesforce__get_leads"] }');
    expect(readFileSync(join(folder, ".claude/settings.json"), "utf8")).toBe(settings);
  });

  it("renames in a source tree and in clients' lists there and back, byte for byte", () => {
    const files = {
      "src/app.ts": 'await call("page.read", 1); // page.read\nconst read = page.read("search");\r\n',
      "src/agents/helper.md": "---\ntools: mcp__docs__page.read, Read\n---\nUse page.read, then `search`.\n",
      "src/deep/list.yaml": "allow:\n  - page.read\n",
      "src/onym.lock": '{"page.read": 1}',
      "src/node_modules/x/index.js": 'call("page.read")',
      ".claude/settings.json": '{ "permissions": { "allow": ["mcp__docs__page_read"] } }',
    };
    const folder = folderWith({ "docs.json": ["search", "page.read"], ...files });
    const table = onym(folder, "migrate", "--to", "universal", "--tools", "docs.json", "--json");
    writeFileSync(join(folder, "table.json"), table.out);
    const dry = onym(folder, "migrate", "--table", "table.json", "--codemod", "src");
    expect(dry.out).toContain("4 mentions in 3 files of 3 below src");
    expect(dry.out).toContain("not in a string");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    expect(Object.keys(files).map(read)).toEqual(Object.values(files));

    const there = onym(folder, "migrate", "--table", "table.json", "--codemod", "src", "--write");
    expect(there).toMatchObject({ code: 0, err: "" });
    expect(read("src/app.ts")).toBe(
      'await call("page_read", 1); // page.read\nconst read = page.read("search");\r\n',
    );
    expect(read("src/agents/helper.md")).toBe(
      "---\ntools: mcp__docs__page_read, Read\n---\nUse page_read, then `search`.\n",
    );
    expect(read("src/onym.lock")).toBe(files["src/onym.lock"]);
    onym(folder, "migrate", "--table", "table.json", "--codemod", "src", "--back", "--write");
    expect(Object.keys(files).map(read)).toEqual(Object.values(files));
  });

  it("stops where two names would be equal, shows both, and writes nothing", () => {
    const folder = folderWith({ "tools.json": ["user.get", "user_get"], "src/a.md": "user.get" });
    const args = ["migrate", "--to", "underscores", "--tools", "tools.json"];
    const ran = onym(folder, ...args, "--codemod", "src", "--write", "--guide", "G.md");
    expect(ran).toMatchObject({ code: 1, err: "" });
    expect(ran.out).toContain("would be the name of each of these");
    expect(ran.out).toContain("tools@1/user.get@1");
    expect(ran.out).toContain("tools@1/user_get@1");
    expect(readFileSync(join(folder, "src/a.md"), "utf8")).toBe("user.get");
    expect(() => readFileSync(join(folder, "G.md"))).toThrow("ENOENT");
    const report = JSON.parse(onym(folder, ...args, "--json").out);
    expect(report.conflicts).toMatchObject([{ kind: "same-name", name: "user_get" }]);
  });

  it("writes a guide whose table and block are those of the report, and whose block Onym takes", () => {
    const folder = folderWith({ "crm.json": ["get leads", "fs/list", "ping"] });
    const args = ["migrate", "--to", "mcp", "--tools", "crm.json", "--since", "3.0.0"];
    const { renames } = JSON.parse(onym(folder, ...args, "--guide", "G.md", "--json").out);
    const guide = readFileSync(join(folder, "G.md"), "utf8");
    expect(guide).toContain("| `get leads` | `get_leads` |");
    expect(guide).toContain("The names change with version `3.0.0`");
    const block = /```json\n([\s\S]*?)\n```/.exec(guide)?.[1] ?? "";
    expect(JSON.parse(`{${block}}`)).toEqual({ renames });
    writeFileSync(
      join(folder, "onym.json"),
      JSON.stringify({ mcpServers: { crm: { tools: ["get_leads", "fs_list", "ping"] } }, renames }),
    );
    for (const old of ["crm@1/get leads@1", "crm@1/fs/list@1", "crm_get_leads"])
      expect(onym(folder, "resolve", old)).toMatchObject({ code: 0 });
  });

  it("writes the guide that the docs show", () => {
    const folder = folderWith({
      "fleet.json": readFileSync(join(projectRoot, "test/data/migrate/fleet.json"), "utf8"),
    });
    const args = ["--to", "underscores", "--tools", "fleet.json", "--since", "3.0.0"];
    expect(onym(folder, "migrate", ...args, "--guide", "fleet.md")).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(folder, "fleet.md"), "utf8")).toBe(
      readFileSync(join(projectRoot, "docs/migrate/fleet.md"), "utf8"),
    );
  });

  it.each([
    [["--to", "nothing"], 'There is no naming "nothing"'],
    [[], "--to says what names are to be"],
    [["--to", "flat", "--write"], "--write goes with --codemod or --clients"],
    [["--to", "flat", "--back"], "--back goes with --table"],
    [["--table", "onym.json"], "holds no migration"],
    [["--to", "flat", "--until", "soon"], "A day is written YYYY-MM-DD"],
    [["--to", "flat", "--server", "nobody"], 'no one server "nobody"'],
    [["--to", "flat", "--codemod", "nowhere"], "cannot be read (ENOENT)"],
  ])("refuses %j with the reason, exit 2", (args, reason) => {
    const ran = onym(folderWith({ "onym.json": CONFIG }), "migrate", ...args);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(reason);
  });
});
