// OpenAI Agents SDK: node openai-agents-js.mjs '{"provider":URL,"servers":{NAME:{command,args}|{url}}}'

import {
  Agent,
  MCPServerStdio,
  MCPServerStreamableHttp,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
} from "@openai/agents";

const { provider, servers } = JSON.parse(process.argv[2]);
setTracingDisabled(true);
const mcpServers = Object.entries(servers).map(([name, { command, args, url }]) =>
  url === undefined
    ? new MCPServerStdio({ name, command, args })
    : new MCPServerStreamableHttp({ name, url }),
);
for (const server of mcpServers) await server.connect();
try {
  const agent = new Agent({ name: "trial", model: "trial", instructions: "Call every tool.", mcpServers });
  const modelProvider = new OpenAIProvider({
    apiKey: "trial",
    baseURL: `${provider}/v1`,
    useResponses: true,
  });
  await new Runner({ modelProvider }).run(agent, "Call every tool.", { maxTurns: 60 });
} finally {
  for (const server of mcpServers) await server.close();
}
