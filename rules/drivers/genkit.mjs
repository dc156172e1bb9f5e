// Genkit: its MCP host with a model of the OpenAI plugin.

import openAI from "@genkit-ai/compat-oai/openai";
import { createMcpHost } from "@genkit-ai/mcp";
import { genkit } from "genkit";

const { provider, servers } = JSON.parse(process.argv[2]);
const ai = genkit({
  plugins: [openAI({ apiKey: "trial", baseURL: `${provider}/v1` })],
});
const host = createMcpHost({ mcpServers: servers });
try {
  await host.ready();
  const tools = await host.getActiveTools(ai);
  await ai.generate({ model: openAI.model("gpt-4o"), prompt: "Call every tool.", tools, maxTurns: 60 });
} finally {
  await host.close();
}
process.exit(0);
