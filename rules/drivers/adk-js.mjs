// Google ADK: an agent with one toolset a server.

import { Gemini, InMemoryRunner, LlmAgent, MCPToolset } from "@google/adk";

const { provider, servers } = JSON.parse(process.argv[2]);
process.env.GOOGLE_GEMINI_BASE_URL = provider;
const tools = Object.values(servers).map(({ command, args, url }) =>
  url === undefined
    ? new MCPToolset({ type: "StdioConnectionParams", serverParams: { command, args } })
    : new MCPToolset({ type: "StreamableHTTPConnectionParams", url }),
);
try {
  const model = new Gemini({ model: "gemini-2.5-flash", apiKey: "trial" });
  const agent = new LlmAgent({ name: "trial", model, instruction: "Call every tool.", tools });
  const runner = new InMemoryRunner({ agent, appName: "trial" });
  const session = await runner.sessionService.createSession({ appName: "trial", userId: "user" });
  const newMessage = { role: "user", parts: [{ text: "Call every tool." }] };
  for await (const event of runner.runAsync({ userId: "user", sessionId: session.id, newMessage }))
    if (event.errorCode || event.errorMessage) throw new Error(`${event.errorCode}: ${event.errorMessage}`);
} finally {
  for (const toolset of tools) await toolset.close();
}
