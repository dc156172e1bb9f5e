// onym import of every system: its servers, what it hid, and every name that it showed, which must lead to its tool afterwards.
// Names are written out, not computed by what they check.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSnapshot, type ToolSource } from "@onym/core";
import { describe, expect, it } from "vitest";
import { newFolder, runOnym } from "./cli/run-onym.js";
import { projectRoot } from "./project-files.js";

interface Imported {
  readonly file: string;
  /** Said with --from, where the file alone does not tell. */
  readonly from?: string;
  readonly servers: readonly string[];
  /** Old name → server and raw name. */
  readonly names: Readonly<Record<string, readonly [server: string, raw: string]>>;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  readonly disabled?: readonly string[];
  readonly leftOut?: readonly string[];
}

const SYSTEMS: Readonly<Record<string, Imported>> = {
  "claude-desktop": {
    file: "claude_desktop_config.json",
    from: "claude-desktop",
    servers: ["git hub", "docs"],
    names: { get_issue: ["git hub", "get_issue"], "page.read": ["docs", "page.read"] },
  },
  "claude-code": {
    file: ".mcp.json",
    servers: ["github"],
    names: {
      mcp__github__get_issue: ["github", "get_issue"],
      mcp__github__page_read: ["github", "page.read"],
    },
  },
  cursor: {
    file: ".cursor/mcp.json",
    servers: ["github", "docs"],
    names: { get_issue: ["github", "get_issue"] },
    filters: { docs: ["*", "!page.delete"] },
  },
  vscode: {
    file: ".vscode/mcp.json",
    servers: ["my.Docs Server"],
    names: { mcp_my_docs_serve_page_read: ["my.Docs Server", "page.read"] },
  },
  codex: {
    file: "config.toml",
    servers: ["docs"],
    names: { mcp__docs__page_read: ["docs", "page.read"], mcp__docs__search: ["docs", "search"] },
    filters: { docs: ["page.read", "search", "!drop"] },
  },
  "gemini-cli": {
    file: ".gemini/settings.json",
    servers: ["docs", "old"],
    names: { "mcp_docs_page.read": ["docs", "page.read"], mcp_old_ping: ["old", "ping"] },
    filters: { docs: ["page.read", "!page.delete"], old: ["ping"] },
    disabled: ["old"],
  },
  goose: {
    file: "config.yaml",
    servers: ["My Docs", "remote"],
    names: {
      "mydocs__page.read": ["My Docs", "page.read"],
      mydocs__search: ["My Docs", "search"],
      remote__fetch_page: ["remote", "fetch_page"],
    },
    filters: { "My Docs": ["page.read", "search"], remote: ["fetch_page"] },
    disabled: ["remote"],
    leftOut: ["developer"],
  },
  opencode: {
    file: "opencode.json",
    servers: ["docs"],
    names: { docs_page_read: ["docs", "page.read"] },
    filters: { docs: ["*", "!page_delete", "!admin*"] },
  },
  metamcp: {
    file: "metamcp.json",
    from: "metamcp",
    servers: ["git hub", "docs"],
    names: { github__get_issue: ["git hub", "get_issue"], "docs__page.delete": ["docs", "page.delete"] },
    filters: { docs: ["*", "!page.delete"] },
  },
  "mcp-hub": {
    file: "mcphub/servers.json",
    servers: ["github"],
    names: { github__get_issue: ["github", "get_issue"], github__drop_repo: ["github", "drop_repo"] },
    filters: { github: ["*", "!drop_repo"] },
  },
  mcphub: {
    file: "mcp_settings.json",
    servers: ["amap", "fetch"],
    names: {
      "amap::route": ["amap", "route"],
      "amap-route": ["amap", "route"],
      "amap::traffic.now": ["amap", "traffic.now"],
      "amap-traffic.now": ["amap", "traffic.now"],
      "traffic.now": ["amap", "traffic.now"],
    },
    filters: { amap: ["*", "!traffic.now"] },
    disabled: ["fetch"],
  },
  "1mcp": {
    file: "1mcp/mcp.json",
    servers: ["context7"],
    names: {
      "context7_1mcp_query-docs": ["context7", "query-docs"],
      context7_1mcp_drop: ["context7", "drop"],
    },
    filters: { context7: ["*", "!drop"] },
  },
  "mcp-proxy": {
    file: "config.json",
    servers: ["github", "docs"],
    names: { create_or_update_file: ["github", "create_or_update_file"], "page.read": ["docs", "page.read"] },
    filters: { github: ["*", "!create_or_update_file"], docs: ["page.read"] },
  },
  litellm: {
    file: "config.yaml",
    servers: ["deepwiki", "my zap"],
    names: {
      "deepwiki-read_wiki": ["deepwiki", "read_wiki"],
      "deepwiki/read_wiki": ["deepwiki", "read_wiki"],
      read_wiki: ["deepwiki", "read_wiki"],
      "deepwiki-ask.question": ["deepwiki", "ask.question"],
      "my_zap-delete_all": ["my zap", "delete_all"],
    },
    filters: { deepwiki: ["read_wiki", "ask.question"], "my zap": ["*", "!delete_all"] },
    leftOut: ["petstore"],
  },
  "docker-gateway": {
    file: "catalog.yaml",
    servers: ["github-official", "remote-docs"],
    names: {
      get_issue: ["github-official", "get_issue"],
      "github-official__get_issue": ["github-official", "get_issue"],
      "add.comment": ["github-official", "add.comment"],
      "github-official__add.comment": ["github-official", "add.comment"],
      "remote-docs__search_docs": ["remote-docs", "search_docs"],
    },
    leftOut: ["known"],
  },
  toolhive: {
    file: "github.json",
    servers: ["github"],
    names: {
      create_pr: ["github", "create_pull_request"],
      github_create_pr: ["github", "create_pull_request"],
      "github.create_pr": ["github", "create_pull_request"],
      github_create_pull_request: ["github", "create_pull_request"],
      githublist_issues: ["github", "list_issues"],
      github_list_issues: ["github", "list_issues"],
    },
    filters: { github: ["create_pull_request", "list_issues"] },
  },
  agentgateway: {
    file: "config.yaml",
    servers: ["time", "everything", "old"],
    // The file names no tool; they are known when the servers run.
    names: {},
    leftOut: ["pets"],
  },
  workbench: {
    file: "workbench-config.json",
    servers: ["filesystem"],
    names: {
      dev__filesystem__read_file: ["filesystem", "read_file"],
      "dev__filesystem__write.file": ["filesystem", "write.file"],
    },
    filters: { filesystem: ["read_file", "write.file"] },
  },
};

