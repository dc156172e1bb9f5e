// A scripted stdio server that also lies with every answer: it answers twice, under ids of other types, under ids that
// were never asked with or were answered long ago, and tells of progress that is nobody's. All of it is to be dropped.

import { openControl } from "../../servers/scripted-control.mjs";
import { createScriptedServer } from "../../servers/scripted-core.mjs";
import { readLines } from "../../servers/scripted-message.mjs";
import { readScript } from "../../servers/scripted-script.mjs";

const script = readScript();
const server = createScriptedServer(script);
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const peer = server.join({ tell: send });
const answered = [];
const echo = { server: script.label, raw: "a lie", nonce: "a lie" };
const lie = (id) =>
  send({
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: "a lie" }], structuredContent: echo },
  });

function reply(message) {
  if (message.result?.structuredContent === undefined) return void send(message);
  const { id } = message;
  lie(String(id));
  lie(id + 0.5);
  send({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: String(id), progress: 9 },
  });
  send(message);
  lie(id);
  lie(id + 1_000_000);
  lie(answered[(id * 7) % answered.length] ?? -id);
  lie(null);
  if (id % 50 === 0) send({ jsonrpc: "2.0", id, method: "roots/list" });
  if (answered.length < 1000) answered.push(id);
}

const exchange = { peer, tell: send, reply };
server.state.directions.extend(
  "garbage",
  ({ text = "}{ this is no JSON\n" }) => void process.stdout.write(text),
);

await openControl({ script, direct: server.direct, transport: "stdio" });
readLines(process.stdin, (line) => server.receive(JSON.parse(line), exchange));
process.stdin.once("end", () => process.exit(0));
