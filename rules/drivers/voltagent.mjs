// VoltAgent: an agent with the tools of its MCP configuration.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, MCPConfiguration } from "@voltagent/core";

const { provider, servers } = JSON.parse(process.argv[2]);
const mcp = new MCPConfiguration({
  servers: Object.fromEntries(
    Object.entries(servers).map(([name, { command, args, url }]) => [
      name,
      url === undefined ? { type: "stdio", command, args } : { type: "streamable-http", url },
    ]),
  ),
});
try {
  const model = createOpenAICompatible({ name: "trial", baseURL: `${provider}/v1`, apiKey: "trial" })(
    "trial",
  );
  const tools = await mcp.getTools();
  const agent = new Agent({ name: "trial", instructions: "Call every tool.", model, tools, maxSteps: 60 });
  await agent.generateText("Call every tool.");
} finally {
  await mcp.disconnect();
}
process.exit(0);
