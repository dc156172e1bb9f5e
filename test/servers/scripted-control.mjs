// A scripted server's line to whoever directs it: it calls them, says who it is, does what it is told, and ends with them.

import { createConnection } from "node:net";
import { readLines } from "./scripted-message.mjs";

/** Resolves once the director knows of the server: what it answers from then on, it answers under direction. */
export function openControl({ script, direct, transport, url }) {
  if (script.control === undefined) return Promise.resolve();
  const line = createConnection({ host: "127.0.0.1", port: script.control });
  const say = (value) => line.write(`${JSON.stringify(value)}\n`);
  const end = () => process.exit(0);
  line.once("connect", () => say({ hello: script.label, pid: process.pid, transport, url }));
  line.once("error", end).once("close", end);
  return new Promise((resolve) => {
    readLines(line, async (text) => {
      const { welcome, id, order } = JSON.parse(text);
      if (welcome === true) return resolve();
      try {
        say({ id, done: await direct(order) });
      } catch (error) {
        say({ id, problem: error.message });
      }
    });
  });
}
