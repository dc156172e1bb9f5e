// Agents in the terminal.

import { type Client, run } from "../client.js";
import { connected, localCommand, started, startedWith } from "../server-entry-of.js";

const MCP_SERVERS = ["mcpServers"];

export const TERMINAL_CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    files: [
      { place: "{home}/.claude.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "http" }) },
    otherWays: ({ alias, command, args, url }) => [
      run("stdio", "claude", "mcp", "add", "--scope", "user", alias, "--", command, ...args),
      run("http", "claude", "mcp", "add", "--scope", "user", "--transport", "http", alias, url),
    ],
    remark: "For one project alone, the same goes into its .mcp.json.",
    remarkApplies: ({ file = "" }) => !file.endsWith(".mcp.json"),
    source: "https://code.claude.com/docs/en/mcp",
    checked: "2026-11-17",
  },
  {
    id: "codex",
    title: "Codex",
    files: [
      { place: "{codex}/config.toml", format: "toml", servers: ["mcp_servers"] },
      { place: "{project}/.codex/config.toml", format: "toml", servers: ["mcp_servers"] },
    ],
    entry: {
      // It waits a second for servers that are not required, then goes on without their tools; and a gateway starts several.
      stdio: (gateway) => ({ ...started(gateway), required: true, startup_timeout_sec: 60 }),
      http: ({ url, headers }) => ({ url, ...(headers === undefined ? {} : { http_headers: headers }) }),
    },
    otherWays: ({ alias, command, args, url }) => [
      run("stdio", "codex", "mcp", "add", alias, "--", command, ...args),
      run("http", "codex", "mcp", "add", alias, "--url", url),
    ],
    remark:
      "Over stdio add required = true where codex mcp add has not: in its first turn Codex leaves out tools that are not there within a second.",
    source: "https://developers.openai.com/codex/config-reference",
    checked: "2026-11-17",
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    files: [
      { place: "{home}/.gemini/settings.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.gemini/settings.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("httpUrl") },
    otherWays: ({ alias, command, args, url }) => [
      run("stdio", "gemini", "mcp", "add", "--scope", "user", alias, command, ...args),
      run("http", "gemini", "mcp", "add", "--scope", "user", "--transport", "http", alias, url),
    ],
    remark: "Gemini CLI ends the name of a server at its first _, so use an alias without one.",
    remarkApplies: ({ alias }) => alias.includes("_"),
    source: "https://geminicli.com/docs/tools/mcp-server/",
    checked: "2026-11-17",
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    files: [
      { place: "{home}/.qwen/settings.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.qwen/settings.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("httpUrl") },
    source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/",
    checked: "2026-11-17",
  },
  {
    id: "copilot-cli",
    title: "GitHub Copilot CLI",
    files: [{ place: "{copilot}/mcp-config.json", format: "json", servers: MCP_SERVERS }],
    entry: {
      stdio: (gateway) => ({ type: "local", ...started(gateway), tools: ["*"] }),
      http: connected("url", { type: "http", tools: ["*"] }),
    },
    source: "https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference",
    checked: "2026-11-17",
  },
  {
    id: "opencode",
    title: "OpenCode",
    files: [
      { place: "{xdg}/opencode/opencode.json", format: "json", servers: ["mcp"] },
      { place: "{xdg}/opencode/opencode.jsonc", format: "json", servers: ["mcp"] },
      { place: "{project}/opencode.json", format: "json", servers: ["mcp"] },
      { place: "{project}/opencode.jsonc", format: "json", servers: ["mcp"] },
    ],
    entry: { stdio: localCommand, http: connected("url", { type: "remote", enabled: true }) },
    source: "https://opencode.ai/docs/mcp-servers",
    checked: "2026-11-17",
  },
  {
    id: "kimi-code",
    title: "Kimi Code",
    profile: "kimi-cli",
    files: [
      { place: "{kimi}/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.kimi-code/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: started, http: connected("url") },
    source: "https://moonshotai.github.io/kimi-code/zh/customization/mcp.html",
    checked: "2026-11-17",
  },
  {
    id: "factory",
    title: "Factory (droid)",
    profile: "universal",
    files: [
      { place: "{home}/.factory/mcp.json", format: "json", servers: MCP_SERVERS },
      { place: "{project}/.factory/mcp.json", format: "json", servers: MCP_SERVERS },
    ],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "http" }) },
    otherWays: ({ alias, url }) => [run("http", "droid", "mcp", "add", alias, url, "--type", "http")],
    source: "https://docs.factory.ai/cli/configuration/mcp",
    checked: "2026-11-17",
  },
  {
    id: "mistral-vibe",
    title: "Mistral Vibe",
    profile: "universal",
    files: [
      { place: "{home}/.vibe/config.toml", format: "toml", servers: ["mcp_servers"], isList: true },
      { place: "{project}/.vibe/config.toml", format: "toml", servers: ["mcp_servers"], isList: true },
    ],
    entry: {
      stdio: startedWith({ transport: "stdio" }),
      http: connected("url", { transport: "streamable-http" }),
    },
    source: "https://docs.mistral.ai/vibe/code/cli/mcp-servers",
    checked: "2026-11-17",
  },
  {
    id: "openclaw",
    title: "OpenClaw",
    profile: "universal",
    files: [{ place: "{home}/.openclaw/openclaw.json", format: "json", servers: ["mcp", "servers"] }],
    entry: { stdio: started, http: connected("url", { transport: "streamable-http" }) },
    source: "https://docs.openclaw.ai/tools/mcp",
    checked: "2026-11-17",
  },
  {
    id: "hermes",
    title: "Hermes Agent",
    profile: "universal",
    files: [{ place: "{home}/.hermes/config.yaml", format: "yaml", servers: ["mcp_servers"] }],
    entry: { stdio: started, http: connected("url") },
    source: "https://hermes-agent.nousresearch.com/docs/user-guide/features/mcp",
    checked: "2026-11-17",
  },
  {
    id: "goose",
    title: "Goose",
    files: [
      {
        place: "{xdg}/goose/config.yaml",
        windows: "{appData}/Block/goose/config/config.yaml",
        format: "yaml",
        servers: ["extensions"],
      },
    ],
    entry: {
      stdio: ({ alias, command, args }) => ({
        enabled: true,
        type: "stdio",
        name: alias,
        cmd: command,
        args: [...args],
        timeout: 300,
      }),
      http: ({ alias, url, headers }) => ({
        enabled: true,
        type: "streamable_http",
        name: alias,
        uri: url,
        ...(headers === undefined ? {} : { headers }),
        timeout: 300,
      }),
    },
    source: "https://block.github.io/goose/docs/guides/config-files",
    checked: "2026-11-17",
  },
  {
    id: "amazon-q-cli",
    title: "Amazon Q Developer CLI",
    retired: "became Kiro CLI, which reads ~/.kiro/settings/mcp.json",
    files: [{ place: "{home}/.aws/amazonq/mcp.json", format: "json", servers: MCP_SERVERS }],
    entry: { stdio: started },
    source: "https://kiro.dev/docs/cli/migrating-from-q/",
  },
  {
    id: "crush",
    title: "Crush",
    files: [
      { place: "{xdg}/crush/crush.json", format: "json", servers: ["mcp"] },
      { place: "{project}/crush.json", format: "json", servers: ["mcp"] },
    ],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "http" }) },
    remark:
      "Crush calls crush.json deprecated and still reads it; a crushrc in the same folder wins over it.",
    source: "https://github.com/charmbracelet/crush/blob/main/docs/config/README.md",
    checked: "2026-11-17",
  },
  {
    id: "amp",
    title: "Amp",
    files: [{ place: "{xdg}/amp/settings.json", format: "json", servers: ["amp.mcpServers"] }],
    entry: { stdio: started, http: connected("url") },
    source: "https://ampcode.com/manual",
  },
  {
    id: "mcp-inspector",
    title: "MCP Inspector",
    files: [],
    otherWays: ({ command, args, url }) => [
      run("stdio", "npx", "-y", "@modelcontextprotocol/inspector", "--", command, ...args),
      run("http", "npx", "-y", "@modelcontextprotocol/inspector", "--cli", url, "--method", "tools/list"),
      run(
        "http",
        "npx",
        "-y",
        "@modelcontextprotocol/inspector@0",
        "--cli",
        url,
        "--transport",
        "http",
        "--method",
        "tools/list",
      ),
    ],
    remark:
      "Of versions 0.x, which tell the transport from the end of the address only, ask with --transport as in the last line.",
    source: "https://github.com/modelcontextprotocol/inspector/blob/main/docs/v1-to-v2-migration.md",
    checked: "2026-11-17",
  },
];
