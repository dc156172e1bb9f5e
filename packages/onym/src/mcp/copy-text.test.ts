import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createLogTail } from "../console/call-log.js";
import { recordedName } from "../gateway/calls/call-audit.js";
import { clientName, Observation } from "../gateway/observe/observation.js";
import { buildSession } from "../gateway/testing/test-callers.js";
import { silentLog } from "../model/log.js";
import { copyStart, copyText } from "./json.js";
import { errorReply } from "./message.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** At least, of each text. */
const LENGTH = 3_500_000;
const COUNT = 20;

/** What stays in memory of long texts, of which only what `keep` returns is kept. */
function bytesKept(keep: (text: string) => unknown): number {
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < COUNT; n++) kept.push(keep(JSON.parse(`"${`${n} text `.repeat(LENGTH / 7)}"`)));
  collect();
  const after = process.memoryUsage().heapUsed;
  expect(kept).toHaveLength(COUNT);
  return after - before;
}

describe("the start of a text", () => {
  it.each([9, 10])("is the text itself up to the limit (%i of 10)", (length) => {
    const text = "x".repeat(length);
    expect(copyStart(text, 10)).toBe(text);
  });

  it("is cut beyond it, and half a pair replaced", () => {
    expect(copyStart("a\ud83d\ude00é\u0000bc", 5)).toBe("a\ud83d\ude00é\u0000");
    expect(copyStart("ab\ud83d\ude00", 3)).toBe("ab\ufffd");
    expect(copyText("a\ud83d\ude00é")).toBe("a\ud83d\ude00é");
  });
});

describe("what is kept of requests", () => {
  const session = buildSession();
  const observed = (request: { readonly id?: string; readonly method?: string }): unknown =>
    new Observation({ jsonrpc: "2.0", id: 1, method: "tools/call", ...request }, session, undefined).end(
      errorReply(-32601, "Method not found"),
      false,
    );
  const tail = createLogTail(silentLog, () => 0);

  it.each<[string, (text: string) => unknown]>([
    ["a start", (text) => copyStart(text, 200)],
    ["a method", (method) => observed({ method })],
    ["an id", (id) => observed({ id })],
    ["the name of a tool", recordedName],
    ["the name of a client", (name) => clientName({ clientInfo: { name } })],
    ["a line of the log", (line) => tail.log("info", line)],
  ])("%s does not keep the whole request", (_, keep) => {
    // The last one may still be on the stack.
    expect(bytesKept(keep)).toBeLessThan((COUNT / 4) * LENGTH);
  });
});
