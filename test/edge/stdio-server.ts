// A process that serves the echo front on its standard input and output; the test bundles and runs it.

import { createStdioEdge } from "../../packages/onym/src/gateway/stdio/create-stdio-edge.js";
import { createEchoFront } from "./echo-router.js";

const front = createEchoFront();
const edge = createStdioEdge({ front, input: process.stdin, output: process.stdout });
process.on("SIGUSR2", () => front.publish({ method: "notifications/tools/list_changed", params: {} }));
process.on("SIGTERM", () => void edge.close());
await edge.closed;
process.stderr.write(`${front.events.join(",")}\n`);
process.exit(0);
