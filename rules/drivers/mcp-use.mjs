// mcp-use 1.x: its agent with LangChain's chat model.

import { ChatOpenAI } from "@langchain/openai";
import { MCPAgent, MCPClient } from "mcp-use";

const { provider, servers } = JSON.parse(process.argv[2]);
const client = new MCPClient({ mcpServers: servers });
try {
  const llm = new ChatOpenAI({
    model: "trial",
    apiKey: "trial",
    configuration: { baseURL: `${provider}/v1` },
  });
  await new MCPAgent({ llm, client, maxSteps: 60 }).run("Call every tool.");
} finally {
  await client.closeAllSessions();
}
process.exit(0);
