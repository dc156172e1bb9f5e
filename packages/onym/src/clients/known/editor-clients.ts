// Editors and their extensions.

import { type Client, run } from "../client.js";
import { bridged, connected, localCommand, started, startedWith } from "../server-entry-of.js";

const EXTENSIONS = "{appData}/Code/User/globalStorage";
const MCP_SERVERS = ["mcpServers"];

export const EDITOR_CLIENTS: readonly Client[] = [
  {
    id: "cursor",
    title: "Cursor",
    files: [
      { place: "{home}/.cursor/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.cursor/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url") },
    source: "https://cursor.com/docs/mcp",
    checked: "2026-11-17",
  },
  {
    id: "vscode",
    title: "VS Code",
    files: [
      { place: "{appData}/Code/User/mcp.json", format: "json", servers: ["servers"] },
      { place: "{project}/.vscode/mcp.json", format: "json", servers: ["servers"] },
      {
        place: "{appData}/Code/User/settings.json",
        format: "json",
        servers: ["mcp", "servers"],
        isOld: true,
      },
    ],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "http" }) },
    otherWays: ({ alias, command, args }) => [
      run("stdio", "code", "--add-mcp", JSON.stringify({ name: alias, command, args })),
    ],
    remark: "VS Code makes its prefix from the name that the server announces, not from the key in the file.",
    source: "https://code.visualstudio.com/docs/copilot/customization/mcp-servers",
    checked: "2026-11-17",
  },
  {
    id: "visual-studio",
    title: "Visual Studio",
    files: [{ place: "{home}/.mcp.json", format: "json", servers: ["servers"] }],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "http" }) },
    source: "https://learn.microsoft.com/visualstudio/ide/mcp-servers",
    checked: "2026-11-17",
  },
  {
    id: "windsurf",
    title: "Windsurf",
    files: [{ place: "{home}/.codeium/windsurf/mcp_config.json", format: "json", servers: MCP_SERVERS }],
    entry: { stdio: started, http: connected("serverUrl") },
    source: "https://surrealdb.com/docs/agent-memory/integrations/mcp-server/coding-assistants/windsurf",
    checked: "2026-11-17",
  },
  {
    id: "zed",
    title: "Zed",
    files: [{ place: "{config}/zed/settings.json", format: "json", servers: ["context_servers"] }],
    entry: { stdio: (gateway) => ({ ...started(gateway), env: {} }), http: connected("url") },
    source: "https://zed.dev/docs/ai/mcp",
    checked: "2026-11-17",
  },
  {
    id: "cline",
    title: "Cline",
    files: [
      { place: "{home}/.cline/data/settings/cline_mcp_settings.json", format: "json", servers: MCP_SERVERS },
      {
        place: `${EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
        format: "json",
        servers: MCP_SERVERS,
      },
    ],
    entry: { stdio: started, http: connected("url", { type: "streamableHttp" }) },
    remark: "Older versions of the extension keep their file in the storage of VS Code instead.",
    source: "https://github.com/cline/cline/issues/13596",
    checked: "2026-11-17",
  },
  {
    id: "roo-code",
    title: "Roo Code",
    retired: "shut down on 2026-05-15; Cline and Kilo Code are its kin",
    files: [
      {
        place: `${EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
        format: "json",
        servers: MCP_SERVERS,
      },
      { place: "{project}/.roo/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url", { type: "streamable-http" }) },
    source: "https://kilo.ai/articles/roo-to-kilo-migration-guide",
    checked: "2026-11-17",
  },
  {
    id: "kilo-code",
    title: "Kilo Code",
    files: [
      { place: "{xdg}/kilo/kilo.jsonc", format: "json", servers: ["mcp"] },
      { place: "{xdg}/kilo/kilo.json", format: "json", servers: ["mcp"] },
      { place: "{project}/.kilo/kilo.jsonc", format: "json", servers: ["mcp"] },
      { place: "{project}/kilo.jsonc", format: "json", servers: ["mcp"] },
      { place: "{project}/.kilocode/mcp.json", format: "json", servers: MCP_SERVERS, isOld: true },
      {
        place: `${EXTENSIONS}/kilocode.kilo-code/settings/mcp_settings.json`,
        format: "json",
        servers: MCP_SERVERS,
        isOld: true,
      },
    ],
    entry: { stdio: localCommand, http: connected("url", { type: "remote", enabled: true }) },
    source: "https://kilo.ai/docs/automate/mcp/using-in-kilo-code",
    checked: "2026-11-17",
  },
  {
    id: "continue",
    title: "Continue",
    files: [{ place: "{home}/.continue/config.yaml", format: "yaml", servers: MCP_SERVERS, isList: true }],
    entry: {
      stdio: started,
      http: ({ url, headers }) => ({
        type: "streamable-http",
        url,
        ...(headers === undefined ? {} : { requestOptions: { headers } }),
      }),
    },
    source: "https://github.com/continuedev/continue/blob/main/docs/customize/deep-dives/mcp.mdx",
    checked: "2026-11-17",
  },
  {
    id: "kiro",
    title: "Kiro",
    files: [
      { place: "{home}/.kiro/settings/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.kiro/settings/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url") },
    source: "https://kiro.dev/docs/mcp/configuration/",
    checked: "2026-11-17",
  },
  {
    id: "antigravity",
    title: "Google Antigravity",
    files: [
      { place: "{home}/.gemini/config/mcp_config.json", format: "json", servers: MCP_SERVERS },
      { place: "{home}/.gemini/antigravity/mcp_config.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("serverUrl") },
    remark:
      "The editor since 2.0 and the command line (agy) share this file; older versions of the editor read ~/.gemini/antigravity/mcp_config.json.",
    source: "https://github.com/jgravelle/jcodemunch-mcp/releases/tag/v1.108.89",
    checked: "2026-11-17",
  },
  {
    id: "junie",
    title: "JetBrains Junie",
    files: [
      { place: "{home}/.junie/mcp/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.junie/mcp/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started },
    source: "https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html",
  },
  {
    id: "trae",
    title: "Trae",
    profile: "universal",
    files: [
      { place: "{appData}/Trae/User/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.trae/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url") },
    remark: "It reads the file of a project only where project MCP is switched on in its settings.",
    source: "https://github.com/pathintegral-institute/mcpm.sh/issues/92",
    checked: "2026-11-17",
  },
  {
    id: "qoder",
    title: "Qoder",
    profile: "universal",
    files: [
      { place: "{home}/.qoder/settings.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.qoder/settings.local.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url", { type: "streamable-http" }) },
    remark: "This is the file of its command line; in the editor paste the same under Settings → MCP.",
    source: "https://docs.qoder.com/cli/mcp-servers",
    checked: "2026-11-17",
  },
  {
    id: "lm-studio",
    title: "LM Studio",
    profile: "universal",
    files: [{ place: "{home}/.lmstudio/mcp.json", format: "json", servers: MCP_SERVERS }],
    entry: { stdio: started, http: connected("url") },
    source: "https://lmstudio.ai/docs/app/mcp",
    checked: "2026-11-17",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: [{ place: "{appData}/Claude/claude_desktop_config.json", format: "json", servers: MCP_SERVERS }],
    entry: { stdio: started, http: bridged },
    remark: "Quit and open Claude Desktop again; it reads the file only at its start.",
    source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
    checked: "2026-11-17",
  },
];
