// A process that serves the echo router on its standard input and output; the test bundles and runs it.

import { createStdioEdge } from "../../packages/onym/src/gateway/stdio/create-stdio-edge.js";
import { createEchoRouter } from "./echo-router.js";

const router = createEchoRouter();
const edge = createStdioEdge({ router, input: process.stdin, output: process.stdout });
process.on("SIGUSR2", () => router.publish({ method: "notifications/tools/list_changed", params: {} }));
process.on("SIGTERM", () => void edge.close());
await edge.closed;
process.stderr.write(`${router.events.join(",")}\n`);
process.exit(0);
