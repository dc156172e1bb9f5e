// @onym/core/openai-agents: function tools, an MCP server and history for the OpenAI Agents SDK.

export {
  buildOpenAIAgentsAdapter,
  type OpenAIAgentsAdapter,
  type OpenAIAgentsOptions,
} from "./adapter.js";
export {
  buildMcpServerFacade,
  type McpCallContext,
  type McpFacadeOptions,
  type McpResult,
  type McpServerFacade,
} from "./mcp-server-facade.js";
export type {
  AgentsCallDetails,
  AgentsFunctionCall,
  AgentsFunctionResult,
  AgentsFunctionTool,
  AgentsItem,
  AgentsMessage,
  AgentsParameters,
  AgentsToolOptions,
  AgentsToolSearch,
} from "./shapes.js";
