// Reports of requests: what they keep of the messages that they are about.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { parseMessage, type RpcRequest, readClientMessage, resultReply } from "../../mcp/message.js";
import type { CallReport } from "../../model/call-report.js";
import { ASK_TOOL, buildCaller } from "../testing/test-callers.js";
import { Observation } from "./observation.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const COUNT = 500;
const LENGTH = 7_000;
const tool = ASK_TOOL;
const resolved = { outcome: "resolved", tool, step: "public", steps: [], warnings: [] } as const;
const UNKNOWN = { outcome: "unknown", suggestions: [], steps: [], warnings: [] } as const;
const view = {
  snapshot: { tools: { lineageOf: () => ({ key: tool.key, former: [], later: [], line: [] }) } },
};
const caller = buildCaller();

/** A call as it comes in over HTTP or stdio. */
function parseCall(name: string, id: string): RpcRequest {
  const call = `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"${name}","arguments":{"text":"`;
  const parsed = parseMessage(Buffer.from(`${call}${"some text ".repeat(LENGTH / 10)}"}}}`));
  const read = parsed.ok ? readClientMessage(parsed.value, parsed.text) : undefined;
  if (read?.kind !== "request") throw new Error("not a request");
  return read.message;
}

function reportOf(request: RpcRequest, isFound: boolean): CallReport {
  const observed = new Observation(request, caller, undefined);
  const sent = String(request.params?.["name"]);
  if (isFound) observed.resolved({ kind: "found", tool, resolved, view }, sent);
  else observed.resolved({ kind: "refused", resolution: UNKNOWN }, sent);
  return observed.end(resultReply({}), false);
}

it.each([
  { what: "a tool", isFound: true },
  { what: "nothing", isFound: false },
])("keep nothing of a call that leads to $what but its name and its id (SAFE-5)", ({ isFound }) => {
  collect();
  const before = process.memoryUsage().heapUsed;
  const reports = Array.from({ length: COUNT }, (_, n) =>
    reportOf(parseCall(`search_all_issues_${n % 7}`, `request-of-a-client-${n}`), isFound),
  );
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((COUNT * LENGTH) / 3);
  expect(reports[8]).toMatchObject({ sent: "search_all_issues_1", request: "request-of-a-client-8" });
});

it("have names as they were sent, also those that are no valid Unicode", () => {
  const sent = "half \ud800 pair";
  const request = { jsonrpc: "2.0", id: sent, method: "tools/call", params: { name: sent } } as const;
  expect(reportOf(request, true)).toMatchObject({ sent, request: sent });
  expect(reportOf(request, false)).toMatchObject({ sent, request: sent });
});

it("say when each phase ended, in order, and nothing of those that were not gone through", () => {
  const observed = new Observation(parseCall("ask", "1"), caller, undefined);
  observed.resolved({ kind: "found", tool, resolved, view }, "ask");
  observed.decided({ kind: "allow", rule: "default" });
  observed.recorded("call");
  observed.replied();
  const { phases, ms } = observed.end(resultReply({}), false);
  const { resolve = -1, decide = -1, ask, record = -1, server = -1 } = phases;
  const ends = [0, resolve, decide, record, server, Math.round(ms * 1000)];
  expect(ask).toBeUndefined();
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
});
