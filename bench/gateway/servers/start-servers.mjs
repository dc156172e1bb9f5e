// The servers behind a gateway: HTTP ones are started here, stdio ones by the gateway itself.

import { fileURLToPath } from "node:url";
import { startProcess } from "../targets/start-process.mjs";

const HTTP = fileURLToPath(new URL("http-server.mjs", import.meta.url));
const STDIO = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
const SDK_STDIO = fileURLToPath(new URL("sdk-stdio-server.mjs", import.meta.url));

/** `servers`: id → `{url}` or `{command, args}`. `tools` is how many each of them has. */
export async function startServers({ via, count = 1, tools, sdk = false }) {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  if (via === "stdio") {
    const program = sdk ? SDK_STDIO : STDIO;
    const servers = ids.map((id) => [id, { command: process.execPath, args: [program, id, String(tools)] }]);
    return { servers: Object.fromEntries(servers), tools: count * tools, close: async () => {} };
  }
  const started = await startProcess({ args: [HTTP, "s", String(tools), String(count)], ready: /^\[.*\]/m });
  const ports = JSON.parse(started.match[0]);
  const servers = ids.map((id, index) => [id, { url: `http://127.0.0.1:${ports[index]}/mcp` }]);
  return { servers: Object.fromEntries(servers), tools: count * tools, close: started.close };
}
