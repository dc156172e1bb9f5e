// Mastra: an agent with the tools of its MCP client.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const { provider, servers } = JSON.parse(process.argv[2]);
const entries = Object.entries(servers).map(([name, { command, args, url }]) => [
  name,
  url === undefined ? { command, args } : { url: new URL(url) },
]);
const mcp = new MCPClient({ servers: Object.fromEntries(entries) });
try {
  const model = createOpenAICompatible({ name: "trial", baseURL: `${provider}/v1`, apiKey: "trial" })(
    "trial",
  );
  const tools = await mcp.listTools();
  const agent = new Agent({ id: "trial", name: "trial", instructions: "Call every tool.", model, tools });
  await agent.generate("Call every tool.", { maxSteps: 60 });
} finally {
  await mcp.disconnect();
}