describe("onym import", () => {
  it.each(Object.entries(SYSTEMS))(
    "takes a config of %s, and every name it showed leads on (BOX-9)",
    (id, system) => {
      const folder = copyOf(id);
      const args = [
        "import",
        system.file,
        "--out",
        "onym.json",
        ...(system.from === undefined ? [] : ["--from", system.from]),
      ];
      const ran = onym(folder, ...args);
      expect(ran.code, ran.err).toBe(0);
      for (const name of system.leftOut ?? []) expect(ran.err).toContain(`"${name}" was left out`);
      const { mcpServers = {}, toolboxes = {}, renames = [] } = readConfigFile(folder);
      const boxes = Object.entries(toolboxes).flatMap(([toolbox, box]) =>
        Object.entries(box.mcpServers).map(([server, entry]) => ({ server, toolbox, entry })),
      );
      const all = [...Object.entries(mcpServers).map(([server, entry]) => ({ server, entry })), ...boxes];
      expect(all.map(({ server }) => server)).toEqual(system.servers);
      for (const { server, entry } of all) {
        expect(entry.toolFilters, server).toEqual(system.filters?.[server]);
        expect(entry.disabled === true, server).toBe(system.disabled?.includes(server) === true);
        expect([entry.command ?? entry.url], server).not.toEqual([undefined]);
      }

      // The servers list what they listed before, and something else.
      const sources = all.map(({ entry: _, ...source }): ToolSource => {
        const raws = Object.values(system.names).flatMap(([server, raw]) =>
          server === source.server ? [raw] : [],
        );
        return { ...source, tools: [...new Set([...raws, "something_else"])] };
      });
      const { resolve } = buildSnapshot(sources, { renames });
      for (const [name, [server, raw]] of Object.entries(system.names))
        expect({ name, ...resolve(name) }).toMatchObject({
          name,
          outcome: "resolved",
          tool: { server, raw },
        });
    },
  );

  it("prints what cannot be seen escaped, and the same config all the same (SAFE-1)", () => {
    const folder = newFolder();
    const hidden = { mcpServers: { "a\u202eb": { command: "node\u202e", args: ["\u200bx"] } } };
    writeFileSync(join(folder, "c.json"), JSON.stringify(hidden));
    const { out } = onym(folder, "import", "c.json", "--from", "claude-desktop");
    expect(out).not.toMatch(/[\u202e\u200b]/);
    expect(JSON.parse(out)).toEqual(hidden);
  });

  it("asks the servers with --live, and then knows every old name of tools that the file never mentions", () => {
    const folder = newFolder();
    const server = join(projectRoot, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    const target = { name: "memory", stdio: { cmd: process.execPath, args: [server] } };
    const other = { name: "second", mcp: { host: "http://127.0.0.1:9/mcp" } };
    // JSON is YAML, too.
    const text = JSON.stringify({
      binds: [{ listeners: [{ routes: [{ backends: [{ mcp: { targets: [target, other] } }] }] }] }],
    });
    writeFileSync(join(folder, "gateway.yaml"), text);
    const ran = onym(folder, "import", "gateway.yaml", "--live", "--out", "onym.json");
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain('The server "second" could not be asked');
    const { renames = [] } = readConfigFile(folder);
    const resolved = onym(folder, "resolve", "memory_read_graph", "--config", "onym.json", "--json");
    expect(JSON.parse(resolved.out)).toMatchObject({
      outcome: "resolved",
      server: "memory",
      raw: "read_graph",
    });
    const { resolve } = buildSnapshot([{ server: "memory", tools: ["read_graph", "search_nodes"] }], {
      renames,
    });
    for (const raw of ["read_graph", "search_nodes"])
      for (const name of [raw, `memory_${raw}`])
        expect(resolve(name)).toMatchObject({ outcome: "resolved", tool: { raw } });
  });
});

interface ConfigFile {
  readonly mcpServers?: Readonly<Record<string, Entry>>;
  readonly toolboxes?: Readonly<Record<string, { readonly mcpServers: Readonly<Record<string, Entry>> }>>;
  readonly renames?: readonly { readonly from: string; readonly to: string }[];
}

interface Entry {
  readonly command?: string;
  readonly url?: string;
  readonly toolFilters?: readonly string[];
  readonly disabled?: boolean;
}

function readConfigFile(folder: string): ConfigFile {
  return JSON.parse(readFileSync(join(folder, "onym.json"), "utf8"));
}

function copyOf(id: string): string {
  const folder = newFolder();
  cpSync(join(dirname(new URL(import.meta.url).pathname), "data/import", id), folder, { recursive: true });
  return folder;
}

function onym(folder: string, ...args: readonly string[]) {
  return runOnym(folder, args);
}
