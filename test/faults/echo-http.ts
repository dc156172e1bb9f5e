// A well-behaved MCP server over HTTP, in this process: it echoes who it is and the nonce of the call, and notes both.

import type { IncomingMessage, ServerResponse } from "node:http";
import { serveHttp, type TestServer } from "../../packages/onym/src/downstream/testing/serve-http.js";
import type { JsonObject } from "../../packages/onym/src/mcp/json.js";
import type { CallRecord } from "./call-record.js";

/** Answers one request whose body was read. */
export type Answer = (message: JsonObject, request: IncomingMessage, response: ServerResponse) => void;

/** A session is known by its number, so that one that was never begun is told from one that was. */
export function createEcho(server: string, record: CallRecord): Answer {
  const sessions = new Set<string>();
  return ({ id, method, params }, request, response) => {
    const reply = (result: object, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "initialize") {
      const session = `${server}-${sessions.size + 1}`;
      sessions.add(session);
      const serverInfo = { name: server, version: "1" };
      reply(
        { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
        { "mcp-session-id": session },
      );
      return;
    }
    if (!sessions.has(String(request.headers["mcp-session-id"]))) response.writeHead(404).end();
    else if (request.method === "GET") response.writeHead(405).end();
    else if (method === "tools/list") reply({ tools: [{ name: "act", inputSchema: { type: "object" } }] });
    else if (method === "tools/call") {
      const { nonce } = (params as { readonly arguments: { readonly nonce: string } }).arguments;
      record.note("ran", nonce);
      reply({ content: [{ type: "text", text: nonce }], structuredContent: { server, nonce } });
    } else if (id === undefined) response.writeHead(202).end();
    else reply({});
  };
}

export async function readMessageOf(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

/** The server on a port of its own, without any fault. */
export function serveEcho(server: string, record: CallRecord): Promise<TestServer> {
  const answer = createEcho(server, record);
  return serveHttp((request, response) => {
    void readMessageOf(request).then((message) => {
      if (message["method"] === "tools/call") record.note("got", nonceOf(message));
      answer(message, request, response);
    });
  });
}

export function nonceOf({ params }: JsonObject): string {
  const { arguments: args } = Object(params) as { readonly arguments?: { readonly nonce?: unknown } };
  return String(args?.nonce ?? "");
}
