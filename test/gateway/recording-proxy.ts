// A proxy in front of an HTTP server that remembers the headers of all that passes.

import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  readonly url: string;
  readonly headers: readonly IncomingHttpHeaders[];
  readonly close: () => Promise<void>;
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((req, res) => {
    headers.push(req.headers);
    const { host: _, ...passed } = req.headers;
    const onward = request(target, { method: req.method, headers: passed }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    res.on("close", () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname}`,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
