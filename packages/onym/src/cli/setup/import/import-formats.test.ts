import { buildSnapshot } from "@onym/core";
import { describe, expect, it } from "vitest";
import type { MergedServer } from "../../../clients/merge-servers.js";
import { detectFormat, importFormatOf, oldNamesOf } from "./import-formats.js";

const SERVERS: readonly MergedServer[] = [
  { id: "git hub", entry: { tools: ["search", { name: "get.issue" }] }, mentions: [] },
  { id: "docs", entry: { command: "x" }, mentions: ["search", "read"] },
];
const SOURCES = [
  { server: "git hub", tools: ["search", "get.issue"] },
  { server: "docs", tools: ["search", "read"] },
];

describe("the names another tool used keep working", () => {
  it.each([
    "mcp-hub",
    "1mcp",
    "metamcp",
    "claude-code",
    "codex",
    "cursor",
    "vscode",
    "cline",
    "roo-code",
    "opencode",
  ])("%s: every known old name leads to its tool with the renames that are written (RES-1)", (id) => {
    const format = importFormatOf(id);
    const { renames } = oldNamesOf(SERVERS, format);
    const { resolve } = buildSnapshot(SOURCES, { renames });
    for (const { server, tools } of SOURCES) {
      for (const raw of tools) {
        for (const name of format.namesOf(server, raw)) {
          if (name === "search") continue;
          expect(resolve(name)).toMatchObject({ outcome: "resolved", tool: { server, raw } });
        }
      }
    }
  });

  it("writes a rename only where the name would not be found anyway", () => {
    expect(oldNamesOf(SERVERS, importFormatOf("mcp-hub")).renames).toContainEqual({
      from: "docs__read",
      to: "docs@1/read@1",
      policy: "accept",
    });
    const docs = SERVERS.slice(1);
    expect(oldNamesOf(docs, importFormatOf("claude-code"))).toEqual({
      renames: [],
      notes: ['Names as Claude Code had them ("mcp__docs__TOOL") are found as they are.'],
    });
  });

  it("says which names are not found, and which two tools shared", () => {
    const { notes } = oldNamesOf(SERVERS, importFormatOf("mcp-proxy"));
    expect(notes).toEqual([
      '"search" was a tool of "docs" and "git hub"; it leads to neither until you add a rename.',
      expect.stringContaining("are found as they are"),
    ]);
    const hub = oldNamesOf(
      [{ id: "docs", entry: { command: "x" }, mentions: [] }],
      importFormatOf("mcp-hub"),
    );
    expect(hub).toEqual({ renames: [], notes: [expect.stringContaining('("docs__TOOL") are not found')] });
  });
});

it.each([
  ["/x/config.json", { mcpProxy: {}, mcpServers: {} }, "mcp-proxy"],
  ["/home/me/.config/1mcp/mcp.json", { mcpServers: {} }, "1mcp"],
  ["/home/me/.config/mcphub/servers.json", { mcpServers: {} }, "mcp-hub"],
  ["/home/me/.codex/config.toml", { mcp_servers: {} }, "codex"],
  ["/p/.cursor/mcp.json", { mcpServers: {} }, "cursor"],
  [
    "C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    { mcpServers: {} },
    "claude-desktop",
  ],
  ["/p/mcp.json", { servers: {} }, "vscode"],
  ["/p/settings.json", { context_servers: {} }, "zed"],
  ["/p/servers.json", { mcpServers: {} }, undefined],
])("knows whose file %s is", (file, value, id) => {
  expect(detectFormat(file, value)?.id).toBe(id);
});

it("refuses what it cannot read honestly, with the list of what it can", () => {
  expect(() => importFormatOf("mcp-hubb")).toThrow('There is no "mcp-hubb" to import from.');
});
