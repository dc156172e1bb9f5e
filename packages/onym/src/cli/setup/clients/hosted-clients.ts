// Desktop programs, services on the web and the bridges to them. Services reach Onym only at a public address.

import type { Client } from "./client.js";
import { enter, formatSnippet, inJson, inYaml, keyOf, quoted, quotedList, run, started } from "./ways.js";

const CLAUDE = "{appData}/Claude/claude_desktop_config.json";
const LIBRECHAT = "{project}/librechat.yaml";
const PUBLIC = "It runs elsewhere, so Onym must be reachable under a public https address, with a token.";

export const HOSTED_CLIENTS: readonly Client[] = [
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    files: [{ place: CLAUDE, format: "json" }],
    waysToRegister: (gateway) =>
      inJson(gateway, CLAUDE, "mcpServers", {
        stdio: started,
        http: ({ url }) => ({ command: "npx", args: ["-y", "mcp-remote", url] }),
      }),
    remark: "Quit and open Claude Desktop again; it reads the file only at its start.",
  },
  {
    id: "claude-ai",
    title: "claude.ai",
    files: [],
    waysToRegister: ({ alias, publicUrl }) => [
      enter("Settings → Connectors → Add custom connector", `Name: ${alias}\nURL:  ${publicUrl}`),
    ],
    remark: PUBLIC,
  },
  {
    id: "anthropic-mcp-connector",
    title: "Anthropic API (MCP connector)",
    files: [],
    waysToRegister: ({ alias, publicUrl }) => [
      {
        transport: "http",
        kind: "enter",
        where: "The body of a request to the Messages API",
        language: "json",
        text: formatSnippet({
          mcp_servers: [{ type: "url", url: publicUrl, name: alias }],
          tools: [{ type: "mcp_toolset", mcp_server_name: alias }],
        }),
      },
    ],
    remark: PUBLIC,
  },
  {
    id: "chatgpt",
    title: "ChatGPT",
    files: [],
    waysToRegister: ({ alias, publicUrl }) => [
      enter(
        "Settings → Apps & Connectors → Advanced → Developer mode, then Create",
        `Name:           ${alias}\nMCP server URL: ${publicUrl}`,
      ),
    ],
    remark: PUBLIC,
  },
  {
    id: "openai-hosted-mcp",
    title: "OpenAI API (hosted MCP tool)",
    files: [],
    waysToRegister: ({ alias, publicUrl }) => [
      {
        transport: "http",
        kind: "enter",
        where: "The body of a request to the Responses API",
        language: "json",
        text: formatSnippet({ tools: [{ type: "mcp", server_label: alias, server_url: publicUrl }] }),
      },
    ],
    remark: PUBLIC,
  },
  {
    id: "librechat",
    title: "LibreChat",
    files: [{ place: LIBRECHAT, format: "yaml" }],
    waysToRegister: ({ alias, command, args, url }) => [
      inYaml("stdio", LIBRECHAT, [
        "mcpServers:",
        `  ${keyOf(alias)}:`,
        "    type: stdio",
        `    command: ${quoted(command)}`,
        `    args: ${quotedList(args)}`,
      ]),
      inYaml("http", LIBRECHAT, [
        "mcpServers:",
        `  ${keyOf(alias)}:`,
        "    type: streamable-http",
        `    url: ${quoted(url)}`,
      ]),
    ],
    remark: "In a container, 127.0.0.1 is the container itself: use the address of the host.",
  },
  {
    id: "n8n",
    title: "n8n",
    files: [],
    waysToRegister: ({ alias, url }) => [
      enter(
        "An MCP Client Tool node",
        `Name of the node: ${alias}\nServer Transport: HTTP Streamable\nEndpoint:         ${url}`,
      ),
    ],
    remark: "n8n puts the name of the node before the names of tools, so the node must have the alias.",
  },
  {
    id: "mcp-remote",
    title: "mcp-remote (for clients that only start commands)",
    files: [],
    waysToRegister: ({ url }) => [run("http", "npx", "-y", "mcp-remote", url)],
  },
];
