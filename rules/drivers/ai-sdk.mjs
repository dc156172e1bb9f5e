// Vercel AI SDK with its MCP client.

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as Stdio } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";

const { provider, servers } = JSON.parse(process.argv[2]);
const clients = [];
for (const { command, args, url } of Object.values(servers)) {
  const transport = url === undefined ? new Stdio({ command, args }) : { type: "http", url };
  clients.push(await createMCPClient({ transport }));
}
try {
  const tools = Object.assign({}, ...(await Promise.all(clients.map((client) => client.tools()))));
  const model = createOpenAICompatible({ name: "trial", baseURL: `${provider}/v1`, apiKey: "trial" })(
    "trial",
  );
  await generateText({ model, tools, prompt: "Call every tool.", stopWhen: stepCountIs(60), maxRetries: 0 });
} finally {
  for (const client of clients) await client.close();
}
