// D over HTTP: node sdk-http-server.mjs LABEL TOOLS.

import { sdkServerFactory } from "./sdk-server.mjs";
import { serveSdkHttp } from "./serve-sdk-http.mjs";

const [label, tools] = process.argv.slice(2);
serveSdkHttp(sdkServerFactory({ label, tools: Number(tools) }));
