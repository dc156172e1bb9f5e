// Services on the web and the bridges to them. Services reach Onym only at a public address.

import { type Client, enter, formatSnippet, run } from "../client.js";
import { connected, startedWith } from "../server-entry-of.js";

const PUBLIC = "It runs elsewhere, so Onym must be reachable under a public https address, with a token.";

export const HOSTED_CLIENTS: readonly Client[] = [
  {
    id: "claude-ai",
    title: "claude.ai",
    files: [],
    otherWays: ({ alias, publicUrl }) => [
      enter("Settings → Connectors → Add custom connector", `Name: ${alias}\nURL:  ${publicUrl}`),
    ],
    remark: PUBLIC,
    source: "https://support.claude.com/en/articles/11175166",
  },
  {
    id: "anthropic-mcp-connector",
    title: "Anthropic API (MCP connector)",
    files: [],
    otherWays: ({ alias, publicUrl }) => [
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
    remark: `${PUBLIC} The request needs the header anthropic-beta: mcp-client-2025-11-20.`,
    source: "https://platform.claude.com/docs/en/agents-and-tools/mcp-connector",
    checked: "2026-11-17",
  },
  {
    id: "chatgpt",
    title: "ChatGPT",
    files: [],
    otherWays: ({ alias, publicUrl }) => [
      enter(
        "Settings → Apps → Advanced settings → Developer mode, then Create app",
        `Name:           ${alias}\nMCP server URL: ${publicUrl}`,
      ),
    ],
    remark: PUBLIC,
    source: "https://github.com/CDataSoftware/docs/pull/98",
    checked: "2026-11-17",
  },
  {
    id: "openai-hosted-mcp",
    title: "OpenAI API (hosted MCP tool)",
    files: [],
    otherWays: ({ alias, publicUrl }) => [
      {
        transport: "http",
        kind: "enter",
        where: "The body of a request to the Responses API",
        language: "json",
        text: formatSnippet({ tools: [{ type: "mcp", server_label: alias, server_url: publicUrl }] }),
      },
    ],
    remark: PUBLIC,
    source: "https://developers.openai.com/api/docs/guides/tools-remote-mcp",
    checked: "2026-11-17",
  },
  {
    id: "librechat",
    title: "LibreChat",
    files: [{ place: "{project}/librechat.yaml", format: "yaml", servers: ["mcpServers"] }],
    entry: { stdio: startedWith({ type: "stdio" }), http: connected("url", { type: "streamable-http" }) },
    remark: "In a container, 127.0.0.1 is the container itself: use the address of the host.",
    source: "https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_servers",
    checked: "2026-11-17",
  },
  {
    id: "n8n",
    title: "n8n",
    files: [],
    otherWays: ({ alias, url }) => [
      enter(
        "An MCP Client Tool node",
        `Name of the node: ${alias}\nServer Transport: HTTP Streamable\nEndpoint:         ${url}`,
      ),
    ],
    remark: "n8n puts the name of the node before the names of tools, so the node must have the alias.",
    source: "https://docs.n8n.io/integrations/builtin/cluster-nodes/sub-nodes/n8n-nodes-langchain.toolmcp/",
  },
  {
    id: "mcp-remote",
    title: "mcp-remote (for clients that only start commands)",
    files: [],
    otherWays: ({ url }) => [run("http", "npx", "-y", "mcp-remote", url)],
    source: "https://www.npmjs.com/package/mcp-remote",
    checked: "2026-11-17",
  },
];
