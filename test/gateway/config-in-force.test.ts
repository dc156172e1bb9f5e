// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.
// Which config is in force (CFG-4, CFG-6, BOX-9): the file chosen at the start, whatever happens to it and beside it.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, startOnym } from "./harness.js";
import { runCli } from "./harness-cli.js";
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
    const trusting = { cwd: dir, env: onymEnvironment(dir, {}) };
    expect(spawnSync(process.execPath, [ONYM_BIN, "trust", "--yes"], trusting).status).toBe(0);
    const onym = await startOnym({ dir, isFound: true });
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

describe("a variable that is missing in one server's entry (CFG-2)", () => {
  const config = {
    store: "none",
    mcpServers: {
      crm: { command: "crm", env: { TOKEN: "${CRM_TOKEN}" } },
      vs: { command: "vs", args: ["${input:key}"] },
      fine: { tools: ["get"] },
    },
  };

  it("takes that server down with the reason, the fix and the name of the variable, and nothing else", async () => {
    const onym = await startOnym({ config });
    await onym.said(/^1 tool of 3 servers, 2 down/m);
    const { result } = await askModern({ url: onym.url, method: "tools/list" });
    expect(names(result)).toEqual(["fine_get"]);
    expect(result?.["_meta"]).toMatchObject({
      "onym/problems": {
        count: 2,
        first: expect.arrayContaining([
          expect.objectContaining({
            servers: ["crm"],
            message: expect.stringContaining("CRM_TOKEN"),
            fix: "Set it, or give it a default: ${CRM_TOKEN:-default}.",
          }),
        ]),
      },
    });
    expect(onym.stderr()).toMatch(
      /^ {2}down {3}crm {2}the variable CRM_TOKEN is not set \(mcpServers\.crm\.env\.TOKEN\)\n {9}Set it, or give it a default: \$\{CRM_TOKEN:-default\}\.$/m,
    );
    expect(onym.stderr()).toMatch(/^ {2}down {3}vs {2}only an editor can fill in \$\{input:key\}/m);
    await onym.stop();
  });

  it("is told in the log with code and variable, and in doctor and names", async () => {
    const onym = await startOnym({ config, args: ["--verbose"] });
    const [line] = await onym.said(/^\S+ warn .*CRM_TOKEN.*$/m);
    expect(line).toMatch(/ state=unusable code=missing-variable variable=CRM_TOKEN$/);
    const { out } = await runCli(onym, "doctor", "--json", "--config", "onym.json");
    const report: { readonly servers: readonly { readonly server: string; readonly status: string }[] } =
      JSON.parse(out);
    expect(report.servers.map(({ server, status }) => [server, status])).toEqual([
      ["crm", "failed"],
      ["vs", "failed"],
      ["fine", "static"],
    ]);
    const { code, out: shown, err } = await runCli(onym, "names", "--config", "onym.json");
    expect({ code, shown }).toEqual({ code: 1, shown: "fine_get  fine@1/get@1\n" });
    expect(err).toContain('The server "crm" could not be asked: the variable CRM_TOKEN is not set');
    const inFile = await runCli(onym, "names", "--static", "--config", "onym.json");
    expect(inFile.code).toBe(0);
    expect(inFile.err).toContain('The server "crm" cannot be used: the variable CRM_TOKEN is not set');
    await onym.stop();
  });

  it("refuses the start where it is not of one server", () => {
    const dir = folderWith({ "onym.json": { mcpServers: {}, store: "${STORE}" } });
    const ran = spawnSync(process.execPath, [ONYM_BIN, "serve", "--port", "0"], {
      cwd: dir,
      encoding: "utf8",
      env: onymEnvironment(dir, {}),
    });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("store: The variable STORE is not set.");
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
      isFound: true,
      env: { WORKBENCH_CONFIG: join(dir, "elsewhere/boxes.json") },
    });
    const shown = names((await askModern({ url: onym.url, method: "tools/list" })).result);
    expect(shown).toContain("workbench_open_toolbox");
    expect(shown).not.toContain("other_wrong");
    expect(shown.filter((name) => name.includes("read_file"))).toEqual([]);
    expect(onym.stderr()).toMatch(/^config .*elsewhere\/boxes\.json$/m);
    await onym.stop();
  });
});
