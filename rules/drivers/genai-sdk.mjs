// Google GenAI SDK: `mcpToTool` over clients of the MCP SDK, with automatic calling.

import { GoogleGenAI, mcpToTool } from "@google/genai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { provider, servers } = JSON.parse(process.argv[2]);
const clients = [];
for (const { command, args, url } of Object.values(servers)) {
  const client = new Client({ name: "google-genai-trial", version: "1.0.0" });
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args })
      : new StreamableHTTPClientTransport(new URL(url)),
  );
  clients.push(client);
}
try {
  const ai = new GoogleGenAI({ apiKey: "trial", httpOptions: { baseUrl: provider } });
  await ai.models.generateContent({
    model: "gemini-2.5-flash",
    contents: "Call every tool.",
    config: { tools: [mcpToTool(...clients)], automaticFunctionCalling: { maximumRemoteCalls: 60 } },
  });
} finally {
  for (const client of clients) await client.close();
}
