// Sources for the rows of editors and their plugins.

import type { Evidence } from "./evidence.js";

export const editorEvidence: readonly Evidence[] = [
  {
    id: "cursor",
    sources: [
      'ComposioHQ/composio#2788 (2026-02-27): server "g" + 59-char tool -> "Combined server and tool name length (60) exceeds 60 characters" => effective max 59',
      "PostHog/posthog#51483: server posthog(7) -> tools must be <=52 (=59)",
      "forum.cursor.com/t/…/153918/4 (staff, 2026-03-07: 60; read 2026-09-15)",
      "clientInfo cursor-vscode 1.0.0: live probe 2026-09-13/14",
      "listChanged: npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "tool cap history: 40 (2025) -> ~80 (late 2025, community) -> none since Cursor 2.4 dynamic loading, 2026-01",
    ],
    notes:
      "Off-by-one: the message says 60 but a total of exactly 60 is dropped. Model-visible form was mcp_{server}_{tool}; the length check ignores that decoration.",
    budgetFormula: "59 - len(server)",
    confidenceByField: { pattern: "assumed" },
    combinedCounts: "len(server) + len(tool), no separator",
    maxToolsHistorical: [40, 80],
  },
  {
    id: "vscode",
    sources: [
      "microsoft/vscode@006c4ca9:src/vs/workbench/contrib/mcp/common/mcpTypes.ts McpToolName {Prefix mcp_, MaxPrefixLen 18, MaxLength 64}",
      'mcpServer.ts: toolInvalidCharRe /[^a-z0-9_-]/gi; id = (idPrefix + name).replaceAll(".", "_").slice(0, 64)',
      "mcpServerRequestHandler.ts@1418a96b: clientInfo.name = productService.nameLong; handles notifications/tools/list_changed",
      'prefix from announced server title/name, lower-cased, [^a-z0-9_.-]+ -> "_", numeric suffix on clash (McpPrefixGenerator tests)',
      "128: microsoft/vscode-docs docs/agents/run/tools.md; vscode-copilot-chat HARD_TOOL_LIMIT",
    ],
    notes:
      "The prefix comes from what the SERVER announces (serverInfo title/name), not from mcp.json: the gateway controls it. Plain slice can create duplicate ids silently.",
    budgetFormula: "64 - min(18, 5 + len(server)) >= 46",
    protocol: "2025-11-25",
    ours: "maxLength 46 and the formula agree only for the longest prefix; 46 is kept for every alias, because the prefix grows when two servers clash.",
  },
  {
    id: "visual-studio",
    sources: [
      'Microsoft-authored classifier test: "Microsoft Visual Studio" -> visual-studio',
      "limits inherited from github-copilot-api",
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed", maxTools: "assumed" },
  },
  {
    id: "copilot-ide-plugins",
    sources: ["npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)"],
    notes: "Match on the substring copilot-intellij / copilot-xcode.",
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed", maxTools: "assumed" },
  },
  {
    id: "jetbrains-ai-assistant",
    sources: ["neither probed (2026-09-13/14) nor published (read 2026-09-15)"],
    budgetFormula: "64 (prefix unknown)",
  },
  {
    id: "junie",
    sources: [
      "live probe 2026-09-13/14: junie-client 1.0.0, protocol 2025-03-26 (refused a 2025-06-18 answer)",
      'junie.jetbrains.com/docs: "maximum of 100 tools from all configured MCP servers" (read 2026-09-15)',
      "youtrack JUNIE-711: spaces in server name -> provider 400 ^[a-zA-Z0-9_-]+$",
    ],
    notes: "Protocol 2025-03-26 only: negotiate down.",
    budgetFormula: "64 (prefix includes server name, form unknown)",
    confidenceByField: { maxTools: "documented", combinedMaxLength: "assumed" },
    protocol: "2025-03-26",
    ours: "The prefix holds the server name in an unknown form and cannot be subtracted; the row's 64 is used.",
  },
  {
    id: "windsurf",
    sources: [
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "index prefix mcp0_/mcp1_ that shifts with server order",
      "docs.devin.ai/desktop/cascade/mcp (100 tools) (read 2026-09-15)",
    ],
    notes:
      "The prefix is positional, so the model-visible name of the same tool changes when servers are re-ordered.",
    budgetFormula: "58",
    confidenceByField: { maxTools: "documented", combinedMaxLength: "assumed" },
    ours: "prefixMaxLength 6 allows for two digits of index.",
  },
  {
    id: "cline",
    sources: [
      "run against a recording provider: release 3.0.65, 2026-11-16",
      "cline/cline@21cb8d2525:sdk/packages/core/src/extensions/mcp/name-transform.ts; apps/vscode/src/services/mcp/McpHub.ts 464 (clientInfo), 767 (ToolListChanged); sdk/packages/core/src/extensions/mcp/client.ts 607",
    ],
    notes: 'Consecutive invalid chars collapse to one "_".',
    budgetFormula: "62 - len(server)",
    confidenceByField: { clientInfoNames: "verified-in-code; cline-cli reported" },
  },
  {
    id: "roo-code",
    sources: [
      "RooCodeInc/Roo-Code@cb83656718:src/utils/mcp-name.ts; src/services/mcp/McpHub.ts 688; packages/types/src/mcp.ts:7 MAX_MCP_TOOLS_THRESHOLD = 60 (warning); no ToolListChanged handler in repo",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify) spells it Roo-Code",
    ],
    notes: "Compares names with - and _ treated as equal, because models turn hyphens into underscores.",
    budgetFormula: "57 - len(server)",
    ours: "Names are also compared with - and _ as equal, so names that differ only there must not be given out together.",
  },
  {
    id: "kilo-code",
    sources: [
      "run against a recording provider: release 7.7.7, 2026-11-16",
      "Kilo-Org/kilocode@ff74e2ea3f:packages/opencode/src/mcp/catalog.ts 117-119, src/mcp/index.ts 101 and 499",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
    ],
    budgetFormula: "provider limit - len(server) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "continue",
    sources: [
      "run against a recording provider: release 1.5.47, 2026-11-16",
      "continuedev/continue@d0a3c0b626:core/tools/mcpToolName.ts; core/context/mcp/MCPConnection.ts 88; extensions/cli/src/services/MCPService.ts 405; no list_changed handler",
    ],
    budgetFormula: "provider limit - len(slug(server)) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "continue-ide",
    sources: [
      "as continue before its command line was told apart; continuedev/continue@d0a3c0b626:core/tools/mcpToolName.ts",
    ],
    budgetFormula: "provider limit - len(slug(server)) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "zed",
    sources: [
      "zed-industries/zed@7eec89207cc:crates/agent/src/thread.rs 76-98 and 4178-4215; crates/context_server/src/context_server.rs 150; crates/agent/src/tools/context_server_registry.rs 143",
      "live probe 2026-09-13/14",
    ],
    notes: "Prefix appears only on collision, so a tool is renamed when an unrelated server is added.",
    budgetFormula: "64",
    protocol: "2025-11-25",
  },
  {
    id: "antigravity",
    sources: [
      "live probe 2026-09-13/14: antigravity-client v1.0.0 after a server/discover attempt",
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "names in a table of client applications",
    ],
    budgetFormula: "63 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
];
