// The client of HTTP with SSE (2024-11-05), for gateways that offer nothing newer: requests are posted, answers come on
// one stream.

import { connect } from "node:net";
import { frame } from "./http-lanes.mjs";
import { createHttpReader } from "./http-reader.mjs";
import { createLineReader } from "./line-reader.mjs";
import { openStdioSession } from "./open-session.mjs";

let stream;

/** Lanes post over connections of their own and share the stream. */
export async function openSseLanes(target, count) {
  stream ??= await openStream(target);
  const { waiting, path } = stream;
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(target)));
  const lanes = sockets.map((socket) => {
    const lane = {
      onAnswer: () => {},
      onLost: () => {},
      send(buffer, id) {
        waiting.set(id, lane);
        socket.write(buffer);
      },
    };
    socket.on(
      "data",
      createHttpReader((head, parts) => {
        if (!head.startsWith("HTTP/1.1 2")) lane.onAnswer(Number(head.slice(9, 12)), parts);
      }),
    );
    socket.on("close", () => lane.onLost("the connection was closed"));
    return lane;
  });
  return {
    lanes,
    frame: (body, headers) => frame({ ...target, path }, body, headers),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function openStream(target) {
  const socket = await openSocket(target);
  const waiting = new Map();
  const opened = { waiting, path: undefined };
  const shared = { onLine: () => {} };
  const path = new Promise((resolve, reject) => {
    socket.on("close", () => reject(new Error("the stream ended")));
    let event = "";
    const readLine = createLineReader((line) => {
      const text = line.toString("latin1", 0, 12);
      if (text.startsWith("event:")) event = line.toString().slice(6).trim();
      if (!text.startsWith("data:")) return;
      const data = line.subarray(line[5] === 32 ? 6 : 5);
      if (event === "endpoint") return resolve(data.toString().trim());
      const at = data.indexOf('"id":');
      const id = at < 0 ? undefined : data.toString("latin1", at + 5, at + 15);
      const lane = waiting.get(id);
      if (lane === undefined) return shared.onLine(data);
      waiting.delete(id);
      lane.onAnswer(200, [data]);
    });
    socket.on("data", createChunkStripper(readLine));
  });
  socket.write(
    `GET ${target.path} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\naccept: text/event-stream\r\n\r\n`,
  );
  opened.path = new URL(await path, `http://${target.host}`);
  opened.path = opened.path.pathname + opened.path.search;
  const poster = await openSocket(target);
  poster.on("data", () => {});
  const stdin = { write: (line) => poster.write(frame({ ...target, path: opened.path }, line.trim(), {})) };
  await openStdioSession({ child: { stdin, once: () => {} }, readLines: shared }, "legacy");
  return opened;
}

/** The head is passed over, and of the chunks only what is in them is handed on. */
function createChunkStripper(onData) {
  let rest = Buffer.alloc(0);
  let open = -1;
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    if (open === -1) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      rest = rest.subarray(end + 4);
      open = 0;
    }
    while (rest.length > 0) {
      if (open === 0) {
        const end = rest.indexOf("\r\n");
        if (end < 0) return;
        const length = end === 0 ? 0 : Number.parseInt(rest.latin1Slice(0, end), 16);
        rest = rest.subarray(end + 2);
        open = length;
        continue;
      }
      const piece = rest.subarray(0, open);
      open -= piece.length;
      rest = rest.subarray(piece.length);
      onData(piece);
    }
  };
}

function openSocket({ host, port }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.on("error", reject);
  });
}
