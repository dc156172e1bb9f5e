// D over HTTP: node sdk-http-server.mjs LABEL TOOLS.

import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { sdkServerFactory } from "./sdk-server.mjs";

const [label, tools] = process.argv.slice(2);
const handle = toNodeHandler(createMcpHandler(sdkServerFactory({ label, tools: Number(tools) })));
const server = createServer((req, res) => void handle(req, res));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`);
});
