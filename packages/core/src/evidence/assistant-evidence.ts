// Sources for the rows of chat applications, hosted connectors and workflow tools, and for the fallback row.

import type { Evidence } from "./evidence.js";

export const assistantEvidence: readonly Evidence[] = [
  {
    id: "generic-safe",
    sources: [
      'derived: intersection of all rows (no "-", no ".", no "__", leading letter, >=3 chars, 64-18=46 for VS Code, 64 for the API floor, 40 = oldest published tool cap)',
    ],
    notes:
      "Also idempotent under CrewAI lower-snake normalisation and Codex/Ollama hyphen replacement. With server ids <=11 chars 46 fits every prefixing client except Claude Code plugin/connector prefixes.",
    budgetFormula: "min(46, 57 - len(server))",
  },
  {
    id: "claude-desktop",
    sources: [
      "live probe 2026-09-13/14: claude-ai 0.1.0 AND local-agent-mode-<server> 1.0.0, protocol 2025-11-25",
      "prefix mcp__{server}__: anthropics/claude-code#19770 and #22276 (connectors under a UUID, 43 characters, 2026-01), Open-Document-Alliance/PDF-Tools#44 (extensions under their display name, 2026-05-26); read 2026-11-17",
      "dot rejected: cyanheads/atlas-mcp-server#14 (2025-03-06)",
      'connector directory rule "tool names <= 64 chars": claude.com/docs/connectors/building/review-criteria (read 2026-09-15)',
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
    ],
    notes: "Starts every local server TWICE per launch with two different clientInfo names.",
    budgetFormula: "57 - len(server)",
  },
  {
    id: "claude-ai",
    sources: [
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
      'claude.com/docs/connectors/building/testing: "clientInfo name varies (claude-ai / Anthropic / claude-code)" (read 2026-09-15)',
      "review-criteria <=64 (read 2026-09-15)",
    ],
    budgetFormula: "64 (prefix unknown)",
  },
  {
    id: "anthropic-mcp-connector",
    sources: [
      "platform.claude.com/docs/en/agents-and-tools/mcp-connector (read 2026-09-15) (tool shown unprefixed, server_name carried beside it)",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
    ],
    budgetFormula: "127 - len(server)",
  },
  {
    id: "chatgpt",
    sources: [
      "openai-mcp 1.0.0 in clientInfo and user agent, protocol 2026-07-28 by server/discover",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      'tools refreshed manually ("Refresh after tool changes"): developers.openai.com/apps-sdk/deploy/connect-chatgpt (read 2026-09-15)',
    ],
    notes:
      "Already speaks the stateless revision: no initialize, clientInfo only in _meta. The surface is visible only in the UA parenthetical. GPT Actions (OpenAPI) cap at 30 operations.",
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed", listChanged: "documented" },
    protocol: "2026-07-28",
  },
  {
    id: "openai-hosted-mcp",
    sources: [
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
      "names in a table of client applications",
      "server_label rule: see provider openai-responses-mcp-server-label",
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", listChanged: "assumed" },
  },
  {
    id: "librechat",
    sources: [
      "danny-avila/LibreChat@08c9cc3d3d:packages/data-provider/src/config.ts 3042, 3077; packages/api/src/mcp/connection.ts 1180 and 1788-1800; packages/api/src/mcp/tools.spec.ts 499",
    ],
    notes: "The only SUFFIX client. Server names keep dots, which then reach Anthropic/OpenAI and 400.",
    budgetFormula: "provider limit - len(server) - 5",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "open-webui",
    sources: [
      "open-webui/open-webui@ecd48e2f71:backend/open_webui/utils/middleware.py 2652; backend/open_webui/utils/mcp/client.py 78 (ClientSession without client_info)",
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit - len(server_id) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "n8n",
    sources: [
      "n8n-io/n8n@fbd9449c260:packages/@n8n/nodes-langchain/nodes/mcp/McpClientTool/utils.ts 113-124; nodes/mcp/shared/runtime.ts 152; nodes/mcp/shared/utils.ts 176 and 524 (name: node.type)",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
    ],
    notes: '{server} here is the canvas NODE name with [^a-zA-Z0-9] -> "_"; users rename nodes freely.',
    budgetFormula: "64 (prefix yields)",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "raycast",
    sources: ["npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)"],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
  { id: "boltai", sources: ["no source found"], budgetFormula: "64 (prefix unknown)" },
  {
    id: "perplexity",
    sources: ["names in a table of client applications"],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
  {
    id: "le-chat",
    sources: [
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "lechat: wandb MCP server harness test",
      "backend limit: provider mistral",
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { combinedMaxLength: "assumed (mistral provider)" },
  },
  {
    id: "copilot-studio",
    sources: [
      "observed 2026-10-05: protocol 2024-11-05, headerless tools/call",
      'learn.microsoft.com/microsoft-copilot-studio/agent-extend-action-mcp ("dynamically reflects these changes")',
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
    protocol: "2024-11-05",
  },
  {
    id: "grok",
    sources: ["PostHog harness test", "names in a table of client applications"],
    notes: 'clientInfo "connectors-manager" is generic; the UA identifies the vendor.',
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
  {
    id: "slack",
    sources: ["user agent as reported, 2026-10-06; nothing published"],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed" },
    protocol: "2025-06-18",
    ours: "The row names no source.",
  },
  {
    id: "cherry-studio",
    sources: [
      "CherryHQ/cherry-studio@09c753f28a:src/main/ai/mcp/mcpToolId.ts; src/shared/ai/tools/mcpToolName.ts; src/main/ai/mcp/McpRuntimeService.ts 451 and 661",
    ],
    notes: "Model-visible name never equals the server name; identity is carried by the digest.",
    budgetFormula: "35 - len(server) readable chars",
    ours: "The client lower-cases before it joins words, so getUser is shown as getuser. The digest is over an internal server id; simulations use the alias.",
  },
  {
    id: "lobehub",
    sources: [
      "lobehub/lobe-chat@e96c014426:packages/context-engine/src/tools/ToolNameResolver.ts; src/libs/mcp/client.ts 163",
    ],
    budgetFormula: "59 - len(server) (minus 4+len(type) for typed plugins)",
    confidenceByField: { listChanged: "assumed" },
    ours: "The ____{type} suffix is for typed plugins; MCP tools have the default type and none.",
  },
  {
    id: "jan",
    sources: [
      "janhq/jan@fad3f12a1:src-tauri/src/core/mcp/helpers.rs 452, 520, 660 (stdio = ClientInfo::default())",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
    ],
    notes: '"rmcp" is the Rust SDK default: generic.',
    budgetFormula: "provider limit",
    confidenceByField: { pattern: "assumed" },
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "home-assistant",
    sources: [
      "home-assistant/core:homeassistant/components/mcp/coordinator.py 64; helpers/llm.py 369 (slugified API namespace)",
      'home-assistant/core#147760 (HA itself added "caldav-mcp." prefix and broke Anthropic)',
      'mcp 2.3.0 (PyPI) mcp/client/session.py:67 DEFAULT_CLIENT_INFO = Implementation(name="mcp", version="0.1.0")',
    ],
    budgetFormula: "provider limit - namespace",
    confidenceByField: { listChanged: "assumed" },
    ours: "The row knows no prefix, its formula subtracts a namespace: {slug}__ is allowed for.",
  },
];
