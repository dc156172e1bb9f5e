// A real HTTP server for a test, on its own port.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
  /** Takes no new connections; resolves when the last open one has ended. */
  readonly stopListening: () => Promise<void>;
}

export async function serveHttp(listener: RequestListener, port = 0): Promise<TestServer> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${taken}/mcp`,
    port: taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    stopListening: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
