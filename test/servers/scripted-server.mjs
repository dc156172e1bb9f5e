// A hand-written stdio MCP server that does what its script and its director say, right or wrong.

import { openControl } from "./scripted-control.mjs";
import { createScriptedServer } from "./scripted-core.mjs";
import { readLines } from "./scripted-message.mjs";
import { readScript } from "./scripted-script.mjs";

const script = readScript();
const server = createScriptedServer(script);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const peer = server.join({ tell: send });
const exchange = { peer, tell: send, reply: send };

server.state.directions.extend(
  "garbage",
  ({ text = "}{ this is no JSON\n" }) => void process.stdout.write(text),
);
server.state.directions.extend("stderr", ({ text }) => void process.stderr.write(text));
server.state.directions.extend("closeOutput", () => void process.stdout.end());

await openControl({ script, direct: server.direct, transport: "stdio" });
readLines(process.stdin, (line) => server.receive(JSON.parse(line), exchange));
process.stdin.once("end", () => process.exit(0));
