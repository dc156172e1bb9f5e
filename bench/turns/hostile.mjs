// A server whose answers have the shapes of shapes.mjs, over stdio, or over HTTP (json or sse): node hostile.mjs stdio|json|sse.
// `SHAPE BYTES PLACE` is what a call, a prompt or a resource asks for.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { SHAPES } from "./shapes.mjs";

const [, , transport] = process.argv;
const CAPABILITIES = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };

const ANSWERS = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: { name: "hostile", version: "1" },
    }),
  "tools/list": () => JSON.stringify({ tools: [{ name: "shape", inputSchema: { type: "object" } }] }),
  "prompts/list": () =>
    JSON.stringify({ prompts: [{ name: "shape", arguments: [{ name: "wanted", required: true }] }] }),
  "resources/list": () => JSON.stringify({ resources: [] }),
  "resources/templates/list": () =>
    JSON.stringify({ resourceTemplates: [{ name: "shape", uriTemplate: "shape://{+wanted}" }] }),
  "tools/call": ({ arguments: { wanted } }) => shaped(wanted ?? "plain 10 result"),
  "prompts/get": ({ arguments: { wanted } }) =>
    shaped(wanted).replace(/^\{"content":/, '{"messages":[],"content":'),
  "resources/read": ({ uri }) => {
    const wanted = decodeURIComponent(uri.slice("shape://".length));
    const text = SHAPES[wanted.split(" ")[0]](Number(wanted.split(" ")[1]));
    return text.replace('{"content":[{"type":"text",', `{"contents":[{"uri":${JSON.stringify(uri)},`);
  },
  "completion/complete": ({ argument: { value } }) =>
    shaped(value).replace('{"content":[', '{"completion":{"values":[]},"content":['),
};

function shaped(wanted) {
  const [shape, bytes] = wanted.split(" ");
  return SHAPES[shape](Number(bytes));
}

/** The messages that answer a request, as bytes. */
function answer({ id, method, params }) {
  const build = ANSWERS[method];
  if (build === undefined)
    return [`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no such method"}}`];
  const wanted = params?.arguments?.wanted ?? "";
  const [, , place = "result"] = wanted.split(" ");
  const token = params?._meta?.progressToken ?? 0;
  const done = `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
  const value = build(params ?? {});
  switch (place) {
    case "error":
      return [`{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"no","data":${value}}}`];
    case "message":
      return [
        `{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":${value.slice(value.indexOf('"text":') + 7, -3)}}}`,
      ];
    case "progress":
      return [
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1,"x":${value}}}`,
        done,
      ];
    case "log":
      return [
        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${value}}}`,
        done,
      ];
    case "sampling":
      return [
        `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"x":${value}}}`,
        done,
      ];
    case "unknown":
      return [`{"jsonrpc":"2.0","id":"q","method":"x","params":${value}}`, done];
    case "stray":
      return [`{"jsonrpc":"2.0","id":99999999,"result":${value}}`, done];
    case "batch":
      return [`[{"jsonrpc":"2.0","id":${id},"result":${value}}]`];
    case "last":
      return [`{"result":${value},"jsonrpc":"2.0","id":${id}}`];
    case "garbage":
      return [value.slice(1), done];
    case "envelope":
      return [`{"jsonrpc":"2.0","x":${value},"id":${id},"result":{}}`, done];
    case "latin1":
      return [Buffer.concat([Buffer.from(value), Buffer.from([0xe9])]), done];
    case "newline":
      return [`{"jsonrpc":"2.0","id":${id},"result":${value.slice(0, -1)},\n"x":1}}`];
    default:
      return [`{"jsonrpc":"2.0","id":${id},"result":${value}}`];
  }
}

if (transport === "stdio")
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined || message.method === undefined) return;
      for (const each of answer(message)) {
        process.stdout.write(each);
        process.stdout.write("\n");
      }
    })
    .once("close", () => process.exit(0));
else
  createServer(async (req, res) => {
    if (req.method !== "POST") return void res.writeHead(405).end();
    const parts = [];
    for await (const part of req) parts.push(part);
    const message = JSON.parse(Buffer.concat(parts).toString());
    if (message.id === undefined || message.method === undefined) return void res.writeHead(202).end();
    const all = answer(message);
    if (transport === "json") {
      res.writeHead(200, { "content-type": "application/json" });
      res.end(all[0]);
      return;
    }
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const each of all) {
      res.write("data: ");
      res.write(String(each).replaceAll("\n", "\ndata: ").replaceAll("\r", "\rdata: "));
      res.write("\n\n");
    }
    res.end();
  }).listen(0, "127.0.0.1", function listening() {
    process.stdout.write(`${this.address().port}\n`);
  });
