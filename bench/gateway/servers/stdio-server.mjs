// The cheap server over stdio: node stdio-server.mjs LABEL TOOLS.

import { createLineReader } from "../load/line-reader.mjs";
import { createAnswers } from "./answer-message.mjs";

const [label, tools] = process.argv.slice(2);
const answer = createAnswers({ label, tools: Number(tools) });
let waiting = "";

process.stdin.on(
  "data",
  createLineReader((line) => {
    const text = answer(JSON.parse(line.toString()));
    if (text === undefined) return;
    if (waiting === "") queueMicrotask(flush);
    waiting += `${text}\n`;
  }),
);
process.stdin.once("end", () => process.exit(0));

/** One write for all that came in one read. */
function flush() {
  process.stdout.write(waiting);
  waiting = "";
}
