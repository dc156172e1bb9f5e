// A proxy in front of a well-behaved HTTP server: calls whose arguments name a fault get it, everything else passes.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { JsonObject } from "../../packages/onym/src/mcp/json.js";
import type { CallRecord } from "./call-record.js";
import { createEcho, nonceOf, readMessageOf } from "./echo-http.js";

export interface ProxiedCall {
  readonly id: unknown;
  readonly nonce: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Sends an answer as it is, status line and all, and leaves the connection open. */
  readonly raw: (text: string | Buffer) => void;
  /** Sends an answer of HTTP. */
  readonly answer: (status: number, body: string, headers?: Readonly<Record<string, string>>) => void;
  /** The proper answer as text. The call has run then. */
  readonly run: () => string;
  /** Lets the server answer by itself. */
  readonly pass: () => void;
}

export type ProxyFault = (call: ProxiedCall) => void | Promise<void>;

export interface FaultProxy {
  readonly url: string;
  /** New connections are refused until `open` is called; those that are there stay. */
  readonly refuse: () => Promise<void>;
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startFaultProxy(
  server: string,
  record: CallRecord,
  faults: ReadonlyMap<string, ProxyFault>,
): Promise<FaultProxy> {
  const echo = createEcho(server, record);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message = await readMessageOf(request);
    const nonce = nonceOf(message);
    if (message["method"] === "tools/call") record.note("got", nonce);
    const fault = faults.get(faultOf(message));
    const pass = (): void => echo(message, request, response);
    if (fault === undefined) pass();
    else await fault(proxiedCall({ message, nonce, server, record, response, pass }));
  };
  const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // Who goes away meanwhile has nothing to be told.
    response.on("error", () => {});
    serve(request, response).catch(() => response.destroy());
  });
  http.on("connection", (socket) => socket.on("error", () => {}));
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void http.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = http.address() as AddressInfo;
  let stopped: Promise<void> = Promise.resolve();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    refuse: async () => {
      stopped = new Promise((resolve) => void http.close(() => resolve()));
      http.closeAllConnections();
      await stopped;
    },
    open: () => listen(port),
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function faultOf({ method, params }: JsonObject): string {
  const { arguments: args } = Object(params) as { readonly arguments?: { readonly fault?: unknown } };
  return method === "tools/call" ? String(args?.fault ?? "") : "";
}

interface Proxied {
  readonly message: JsonObject;
  readonly nonce: string;
  readonly server: string;
  readonly record: CallRecord;
  readonly response: ServerResponse;
  readonly pass: () => void;
}

function proxiedCall({ message, nonce, server, record, response, pass }: Proxied): ProxiedCall {
  const { id } = message;
  const socket = response.socket as Socket;
  return {
    id,
    nonce,
    response,
    socket,
    pass,
    raw: (text) => void socket.write(text),
    answer: (status, body, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    },
    run: () => {
      record.note("ran", nonce);
      const result = { content: [{ type: "text", text: nonce }], structuredContent: { server, nonce } };
      return JSON.stringify({ jsonrpc: "2.0", id, result });
    },
  };
}
