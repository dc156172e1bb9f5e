// BeeAI: its tool-calling agent with tools of the MCP SDK's clients.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { OpenAIChatModel } from "beeai-framework/adapters/openai/backend/chat";
import { ToolCallingAgent } from "beeai-framework/agents/toolCalling/agent";
import { UnconstrainedMemory } from "beeai-framework/memory/unconstrainedMemory";
import { MCPTool } from "beeai-framework/tools/mcp";

const { provider, servers } = JSON.parse(process.argv[2]);
const clients = [];
try {
  const tools = [];
  for (const { command, args, url } of Object.values(servers)) {
    const client = new Client({ name: "beeai-trial", version: "1.0.0" });
    await client.connect(
      url === undefined
        ? new StdioClientTransport({ command, args })
        : new StreamableHTTPClientTransport(new URL(url)),
    );
    clients.push(client);
    tools.push(...(await MCPTool.fromClient(client)));
  }
  const llm = new OpenAIChatModel("trial", {}, { baseURL: `${provider}/v1`, apiKey: "trial" });
  const agent = new ToolCallingAgent({ llm, tools, memory: new UnconstrainedMemory() });
  // It asks for a last word that only a model can say, and gives up.
  const execution = { totalMaxRetries: 60, maxIterations: 60 };
  await agent.run({ prompt: "Call every tool." }, { execution }).catch((error) => {
    if (!/not able to resolve/.test(String(error))) throw error;
  });
} finally {
  for (const client of clients) await client.close();
}
process.exit(0);
