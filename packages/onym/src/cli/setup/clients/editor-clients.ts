// Editors and their extensions.

import type { Client } from "./client.js";
import { connected, inJson, inYaml, quoted, quotedList, run, started } from "./ways.js";

const EXTENSIONS = "{appData}/Code/User/globalStorage";
const CLINE = `${EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`;
const ROO = `${EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`;
const KILO = `${EXTENSIONS}/kilocode.kilo-code/settings/mcp_settings.json`;

export const EDITOR_CLIENTS: readonly Client[] = [
  {
    id: "cursor",
    title: "Cursor",
    files: [
      { place: "{project}/.cursor/mcp.json", format: "json" },
      { place: "{home}/.cursor/mcp.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.cursor/mcp.json", "mcpServers", { stdio: started, http: connected("url") }),
  },
  {
    id: "vscode",
    title: "VS Code",
    files: [
      { place: "{project}/.vscode/mcp.json", format: "json" },
      { place: "{appData}/Code/User/mcp.json", format: "json" },
      { place: "{appData}/Code/User/settings.json", format: "json" },
    ],
    waysToRegister: (gateway) => [
      run("stdio", "code", "--add-mcp", JSON.stringify({ name: gateway.alias, ...started(gateway) })),
      ...inJson(gateway, "{project}/.vscode/mcp.json", "servers", {
        stdio: (address) => ({ type: "stdio", ...started(address) }),
        http: connected("url", { type: "http" }),
      }),
    ],
    remark: "VS Code makes its prefix from the name that the server announces, not from the key in the file.",
  },
  {
    id: "visual-studio",
    title: "Visual Studio",
    files: [{ place: "{home}/.mcp.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.mcp.json", "servers", {
        stdio: (address) => ({ type: "stdio", ...started(address) }),
        http: connected("url", { type: "http" }),
      }),
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: [{ place: "{home}/.codeium/windsurf/mcp_config.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.codeium/windsurf/mcp_config.json", "mcpServers", {
        stdio: started,
        http: connected("serverUrl"),
      }),
  },
  {
    id: "zed",
    title: "Zed",
    files: [{ place: "{config}/zed/settings.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{config}/zed/settings.json", "context_servers", {
        stdio: (address) => ({ ...started(address), env: {} }),
        http: connected("url"),
      }),
  },
  {
    id: "cline",
    title: "Cline",
    files: [
      { place: CLINE, format: "json" },
      { place: "{home}/.cline/data/settings/cline_mcp_settings.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, CLINE, "mcpServers", {
        stdio: started,
        http: connected("url", { type: "streamableHttp" }),
      }),
  },
  {
    id: "roo-code",
    title: "Roo Code",
    files: [
      { place: "{project}/.roo/mcp.json", format: "json" },
      { place: ROO, format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{project}/.roo/mcp.json", "mcpServers", {
        stdio: started,
        http: connected("url", { type: "streamable-http" }),
      }),
  },
  {
    id: "kilo-code",
    title: "Kilo Code",
    files: [
      { place: "{project}/.kilocode/mcp.json", format: "json" },
      { place: KILO, format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{project}/.kilocode/mcp.json", "mcpServers", {
        stdio: started,
        http: connected("url", { type: "streamable-http" }),
      }),
  },
  {
    id: "continue",
    title: "Continue",
    files: [{ place: "{home}/.continue/config.yaml", format: "yaml" }],
    waysToRegister: ({ alias, command, args, url }) => [
      inYaml("stdio", "{home}/.continue/config.yaml", [
        "mcpServers:",
        `  - name: ${quoted(alias)}`,
        `    command: ${quoted(command)}`,
        `    args: ${quotedList(args)}`,
      ]),
      inYaml("http", "{home}/.continue/config.yaml", [
        "mcpServers:",
        `  - name: ${quoted(alias)}`,
        "    type: streamable-http",
        `    url: ${quoted(url)}`,
      ]),
    ],
  },
  {
    id: "kiro",
    title: "Kiro",
    files: [
      { place: "{project}/.kiro/settings/mcp.json", format: "json" },
      { place: "{home}/.kiro/settings/mcp.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.kiro/settings/mcp.json", "mcpServers", {
        stdio: started,
        http: connected("url"),
      }),
  },
  {
    id: "antigravity",
    title: "Google Antigravity",
    files: [{ place: "{home}/.gemini/antigravity/mcp_config.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.gemini/antigravity/mcp_config.json", "mcpServers", {
        stdio: started,
        http: connected("serverUrl"),
      }),
  },
  {
    id: "junie",
    title: "JetBrains Junie",
    files: [
      { place: "{project}/.junie/mcp/mcp.json", format: "json" },
      { place: "{home}/.junie/mcp/mcp.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.junie/mcp/mcp.json", "mcpServers", { stdio: started }),
  },
];
