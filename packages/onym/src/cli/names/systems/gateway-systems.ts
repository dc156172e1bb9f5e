// The gateways whose names Onym knows: what they show, and what they showed before.

import type { NamingSystem } from "./naming-system.js";

const RAW = { template: "{tool}" };

/** By id. */
export const GATEWAY_SYSTEMS: readonly NamingSystem[] = [
  {
    id: "1mcp",
    title: "1MCP",
    forms: [{ template: "{server}_1mcp_{tool}" }],
    source: "https://github.com/1mcp-app/agent/blob/main/src/constants/mcp.ts",
    asOf: "2026-08-20",
  },
  {
    id: "agentgateway",
    title: "agentgateway",
    forms: [
      { template: "{server}_{tool}", when: "with several targets, or prefixMode: always" },
      { ...RAW, when: "with one target, or prefixMode: never" },
    ],
    source: "https://github.com/agentgateway/agentgateway/blob/main/crates/agentgateway/src/mcp/handler.rs",
    asOf: "2026-08-21",
  },
  {
    id: "docker-gateway",
    title: "Docker MCP Gateway",
    forms: [RAW, { template: "{server}__{tool}", when: "with the feature tool-name-prefix" }],
    source: "https://github.com/docker/mcp-gateway/blob/main/pkg/gateway/capabilitites.go",
    asOf: "2026-07-23",
  },
  {
    id: "litellm",
    title: "LiteLLM",
    forms: [
      // Neither a separator of its own (MCP_TOOL_PREFIX_SEPARATOR) nor short prefixes (LITELLM_USE_SHORT_MCP_TOOL_PREFIX) are known here.
      { template: "{server}-{tool}", server: "spaces" },
      // Not checked.
      { template: "{server}/{tool}", server: "spaces", when: "in its first versions with MCP" },
      { ...RAW, when: "at the address of one server" },
    ],
    source: "https://github.com/BerriAI/litellm/blob/main/litellm/proxy/_experimental/mcp_server/utils.py",
    asOf: "2026-08-08",
  },
  {
    id: "mcp-hub",
    title: "mcp-hub",
    forms: [{ template: "{server}__{tool}" }],
    source: "https://github.com/ravitemer/mcp-hub/blob/main/src/mcp/server.js",
    asOf: "2025-07-20",
  },
  {
    id: "mcp-proxy",
    title: "mcp-proxy (TBXark)",
    // One endpoint for each server, so names stay as they are.
    forms: [RAW],
    source: "https://github.com/TBXark/mcp-proxy/blob/master/docs/USAGE.md",
    asOf: "2026-02-19",
  },
  {
    id: "mcphub",
    title: "MCPHub",
    // Raw in the source of 0.6.1; which later release brought the prefix was not checked.
    forms: [
      { template: "{server}-{tool}", when: "unless systemConfig.nameSeparator is another" },
      { ...RAW, when: "in 0.6.1 and before" },
    ],
    source:
      "https://github.com/samanhappy/mcphub/blob/1105e4f6696eaacb2596f127ec6121d6d181a708/src/config/index.ts",
  },
  {
    id: "metamcp",
    title: "MetaMCP",
    forms: [{ template: "{server}__{tool}", server: "drop-invalid" }],
    source: "https://github.com/metatool-ai/metamcp/blob/main/apps/backend/src/lib/metamcp/utils.ts",
    asOf: "2026-02-08",
  },
  {
    id: "toolhive",
    title: "ToolHive",
    forms: [
      { template: "{server}_{tool}", when: "in a virtual MCP server" },
      { ...RAW, when: "at the address of one workload" },
      { template: "{server}.{tool}", when: "with the prefix format {workload}." },
      { template: "{server}{tool}", when: "with the prefix format {workload}" },
    ],
    source: "https://docs.stacklok.com/toolhive/guides-vmcp/tool-aggregation",
    asOf: "2026-08-21",
  },
  {
    id: "workbench",
    title: "mcp-workbench",
    forms: [
      // 0.14.0 gives toolbox, server and tool in fields of their own; what stands in prompts is the form before that.
      { template: "{toolbox}__{server}__{tool}", when: "from 0.5.0, until names were given in parts" },
      { template: "{toolbox}__{server}_{tool}", when: "before 0.5.0" },
    ],
    source: "https://github.com/goroskob/mcp-workbench/blob/main/CHANGELOG.md",
    asOf: "2025-10-29",
  },
];
