// SDK servers over HTTP: one server for each session of a legacy client, since that costs less than the SDK's way of one
// for each request, which modern requests get.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";

export function serveSdkHttp(createSdkServer) {
  const sessions = new Map();
  const modern = toNodeHandler(createMcpHandler(createSdkServer));
  const openSession = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createSdkServer().connect(transport);
    return transport;
  };
  const answer = async (req, res) => {
    if (req.headers["mcp-method"] !== undefined) return modern(req, res);
    const transport = sessions.get(req.headers["mcp-session-id"]) ?? (await openSession());
    await transport.handleRequest(req, res);
  };
  const server = createServer((req, res) => void answer(req, res));
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`);
  });
}
