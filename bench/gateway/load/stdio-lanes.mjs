// The client over stdio: all lanes share the pipes of one child, and answers find their lane by their id.

import { createLineReader } from "./line-reader.mjs";

const ID = Buffer.from('"id":');

export function openStdioLanes({ child, readLines }, count) {
  const waiting = new Map();
  let corked = false;
  const uncork = () => {
    corked = false;
    child.stdin.uncork();
  };
  const lanes = Array.from({ length: count }, () => {
    const lane = {
      onAnswer: () => {},
      onLost: () => {},
      send(buffer, id) {
        waiting.set(id, lane);
        if (!corked) {
          corked = true;
          child.stdin.cork();
          process.nextTick(uncork);
        }
        child.stdin.write(buffer);
      },
    };
    return lane;
  });
  readLines.onLine = (line) => {
    const at = line.indexOf(ID);
    if (at < 0) return;
    const id = line.toString("latin1", at + 5, at + 15);
    const lane = waiting.get(id);
    if (lane === undefined) return;
    waiting.delete(id);
    lane.onAnswer(200, [line]);
  };
  child.once("exit", () => {
    for (const lane of lanes) lane.onLost("the gateway ended");
  });
  return { lanes, frame: (body) => `${body}\n`, close: () => {} };
}

/** Reads the child's lines for whoever listens at the time. */
export function createSharedLines(stream) {
  const shared = { onLine: () => {} };
  stream.on(
    "data",
    createLineReader((line) => shared.onLine(line)),
  );
  return shared;
}
