// Takes spans over OTLP/HTTP and counts them, as cheaply as it can: POST anything, GET tells how many came.

import { createServer } from "node:net";
import { createHttpReader } from "../load/http-reader.mjs";

/** Every span begins so. */
const SPAN = Buffer.from('{"traceId":');
let spans = 0;

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {});
  socket.on(
    "data",
    createHttpReader((head, parts) => {
      const isPost = head.startsWith("POST");
      if (isPost) spans += countIn(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      const body = isPost ? "{}" : String(spans);
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }),
  );
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`),
);
process.stdin.resume().once("end", () => process.exit(0));

function countIn(bytes) {
  let count = 0;
  for (let at = bytes.indexOf(SPAN); at >= 0; at = bytes.indexOf(SPAN, at + SPAN.length)) count += 1;
  return count;
}
