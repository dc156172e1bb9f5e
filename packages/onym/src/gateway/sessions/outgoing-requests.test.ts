// Requests of servers to a client: what is kept of them until the client answers.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { errorReply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import type { Router } from "../router.js";
import { createInFlightRequests, Drain } from "./in-flight-requests.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const COUNT = 20;
const LENGTH = 3_500_000;

it("keep nothing of their params once they are sent (SAFE-5)", async () => {
  const unused: Pick<Router, "handle"> = { handle: async () => errorReply(0, "") };
  const requests = createInFlightRequests({
    router: unused as Router,
    pending: COUNT,
    log: silentLog,
    drain: new Drain(),
  });
  let sent = 0;
  const sink = {
    send: ({ length }: string): boolean => {
      sent += length;
      return true;
    },
  };
  collect();
  const before = process.memoryUsage().heapUsed;
  const open = Array.from({ length: COUNT }, (_, n) => {
    const params = JSON.parse(`{"message":"${`${n} text `.repeat(LENGTH / 7)}"}`);
    const { signal } = new AbortController();
    return requests.sendRequest({ method: "elicitation/create", params }, signal, sink);
  });
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(LENGTH);
  expect(sent).toBeGreaterThan(COUNT * LENGTH);
  requests.close();
  for (const reply of await Promise.all(open)) expect(reply.kind).toBe("error");
});
