// What servers over stdio do wrong.

import { TOO_DEEP } from "../../packages/onym/src/mcp/json.js";
import { type Fault, RESULT, refusal, type Step, unknown } from "./fault.js";

const REPLY: Step = { do: "reply" };
const answer = (id: string, rest = '"result":{}'): Step => ({
  do: "write",
  text: `{"jsonrpc":"2.0","id":${id},${rest}}\n`,
});
const notify = (method: string, params: object, times = 1): Step => ({ do: "notify", method, params, times });
const CHANGED = notify("notifications/tools/list_changed", {});

const BROKEN = unknown(/^server "\w+" (?:is gone|broke off|is not running any more|exited|ended)/);
const NESTED = unknown(new RegExp(`answered tools/call with a result ${TOO_DEEP.reason}`));
const SILENT = unknown(/did not answer tools\/call within \d+ s/);
const NEITHER = unknown(/answered tools\/call with neither result nor error/);
const TOO_LARGE = unknown(/sent a message of more than|is gone|broke off|is not running/);
const DEAF = unknown(/did not answer|is gone|broke off|is not running/);

type Row = readonly [
  name: string,
  steps: readonly Step[],
  expect: Fault["expect"],
  ran: number,
  after?: readonly Step[],
];

const ROWS: readonly Row[] = [
  // It dies.
  ["stdio: exits before it runs the call", [{ do: "exit", code: 3 }], BROKEN, 0],
  ["stdio: exits right after it answered", [REPLY, { do: "exit", code: 0 }], RESULT, 1],
  ["stdio: is killed in a call", [{ do: "kill", signal: "SIGKILL" }], BROKEN, 0],
  [
    "stdio: half a line, then exit",
    [{ do: "write", text: '{"jsonrpc":"2.0","id":$ID,"res' }, { do: "exit" }],
    BROKEN,
    0,
  ],
  ["stdio: closes its output and stays", [{ do: "closeOutput" }], BROKEN, 0],
  ["stdio: exits and leaves a child behind", [{ do: "offspring" }, { do: "exit", code: 1 }], BROKEN, 0],
  ["stdio: a line beyond the limit", [{ do: "fill", bytes: 3_000_000 }], TOO_LARGE, 0],
  // It says nothing, or nothing that counts.
  ["stdio: never answers", [], SILENT, 0],
  ["stdio: answers another id", [answer("987654")], SILENT, 0],
  ["stdio: answers the id as text", [answer('"$ID"')], SILENT, 0],
  ["stdio: a result that is text", [answer("$ID", '"result":"text"')], NEITHER, 0],
  [
    "stdio: result and error at once",
    [answer("$ID", '"result":{},"error":{"code":1,"message":"x"}')],
    NEITHER,
    0,
  ],
  [
    "stdio: an answer nested 100,000 deep",
    [
      {
        do: "write",
        text: `{"jsonrpc":"2.0","id":$ID,"result":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}\n`,
      },
    ],
    NESTED,
    0,
  ],
  ["stdio: stops reading", [{ do: "stopReading" }, { do: "wait", ms: 4_000 }, { do: "exit" }], DEAF, 0],
  // It says too much beside its answer.
  [
    "stdio: garbage before the answer",
    [{ do: "write", text: "Listening on port 80\n{oops\n[]\nnull\n" }, REPLY],
    RESULT,
    1,
  ],
  [
    "stdio: 2,000 lines of garbage",
    [{ do: "write", text: "x y z\n".repeat(1_000), times: 2 }, REPLY],
    RESULT,
    1,
  ],
  ["stdio: bytes that are no UTF-8", [{ do: "bytes", base64: "//79wIAK" }, REPLY], RESULT, 1],
  [
    "stdio: 8 MB on standard error",
    [{ do: "stderr", text: `${"e".repeat(1_000)}\n`, times: 8_000 }, REPLY],
    RESULT,
    1,
  ],
  ["stdio: 2,000 pings", [{ do: "ask", method: "ping", times: 2_000 }, REPLY], RESULT, 1],
  [
    "stdio: 2,000 questions that nobody can answer",
    [
      { do: "ask", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 }, times: 2_000 },
      REPLY,
    ],
    RESULT,
    1,
  ],
  [
    "stdio: 2,000 log messages",
    [notify("notifications/message", { level: "info", data: "x".repeat(200) }, 2_000), REPLY],
    RESULT,
    1,
  ],
  [
    "stdio: progress of other calls",
    [notify("notifications/progress", { progressToken: "no", progress: 1 }, 2_000), REPLY],
    RESULT,
    1,
  ],
  ["stdio: answers twice", [REPLY, answer("$ID", '"error":{"code":-1,"message":"no"}')], RESULT, 1],
  [
    "stdio: cancels what it was never asked",
    [notify("notifications/cancelled", { requestId: 1 }, 100), REPLY],
    RESULT,
    1,
  ],
  [
    "stdio: an error of its own",
    [answer("$ID", '"error":{"code":-32000,"message":"no licence","data":{"x":1}}')],
    refusal(/no licence/),
    0,
  ],
  // Its lists.
  ["stdio: says 2,000 times that its list changed", [{ ...CHANGED, times: 2_000 }, REPLY], RESULT, 1],
  [
    "stdio: a list without end",
    [
      { do: "endless", on: true },
      CHANGED,
      { do: "wait", ms: 300 },
      { do: "endless", on: false },
      CHANGED,
      REPLY,
    ],
    RESULT,
    1,
  ],
  [
    "stdio: a list of 24 MB",
    [{ do: "manyTools", count: 300, bytes: 80_000 }, CHANGED, { do: "wait", ms: 300 }, REPLY],
    RESULT,
    1,
    [{ do: "tools" }, CHANGED, REPLY],
  ],
  [
    "stdio: a list of rubbish",
    [
      {
        do: "tools",
        list: [null, 1, "x", {}, { name: 7 }, { name: "act", inputSchema: { type: "object" } }],
      },
      CHANGED,
      { do: "wait", ms: 100 },
      REPLY,
    ],
    RESULT,
    1,
    [{ do: "tools" }, CHANGED, REPLY],
  ],
  // Last, because it uses up what the server may say unasked.
  [
    "stdio: 14,000 lines of garbage, more than are read at once",
    [{ do: "write", text: "x y z\n".repeat(1_000), times: 14 }, REPLY],
    SILENT,
    1,
  ],
];

/** What answers nothing is read at 1,000 messages a second after a burst of 10,000 (decision 0076): so long until it is earned. */
function quietMsBefore(steps: readonly Step[]): number {
  const messages = steps.reduce((sum, step) => {
    const lines = typeof step["text"] === "string" ? step["text"].split("\n").length : 1;
    return step.do === "stderr" ? sum : sum + lines * Number(step["times"] ?? 0);
  }, 0);
  return 1.2 * Math.min(messages, 10_000);
}

export const STDIO_FAULTS: readonly Fault[] = ROWS.map(([name, steps, expect, ran, after = []]) => ({
  name,
  expect,
  ran,
  cause: { kind: "stdio", steps, after, quietMs: quietMsBefore(steps) },
}));
