// @onym/core/openai-agents: function tools, an MCP server and history for the OpenAI Agents SDK.

export {
  buildOpenAIAgentsAdapter,
  type OpenAIAgentsAdapter,
  type OpenAIAgentsOptions,
} from "./openai-agents/agents-adapter.js";
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
} from "./openai-agents/agents-shapes.js";
export {
  buildMcpServerFacade,
  type McpCallContext,
  type McpFacadeOptions,
  type McpResult,
  type McpServerFacade,
} from "./openai-agents/mcp-server-facade.js";
