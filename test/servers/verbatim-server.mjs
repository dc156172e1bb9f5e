// A server that answers with the very text it was sent: over stdio, or over HTTP where it is given a port (0: any),
// which it then prints. `--pretty` spreads its answers over many lines, which only HTTP allows.

import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, pretty] = process.argv.slice(2);

/** As text: what a number or an escape looks like is the point. */
function answer(text) {
  const { id, method } = JSON.parse(text);
  if (id === undefined) return undefined;
  const space = pretty === "--pretty" ? "\n  " : "";
  const frame = (result) => `{${space}"result":${space}${result},${space}"jsonrpc":"2.0","id":${id}}`;
  switch (method) {
    case "initialize":
      return frame(
        '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"verbatim","version":"1"}}',
      );
    case "tools/list":
      return frame('{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}');
    case "tools/call": {
      const sent = /"arguments":(.*?)(?:,"_meta":.*)?\}\}$/s.exec(text)?.[1] ?? "null";
      return frame(
        `{"content":[],"lines":${text.split("\n").length},${space}"structuredContent":{"sent":${sent}},"huge":12345678901234567890,"x":1.0e0}`,
      );
    }
    default:
      return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`;
  }
}

if (port === undefined) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const text = answer(line);
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
} else {
  const server = createServer((req, res) => {
    const chunks = [];
    req.on("data", (chunk) => chunks.push(chunk));
    req.on("end", () => {
      const text = req.method === "POST" ? answer(Buffer.concat(chunks).toString()) : undefined;
      res.writeHead(req.method === "POST" ? (text === undefined ? 202 : 200) : 405, {
        "content-type": "application/json",
      });
      res.end(text);
    });
  });
  server.listen(Number(port), "127.0.0.1", () => console.log(server.address().port));
}
