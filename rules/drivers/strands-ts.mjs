// AWS Strands Agents (TypeScript).

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, McpClient } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";

const { provider, servers } = JSON.parse(process.argv[2]);
const tools = Object.values(servers).map(({ command, args, url }) =>
  url === undefined
    ? new McpClient({ transport: new StdioClientTransport({ command, args }) })
    : new McpClient({ url }),
);
try {
  const model = new OpenAIModel({
    api: "chat",
    modelId: "trial",
    apiKey: "trial",
    clientConfig: { baseURL: `${provider}/v1` },
  });
  await new Agent({ model, tools, printer: false }).invoke("Call every tool.");
} finally {
  for (const client of tools) await client.disconnect();
}
