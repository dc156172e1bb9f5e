// LlamaIndex.TS: an agent with the tools of `mcp()`.

import { OpenAI } from "@llamaindex/openai";
import { mcp } from "@llamaindex/tools";
import { agent } from "@llamaindex/workflow";

const { provider, servers } = JSON.parse(process.argv[2]);
const clients = Object.values(servers).map(({ command, args, url }) =>
  mcp(url === undefined ? { command, args } : { url }),
);
try {
  const tools = [];
  for (const client of clients) tools.push(...(await client.tools()));
  const llm = new OpenAI({
    model: "gpt-4o",
    apiKey: "trial",
    baseURL: `${provider}/v1`,
    additionalSessionOptions: { baseURL: `${provider}/v1` },
  });
  await agent({ tools, llm, timeout: 120 }).run("Call every tool.");
} finally {
  for (const client of clients) await client.cleanup();
}
