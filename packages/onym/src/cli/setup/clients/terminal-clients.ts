// Agents in the terminal.

import type { Client } from "./client.js";
import { connected, inJson, inYaml, keyOf, quoted, quotedList, run, started } from "./ways.js";

const GOOSE = "{home}/.config/goose/config.yaml";

export const TERMINAL_CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    files: [
      { place: "{project}/.mcp.json", format: "json" },
      { place: "{home}/.claude.json", format: "json" },
    ],
    waysToRegister: (gateway) => [
      run("stdio", "claude", "mcp", "add", gateway.alias, "--", gateway.command, ...gateway.args),
      run("http", "claude", "mcp", "add", "--transport", "http", gateway.alias, gateway.url),
      ...inJson(gateway, "{project}/.mcp.json", "mcpServers", {
        stdio: started,
        http: connected("url", { type: "http" }),
      }),
    ],
    remark: "Add --scope user after add to have it in every project.",
  },
  {
    id: "codex",
    title: "Codex",
    files: [
      { place: "{project}/.codex/config.toml", format: "toml" },
      { place: "{codex}/config.toml", format: "toml" },
    ],
    waysToRegister: ({ alias, command, args, url }) => [
      run("stdio", "codex", "mcp", "add", alias, "--", command, ...args),
      run("http", "codex", "mcp", "add", alias, "--url", url),
      {
        transport: "stdio",
        kind: "write",
        where: "{codex}/config.toml",
        language: "toml",
        text: `[mcp_servers.${keyOf(alias)}]\ncommand = ${quoted(command)}\nargs = ${quotedList(args)}`,
      },
      {
        transport: "http",
        kind: "write",
        where: "{codex}/config.toml",
        language: "toml",
        text: `[mcp_servers.${keyOf(alias)}]\nurl = ${quoted(url)}`,
      },
    ],
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    files: [
      { place: "{project}/.gemini/settings.json", format: "json" },
      { place: "{home}/.gemini/settings.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.gemini/settings.json", "mcpServers", {
        stdio: started,
        http: connected("httpUrl"),
      }),
    remark: "Gemini CLI ends the name of a server at its first _, so use an alias without one.",
  },
  {
    id: "qwen-code",
    title: "Qwen Code",
    files: [
      { place: "{project}/.qwen/settings.json", format: "json" },
      { place: "{home}/.qwen/settings.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.qwen/settings.json", "mcpServers", {
        stdio: started,
        http: connected("httpUrl"),
      }),
  },
  {
    id: "copilot-cli",
    title: "GitHub Copilot CLI",
    files: [{ place: "{home}/.copilot/mcp-config.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.copilot/mcp-config.json", "mcpServers", {
        stdio: (address) => ({ type: "local", ...started(address), tools: ["*"] }),
        http: connected("url", { type: "http", tools: ["*"] }),
      }),
  },
  {
    id: "opencode",
    title: "OpenCode",
    files: [
      { place: "{project}/opencode.json", format: "json" },
      { place: "{home}/.config/opencode/opencode.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.config/opencode/opencode.json", "mcp", {
        stdio: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
        http: connected("url", { type: "remote", enabled: true }),
      }),
  },
  {
    id: "goose",
    title: "Goose",
    files: [{ place: GOOSE, format: "yaml" }],
    waysToRegister: ({ alias, command, args, url }) => [
      inYaml("stdio", GOOSE, [
        "extensions:",
        `  ${keyOf(alias)}:`,
        "    enabled: true",
        "    type: stdio",
        `    name: ${quoted(alias)}`,
        `    cmd: ${quoted(command)}`,
        `    args: ${quotedList(args)}`,
        "    timeout: 300",
      ]),
      inYaml("http", GOOSE, [
        "extensions:",
        `  ${keyOf(alias)}:`,
        "    enabled: true",
        "    type: streamable_http",
        `    name: ${quoted(alias)}`,
        `    uri: ${quoted(url)}`,
        "    timeout: 300",
      ]),
    ],
    remark: "On Windows the file is %APPDATA%\\Block\\goose\\config\\config.yaml.",
  },
  {
    id: "amazon-q-cli",
    title: "Amazon Q Developer CLI",
    files: [{ place: "{home}/.aws/amazonq/mcp.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.aws/amazonq/mcp.json", "mcpServers", { stdio: started }),
  },
  {
    id: "crush",
    title: "Crush",
    files: [
      { place: "{project}/crush.json", format: "json" },
      { place: "{home}/.config/crush/crush.json", format: "json" },
    ],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.config/crush/crush.json", "mcp", {
        stdio: (address) => ({ type: "stdio", ...started(address) }),
        http: connected("url", { type: "http" }),
      }),
  },
  {
    id: "amp",
    title: "Amp",
    files: [{ place: "{home}/.config/amp/settings.json", format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, "{home}/.config/amp/settings.json", "amp.mcpServers", {
        stdio: started,
        http: connected("url"),
      }),
  },
  {
    id: "mcp-inspector",
    title: "MCP Inspector",
    files: [],
    waysToRegister: ({ command, args, url }) => [
      run("stdio", "npx", "-y", "@modelcontextprotocol/inspector", command, ...args),
      run("http", "npx", "-y", "@modelcontextprotocol/inspector", "--cli", url, "--method", "tools/list"),
    ],
  },
];
