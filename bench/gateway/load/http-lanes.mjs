// The client over HTTP: one raw connection for each lane, kept alive, with one request under way at a time.

import { connect } from "node:net";
import { createHttpReader } from "./http-reader.mjs";

/** `target`: `{host, port, path, headers}`. A lane's `send(buffer)` is answered by its `onAnswer(status, parts)`. */
export async function openHttpLanes(target, count) {
  const lanes = await Promise.all(Array.from({ length: count }, () => openLane(target)));
  return {
    lanes,
    frame: (body, headers) => frame(target, body, headers),
    close: () => {
      for (const lane of lanes) lane.socket.destroy();
    },
  };
}

export function frame({ host, port, path, headers }, body, more) {
  const lines = Object.entries({
    host: `${host}:${port}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": Buffer.byteLength(body),
    ...headers,
    ...more,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function openLane({ host, port }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const lane = { socket, onAnswer: () => {}, onLost: () => {}, send: (buffer) => socket.write(buffer) };
    socket.once("connect", () => resolve(lane));
    socket.on("error", (error) => {
      reject(error);
      lane.onLost(error.message);
    });
    socket.on("close", () => lane.onLost("the connection was closed"));
    socket.on(
      "data",
      createHttpReader((head, parts) => lane.onAnswer(Number(head.slice(9, 12)), parts)),
    );
  });
}
