// The cheap server over HTTP, on raw connections: node http-server.mjs LABEL TOOLS [COUNT]. One port for each of COUNT.

import { createServer } from "node:net";
import { createHttpReader } from "../load/http-reader.mjs";
import { createAnswers } from "./answer-message.mjs";

const [label, tools, count = "1"] = process.argv.slice(2);
const ports = [];
for (let index = 0; index < Number(count); index++) {
  ports.push(await listen(createAnswers({ label: `${label}${index}`, tools: Number(tools) })));
}
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.resume().once("end", () => process.exit(0));

function listen(answer) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on(
      "data",
      createHttpReader((head, parts) => {
        if (!head.startsWith("POST"))
          return void socket.write("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
        const text = answer(JSON.parse((parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString()));
        if (text === undefined) return void socket.write("HTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n");
        const length = Buffer.byteLength(text);
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
        );
      }),
    );
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
}
