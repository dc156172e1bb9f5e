// A legacy MCP server over HTTP that follows a test's script, and records what it receives.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "../../mcp/json.js";
import { serveHttp, type TestServer } from "./serve-http.js";

interface Received {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject | undefined;
}

export interface ScriptedHttp extends TestServer {
  readonly received: Received[];
  /** Forgets all sessions. */
  readonly forget: () => void;
  /** The open GET streams. */
  readonly streams: Set<ServerResponse>;
}

/** Returns `true` if it handled the request. */
export type Script = (request: Received, response: ServerResponse) => boolean;

export const sendJson = (response: ServerResponse, value: unknown, status = 200): boolean => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  return true;
};

export const sendEvent = (response: ServerResponse, value: unknown, id?: string): void => {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(
    `${id === undefined ? "" : `id: ${id}\n`}data: ${value === "" ? "" : JSON.stringify(value)}\n\n`,
  );
};

export async function serveScriptedHttp(script: Script, port = 0): Promise<ScriptedHttp> {
  const received: Received[] = [];
  const streams = new Set<ServerResponse>();
  let sessions = 0;
  let session: string | undefined;
  const serve = (request: Received, response: ServerResponse): boolean => {
    const { method, body, headers } = request;
    if (script(request, response)) return true;
    const id = body?.["id"];
    if (body?.["method"] === "initialize") {
      sessions += 1;
      session = `session-${sessions}`;
      response.setHeader("mcp-session-id", session);
      const capabilities = { tools: { listChanged: true } };
      const result = {
        protocolVersion: "2025-11-25",
        capabilities,
        serverInfo: { name: `life-${sessions}` },
      };
      return sendJson(response, { jsonrpc: "2.0", id, result });
    }
    if (headers["mcp-session-id"] === undefined) return sendJson(response, { error: "no session" }, 400);
    if (headers["mcp-session-id"] !== session) return sendJson(response, { error: "gone" }, 404);
    if (method === "GET") {
      streams.add(response);
      response.on("close", () => streams.delete(response));
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return true;
    }
    if (id === undefined || body?.["method"] === undefined) {
      response.writeHead(202).end();
      return true;
    }
    const result =
      body["method"] === "tools/list" ? { tools: [{ name: "echo" }] } : { content: [], sent: body["params"] };
    return sendJson(response, { jsonrpc: "2.0", id, result });
  };
  const server = await serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const one = {
        method: request.method ?? "",
        headers: request.headers,
        body: text === "" ? undefined : (JSON.parse(text) as JsonObject),
      };
      received.push(one);
      serve(one, response);
    });
  }, port);
  return {
    ...server,
    received,
    streams,
    forget: () => {
      session = "forgotten";
    },
  };
}
