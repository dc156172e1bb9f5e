// Hugging Face Tiny Agents.

import { Agent } from "@huggingface/mcp-client";

const { provider, servers } = JSON.parse(process.argv[2]);
const agent = new Agent({
  endpointUrl: `${provider}/v1`,
  model: "trial",
  apiKey: "trial",
  servers: Object.values(servers).map(({ command, args, url }) =>
    url === undefined ? { type: "stdio", config: { command, args } } : { type: "http", config: { url } },
  ),
});
try {
  await agent.loadTools();
  // It ends after ten turns; the conversation goes on where it was.
  for (let turn = 0; turn < 2; turn++) {
    const input = turn === 0 ? "Call every tool." : "Go on.";
    for await (const _part of agent.run(input));
  }
} finally {
  await agent.cleanup();
}
