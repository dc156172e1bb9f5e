// LangChain's MCP adapters, with a loop of our own in the place of a chat model: names are the adapters'.

import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const { provider, servers } = JSON.parse(process.argv[2]);
const mcpServers = Object.fromEntries(
  Object.entries(servers).map(([name, { command, args, url }]) => [
    name,
    url === undefined ? { transport: "stdio", command, args } : { transport: "http", url },
  ]),
);
const client = new MultiServerMCPClient({ mcpServers, prefixToolNameWithServerName: false });
try {
  const tools = await client.getTools();
  const messages = [{ role: "user", content: "Call every tool." }];
  for (;;) {
    const response = await fetch(`${provider}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "trial",
        messages,
        tools: tools.map((tool) => convertToOpenAITool(tool)),
      }),
    });
    const [{ message }] = (await response.json()).choices;
    messages.push(message);
    if (message.tool_calls === undefined) break;
    for (const { id, function: call } of message.tool_calls) {
      const tool = tools.find(({ name }) => name === call.name);
      const content = await tool.invoke({}).catch((error) => String(error));
      messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(content) });
    }
  }
} finally {
  await client.close();
}
