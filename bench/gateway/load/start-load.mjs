// The load as the runner sees it: jobs in, answers out, one at a time.

import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startProcess } from "../targets/start-process.mjs";

const PROGRAM = fileURLToPath(new URL("run-load.mjs", import.meta.url));

export async function startLoad({ timeoutMs = 60_000 } = {}) {
  const started = await startProcess({ args: [PROGRAM] });
  const waiting = [];
  createInterface({ input: started.child.stdout }).on("line", (line) =>
    waiting.shift()?.resolve(JSON.parse(line)),
  );
  started.child.once("exit", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the load ended: ${started.lastWords()}`));
  });
  /** The answer to a job; one that has a `problem` is thrown. */
  const ask = async (job, input) => {
    let timer;
    const answered = new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      timer = setTimeout(() => {
        // A late answer would be taken for that of the next job.
        void started.close();
        reject(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    started.child.stdin.write(`${JSON.stringify({ job, root: process.pid, ...input })}\n`);
    const answer = await answered.finally(() => clearTimeout(timer));
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer;
  };
  return { ask, close: started.close };
}
