// D over stdio: node sdk-stdio-server.mjs LABEL TOOLS.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { sdkServerFactory } from "./sdk-server.mjs";

const [label, tools] = process.argv.slice(2);
serveStdio(sdkServerFactory({ label, tools: Number(tools) }));
