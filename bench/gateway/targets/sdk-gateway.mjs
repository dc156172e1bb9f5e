// N, a straightforward gateway on the classes of SDK v2, as one would write it first: connect to each server, list them
// all when asked, take the prefix off a call and pass it on. node sdk-gateway.mjs CONFIG, as for the pass-through.

import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { serveSdkHttp } from "../servers/serve-sdk-http.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const clients = new Map();
for (const [id, { url, command, args }] of Object.entries(config.servers)) {
  const client = new Client({ name: "sdk-gateway", version: "1.0.0" });
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url)),
  );
  clients.set(id, client);
}

const createGateway = () => {
  const server = new Server({ name: "sdk-gateway", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => {
    const lists = await Promise.all(
      [...clients].map(async ([id, client]) => {
        const { tools } = await client.listTools();
        return tools.map((tool) => ({ ...tool, name: `${id}_${tool.name}` }));
      }),
    );
    return { tools: lists.flat() };
  });
  server.setRequestHandler("tools/call", ({ params }) => {
    const end = params.name.indexOf("_");
    const client = clients.get(params.name.slice(0, end));
    return client.callTool({ name: params.name.slice(end + 1), arguments: params.arguments });
  });
  return server;
};

if (config.in === "stdio") {
  serveStdio(createGateway);
  process.stdin.once("end", () => process.exit(0));
} else serveSdkHttp(createGateway);
