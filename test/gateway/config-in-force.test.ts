// Which config is in force (CFG-4, CFG-6, BOX-9): the file chosen at the start, whatever happens to it and beside it.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, startOnym } from "./harness.js";
import { askModern } from "./harness-raw.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-in-force-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  return folder;
}

function makeToken(): { readonly token: string; readonly config: object } {
  const args = [ONYM_BIN, "token", "ci", "--json"];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: onymEnvironment("/", {}) });
  return JSON.parse(stdout);
}

const names = (result: { readonly tools?: unknown } = {}) =>
  (result.tools as readonly { readonly name: string }[]).map(({ name }) => name);

describe("the file chosen at the start is the file (CFG-4)", () => {
  it("stays in force when it is moved away, with its tokens and rules, whatever lies beside it", async () => {
    const { token, config: entry } = makeToken();
    const dir = folderWith({
      "onym.json": {
        store: "none",
        mcpServers: { crm: { tools: ["get_lead", "drop_leads"] } },
        policy: { rules: [{ effect: "deny", tool: "crm@*/drop_*" }] },
        auth: { tokens: [entry] },
      },
      ".mcp.json": { mcpServers: { crm: { tools: ["get_lead", "drop_leads"] } } },
    });
    const onym = await startOnym({ dir });
    const list = (headers: Readonly<Record<string, string>> = {}) =>
      askModern({ url: onym.url, method: "tools/list", headers });
    const isInForce = async () => {
      expect((await list()).status).toBe(401);
      expect(names((await list({ authorization: `Bearer ${token}` })).result)).toEqual(["crm_get_lead"]);
    };
    await onym.said(/^config onym\.json$/m);
    await isInForce();

    renameSync(join(dir, "onym.json"), join(dir, "away.json"));
    await onym.said(/^onym: the config onym\.json is gone; what was in force stays in force/m);
    await isInForce();
    onym.signal("SIGHUP");
    await onym.said(/the config onym\.json is gone.*\n(?:.*\n)*.*the config onym\.json is gone/);
    await isInForce();

    renameSync(join(dir, "away.json"), join(dir, "onym.json"));
    await onym.said(/^onym: reading onym\.json again\nonym: config in force: nothing changed$/m);
    await isInForce();
    expect(onym.stderr()).not.toContain(".mcp.json");
    await onym.stop();
  });
});

describe("where the folder has no config", () => {
  it("the user's own is served, and named (CFG-6)", async () => {
    const dir = folderWith({
      ".config/onym/onym.json": { store: "none", mcpServers: { own: { tools: ["mine"] } } },
      "project/.keep": {},
    });
    const onym = await startOnym({ dir: join(dir, "project"), env: { HOME: dir } });
    expect(names((await askModern({ url: onym.url, method: "tools/list" })).result)).toEqual(["own_mine"]);
    expect(onym.stderr()).toMatch(/^config .*\.config\/onym\/onym\.json$/m);
    await onym.stop();
  });
});

describe("the file of WORKBENCH_CONFIG (BOX-9)", () => {
  it("is served as it is: toolboxes opened on demand, comments passed over, and no file of the folder", async () => {
    const dir = folderWith({
      "elsewhere/boxes.json": {
        _comment: "what these are",
        toolboxes: {
          dev: { _comment: "mine", description: "Development", mcpServers: { fs: { tools: ["read_file"] } } },
        },
      },
      "project/onym.json": { mcpServers: { other: { tools: ["wrong"] } } },
    });
    const onym = await startOnym({
      dir: join(dir, "project"),
      env: { WORKBENCH_CONFIG: join(dir, "elsewhere/boxes.json") },
    });
    const shown = names((await askModern({ url: onym.url, method: "tools/list" })).result);
    expect(shown).toContain("open_toolbox");
    expect(shown).not.toContain("other_wrong");
    expect(shown.filter((name) => name.includes("read_file"))).toEqual([]);
    expect(onym.stderr()).toMatch(/^config .*elsewhere\/boxes\.json$/m);
    await onym.stop();
  });
});
