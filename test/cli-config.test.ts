// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

// Configs that the command line reads: where it finds them, and what is wrong with them.

import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json } from "./cli/crm.js";
import { folderWith, runOnym } from "./cli/run-onym.js";

describe("configs (CFG-1, CFG-2, CFG-3)", () => {
  it.each([
    ".mcp.json",
    "claude_desktop_config.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    "mcp.json",
    "workbench-config.json",
  ])("finds %s when there is no onym.json", (file) => {
    const key = file.startsWith(".vscode") ? "servers" : "mcpServers";
    const folder = folderWith({ [file]: `{ // a comment\n "${key}": {"s": {"tools": ["x_y"]},},}` });
    const elsewhere = { env: { HOME: join(folder, "home") } };
    expect(json(runOnym(folder, ["names", "--json"], elsewhere)).tools).toHaveLength(1);
    writeFileSync(join(folder, "onym.json"), '{"mcpServers": {}}');
    expect(json(runOnym(folder, ["names", "--json"], elsewhere)).tools).toHaveLength(0);
  });

  it("says what was left out because it is not static", () => {
    const folder = folderWith({
      ".vscode/mcp.json": {
        servers: { x: { command: "${input:c}", env: { E: "${env:NO}" } }, y: { tools: ["a_b"] } },
        inputs: [],
      },
    });
    const report = json(runOnym(folder, ["names", "--static", "--json"]));
    expect(report).toMatchObject({ from: "config", tools: [{ name: "y_a_b" }] });
    expect(report.problems).toMatchObject([{ code: "not-static", severity: "info", tools: [] }]);
    const { code, err } = runOnym(folder, ["names", "--static"]);
    expect(code).toBe(0);
    expect(err).toContain('1 server was not asked, and its tools are not known: "x". Ask with --live');
  });

  it("reads VS Code's settings.json and Claude Code's own file, each with what is left out", () => {
    const folder = folderWith({
      "settings.json": { "editor.tabSize": 2, mcp: { servers: { a: { tools: ["x_y"] } } } },
      ".claude.json": {
        mcpServers: { b: { tools: ["x_y"] } },
        projects: { "/p": { mcpServers: { c: { command: "x" } } } },
      },
    });
    expect(json(runOnym(folder, ["names", "--json", "-c", "settings.json"])).tools).toHaveLength(1);
    const { code, out, err } = runOnym(folder, ["names", "-c", ".claude.json"]);
    expect({ code, out }).toEqual({ code: 0, out: "b_x_y  b@1/x_y@1\n" });
    expect(err).toContain('note: 1 server under "projects" was not read.');
  });

  it("escapes what a reason quotes once", () => {
    const folder = folderWith({ "onym.json": { mcpServers: { a: { tools: ["x\u202Ey"] } } } });
    const { out } = runOnym(folder, ["names", "-p", "openai"]);
    expect(out).toContain("\\u{202E}");
    expect(out).not.toContain("\\u{005C}");
  });

  it("tells every mistake with file, place, path, reason and fix", () => {
    const folder = folderWith({
      "onym.json":
        '{\n "mcpServers": {"salesforce": {"command": "x", "env": {"TOKEN": "${TOKEN}"}}},\n "stricd": true\n}',
    });
    const { code, out, err } = runOnym(folder, ["names", "--json"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(
      "onym.json:2:65 mcpServers.salesforce.env.TOKEN: The variable TOKEN is not set.\n  Set it",
    );
    expect(err).toContain('onym.json:3:2 stricd: There is no key "stricd" here.\n  Did you mean "strict"?');
    writeFileSync(
      join(folder, "onym.json"),
      '{"mcpServers": {"a": {"command": "x", "env": {"T": "${TOKEN}"}}}}',
    );
    expect(runOnym(folder, ["names", "--static"], { env: { TOKEN: "t" } }).code).toBe(0);
  });

  it.each([
    [
      "two of one integration (CANON-1)",
      { one: { tools: [], integration: "data-grout" }, two: { tools: [], integration: "data-grout" } },
      ['"one"', '"two"'],
    ],
    ["a bad integration (CANON-1)", { a: { integration: "Not Kebab", tools: [] } }, ['"Not Kebab"', '"a"']],
    [
      "an alias that is another's id (NAME-7)",
      { a: { alias: "b", tools: [] }, b: { tools: [] } },
      ["alias b"],
    ],
    ["a bad alias", { a: { alias: "__", tools: [] } }, ['"__"']],
    [
      "two that only run",
      { a: { command: "x", integration: "c" }, b: { url: "http://127.0.0.1", integration: "c" } },
      ['"a"', '"b"'],
    ],
  ])("refuses %s", (_, mcpServers, told) => {
    const { code, out, err } = runOnym(folderWith({ "onym.json": { mcpServers } }), ["names"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    for (const text of told) expect(err).toContain(text);
  });

  it("keeps two apart whose ids differ only in case or separators, and says so (NAME-8)", () => {
    const mcpServers = { "data grout": { tools: ["a"] }, "data-grout": { tools: ["a"] } };
    const { code, out, err } = runOnym(folderWith({ "onym.json": { mcpServers } }), ["names"]);
    expect(code).toBe(0);
    expect(out).toContain("data-grout@1/a@1");
    expect(out).toMatch(/data-grout-[a-z2-7]{8}@1\/a@1/);
    expect(err).toContain('"data grout" and "data-grout" differ only in case or separators');
  });

  it("refuses bad toolbox ids (BOX-4)", () => {
    const folder = folderWith({ "onym.json": { toolboxes: { a__b: { mcpServers: { x: { tools: [] } } } } } });
    expect(runOnym(folder, ["names"])).toMatchObject({ code: 2, err: expect.stringContaining('"a__b"') });
  });

  it.each([
    ["empty", ""],
    ["a list", "[]"],
    ["a number", "5"],
    ["deep", "[".repeat(200_000)],
    ["deep objects", '{"a":'.repeat(200_000)],
    ["cut", '{"mcpServers": {"a'],
    ["strange", '{"mcpServers": {"\\u202E\\u001b[31m": 5}}'],
  ])("refuses a config that is %s, with exit 2 and no control characters", (_, text) => {
    const { code, out, err } = runOnym(folderWith({ "onym.json": text }), ["names"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^error: onym\.json:1:\d+ /);
    expect(err).not.toMatch(/[^\P{C}\n]/u);
  });

  it("refuses what cannot be read as a file", () => {
    const folder = folderWith({ "onym.json/x": "" });
    symlinkSync("loop.json", join(folder, "loop.json"));
    writeFileSync(join(folder, "latin.json"), Buffer.from([0x7b, 0xe9, 0x7d]));
    const refused = (file: string) => runOnym(folder, ["names", "--config", file]);
    expect(runOnym(folder, ["names"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("it is a folder"),
    });
    expect(refused("loop.json")).toMatchObject({ code: 2, err: expect.stringContaining("circle") });
    expect(refused("latin.json")).toMatchObject({ code: 2, err: expect.stringContaining("not UTF-8") });
    expect(refused("none.json")).toMatchObject({ code: 2, err: expect.stringContaining("no such file") });
    expect(runOnym(folderWith({}), ["names"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no config here"),
    });
  });

  it("works with an empty object and a byte order mark", () => {
    expect(runOnym(folderWith({ "onym.json": "\uFEFF{}" }), ["names"])).toMatchObject({ code: 0, out: "" });
  });
});
