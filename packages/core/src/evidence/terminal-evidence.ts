// Sources for the rows of terminal agents.

import type { Evidence } from "./evidence.js";

export const terminalEvidence: readonly Evidence[] = [
  {
    id: "claude-code",
    sources: [
      "run against a recording provider: release 2.1.325, 2026-11-16",
      "template + 64/65 boundary: mims-harvard/ToolUniverse#65 (2026-01-26); anthropics/claude-code#16425, #22327",
      "hard 128: anthropics/claude-code#96152 (v2.1.280, 2026-09-22)",
      "alternative prefixes: mcp__plugin_{plugin}_{server}__ (#20830), mcp__claude_ai_{Server}__ (#20635), mcp__{uuid}__ (#22138)",
      'list_changed: anthropics/claude-code@5cfc0a19 CHANGELOG.md "## 2.1.0"',
      "description/instructions cut at 2KB, tool search on by default, no per-server cap: code.claude.com/docs/en/mcp (read 2026-09-15); measured 2048",
      "names/UA: PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
    ],
    notes:
      'Plugin servers cost 14+len(plugin)+len(server)+… ; UUID connectors cost 43 chars (21 left of 64). Anthropic pools transports: remote servers may see clientInfo "Anthropic/ClaudeAI" for Claude Code and must read x-anthropic-client instead.',
    budgetFormula: "57 - len(server) (safe) / 121 - len(server) (hard)",
    confidenceByField: {
      prefix: "reported (many issues) + documented",
      listChanged: "documented",
      clientInfoNames: "reported",
      combinedMaxLength: "reported",
    },
    protocol: "2025-11-25 and 2026-07-28",
    maxDescriptionLength: 2048,
    ours: "A plugin's server is the alias plugin_PLUGIN_SERVER, a connector claude_ai_NAME or its UUID; say it where one is in use.",
  },
  {
    id: "codex",
    sources: [
      "run against a recording provider: release 0.166.0, 2026-11-16",
      'openai/codex@343074d420:codex-rs/codex-mcp/src/tools.rs 105-310 (MAX_TOOL_NAME_LENGTH 128, CALLABLE_NAME_HASH_LEN 12, sha1), src/mcp/mod.rs 474-495 (sanitize), src/rmcp_client.rs:1026 (clientInfo, title "Codex"), rmcp-client/src/utils.rs:14 (UA), rmcp-client/src/logging_client_handler.rs:86 (list_changed only logged)',
      "openai/codex@343074d420 (2026-08-22): codex-mcp/src/tools.rs 116-150 (digest of server, namespace, connector, callable name and tool name, as registered and listed; mcp__ not added twice), 262-310 (a long namespace is cut), tools/src/code_mode.rs 180-193 and core/src/tools/handlers/mcp.rs 96-106 (a leading _ is joined without __, and trimmed for hooks)",
      "64->128: commit 1bfabb21fe 2026-08-20, first tag rust-v0.149.0",
      'hyphen dropped: commit cb7d8f45a1 2026-03-13 (PR #14605) "Code mode doesn\'t allow - in names"',
      "prefix off-switch: features non_prefixed_mcp_tool_names (default off)",
      'npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify) lists "Codex"',
    ],
    notes: "a-b and a_b collide and both get a hash. The 128 budget counts namespace + tool + 2.",
    budgetFormula: "121 - len(server) (>= rust-v0.149.0); 57 - len(server) before",
    protocol: "legacy default; mcp_2026_07_28 feature flag off",
    ours: "Tables keep to 64 for versions before rust-v0.149.0, and to names without a leading _.",
  },
  {
    id: "copilot-cli",
    sources: [
      "run against a recording provider: release 1.0.102, 2026-11-16",
      "{server}-{tool}: github-mcp-server-list_issues with mcpServerName github-mcp-server / mcpToolName list_issues",
      "github/copilot-cli@9532bda changelog.md lines 1221, 2647",
      "clientInfo: github-copilot-developer per a maintainer comment on github/copilot-cli#432, and copilot-cli observed from 1.0.86 on 2026-09-19 (both reported); npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "names in a table of client applications",
    ],
    notes: 'Single hyphen separator: server/tool split is ambiguous when either contains "-".',
    budgetFormula: "63 - len(server)",
    confidenceByField: { combinedMaxLength: "assumed", maxTools: "assumed" },
    ours: "What invalid characters become is not recorded; simulations use _.",
  },
  {
    id: "devin",
    sources: [
      "names in a table of client applications",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
  {
    id: "goose",
    sources: [
      "run against a recording provider: release 1.34.0, 2026-11-16",
      "block/goose@e94f304780:crates/goose/src/agents/extension_manager.rs 1005-1012 and 1340; config/extensions.rs 23 name_to_key; providers/utils.rs 218-228; agents/prompt_manager.rs MAX_TOOLS 50 (advice only); no on_tool_list_changed",
      "aaif-goose/goose@ca26f01d3a:crates/goose/src/agents/agent.rs 136 (goose-cli / goose-desktop)",
      "live probe 2026-09-13/14: goose-cli 1.50.0 after a server/discover attempt",
      "docs: best with fewer than 25 tools (read 2026-09-15)",
    ],
    notes: 'Resolves by split_once("__"): the first "__" ends the extension name.',
    budgetFormula: "provider limit - len(ext) - 2",
    confidenceByField: { maxTools: "verified-in-code (soft suggestion)" },
    protocol: "tries 2026-07-28 then legacy",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "gemini-cli",
    sources: [
      "run against a recording provider: release 0.61.0, 2026-11-16",
      "google-gemini/gemini-cli@5411f113ca:packages/core/src/tools/mcp-tool.ts 32-37, 586-625; mcp-client.ts 416 and 1848; tool-names.ts 300-375",
      "always-on mcp_ prefix since commit 931e668b47 2026-03-06 (#21425)",
      'live probe 2026-09-13/14: gemini-cli-mcp-client 0.59.0; mcp-test-client 0.0.1 from "gemini mcp list"',
    ],
    notes:
      'Truncation inserts dots, which non-Gemini backends reject. parseMcpToolName splits at the FIRST "_": a server id containing "_" is mis-parsed. Names already starting with mcp_ are not prefixed again.',
    budgetFormula: "58 - len(server)",
    protocol: "2025-06-18",
  },
  {
    id: "qwen-code",
    sources: [
      "run against a recording provider: release 0.24.4, 2026-11-16",
      "QwenLM/qwen-code@db0519563d:packages/core/src/utils/tool-name-utils.ts; packages/core/src/tools/mcp-tool.ts 816; mcp-client.ts 1675",
    ],
    notes:
      "Dots were legal until this change; legacy aliases kept for stored permissions (the migration pattern we need).",
    budgetFormula: "56 - len(server)",
    ours: "What the digest of an over-long name covers is not recorded; simulations use the whole name.",
  },
  {
    id: "amazon-q-cli",
    sources: [
      "aws/amazon-q-developer-cli@15cc8f3cd:crates/chat-cli/src/cli/chat/tool_manager.rs 102-104, 1765-1830, 1876-1900; crates/agent/src/agent/consts.rs (RTS_VALID_TOOL_NAME_REGEX ^[a-zA-Z][a-zA-Z0-9_-]{0,64}$, MAX_TOOL_NAME_LEN 64, MAX_TOOL_SPEC_DESCRIPTION_LEN 10_004); tool_utils.rs 120-245; mcp_client/client.rs 503, 579",
    ],
    notes:
      'No prefix: the second server with the same tool name loses it (or gets a "1" appended in the older code path). "___" is stripped from names.',
    budgetFormula: "64",
    maxDescriptionLength: 10004,
    ours: "The pattern allows ___, which the client strips; none is given out.",
  },
  {
    id: "kiro",
    sources: [
      "names in a table of client applications",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
      "aws/amazon-q-developer-cli README: closed-source successor",
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { clientInfoNames: "reported" },
    ours: "Inherits Amazon Q CLI, so ___ is not given out here either.",
  },
  {
    id: "opencode",
    sources: [
      "run against a recording provider: release 1.18.33, 2026-11-16",
      "anomalyco/opencode@d545d8fba5:packages/opencode/src/mcp/catalog.ts 117-119; src/mcp/index.ts 76 and 462",
      "before 2025-08-28 clientInfo.name was the user's config key (PR #2289)",
      "names in a table of client applications",
    ],
    notes: "A digit-leading server key makes Moonshot reject every request.",
    budgetFormula: "provider limit - len(server) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "crush",
    sources: [
      "charmbracelet/crush@37f36e938:internal/agent/tools/mcp-tools.go 59; internal/agent/tools/mcp/init.go 905-915",
    ],
    budgetFormula: "provider limit - len(server) - 5",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "amp",
    sources: [
      "npm mcp-client-capabilities@0.0.14 mcp-clients.json (apify)",
      "PostHog/posthog products/mcp_analytics/backend/mcp_harness.py@1c0291fc (client detection)",
      'amp-mcp-client 0.0.0-dev "empirically verified"',
    ],
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: { pattern: "assumed", combinedMaxLength: "assumed" },
  },
  {
    id: "warp",
    sources: [
      "warpdotdev/warp@19548aec6:crates/mcp/src/runtime.rs 454 (Implementation name = ChannelState::app_id()); app/src/bin/oss.rs:14; no on_tool_list_changed in repo",
    ],
    notes: 'Match prefix "dev.warp.".',
    budgetFormula: "64 (prefix unknown)",
    confidenceByField: {
      clientInfoNames: "WarpOss verified; Stable/Preview assumed from the same AppId scheme",
      combinedMaxLength: "assumed",
    },
  },
  {
    id: "kimi-cli",
    sources: [
      "run against a recording provider: release 2.1.0, 2026-11-16",
      "MoonshotAI/kimi-cli@4a550eff:src/kimi_cli/soul/toolset.py 860, 918 (name=mcp_tool.name, FastMCP default clientInfo)",
      "kimi-code as clientInfo name: reported",
    ],
    budgetFormula: "57 - len(server)",
    confidenceByField: { clientInfoNames: "reported" },
  },
  {
    id: "hermes-agent",
    sources: [
      "NousResearch/hermes-agent@1ff257df:tools/mcp_tool_schema.py (sanitize_mcp_name_component, mcp_prefixed_tool_name, _UTILITY_TOOL_SPECS)",
    ],
    budgetFormula: "64 - len(server) - 7",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "mistral-vibe",
    sources: [
      "mistralai/mistral-vibe@1aaa75bd:vibe/core/tools/mcp/tools.py (published_name of the HTTP and stdio proxy tools)",
    ],
    budgetFormula: "64 - len(server) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
  {
    id: "openclaw",
    sources: [
      "openclaw/openclaw@7e4844e6:src/agents/agent-bundle-mcp-names.ts (sanitizeToolFragment, buildSafeToolName)",
    ],
    budgetFormula: "64 - min(30, len(server)) - 2",
  },
  {
    id: "docker-agent",
    sources: ["docker/cagent@4795caec:pkg/tools/mcp/mcp.go (Toolset.Tools, clientInfo)"],
    budgetFormula: "64 - len(server) - 1",
    ours: "Names are passed on to a model provider, so those given out keep to letters, digits, _ and - and to 64 characters as sent.",
  },
];
