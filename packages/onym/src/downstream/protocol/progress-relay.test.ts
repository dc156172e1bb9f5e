import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { Clock } from "../../model/clock.js";
import { serveScriptedHttp } from "../testing/serve-scripted-http.js";
import { createTestClock, startDownstream, type TestDownstream } from "../testing/start-downstream.js";
import { MAX_PROGRESS, ProgressRelay } from "./progress-relay.js";

const path = fileURLToPath(new URL("../testing/scripted-server.mjs", import.meta.url));
const running: TestDownstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ downstream }) => downstream.close()));
});

/** No time passes. */
const CLOCK: Clock = { now: () => 0, after: () => () => {} };

const steps = (length: number): readonly number[] => Array.from({ length }, (_, at) => at + 1);

describe("the progress of one request", () => {
  it.each([
    ["one below", MAX_PROGRESS - 1, steps(MAX_PROGRESS - 1)],
    ["at", MAX_PROGRESS, steps(MAX_PROGRESS)],
    ["one above", MAX_PROGRESS + 1, steps(MAX_PROGRESS + 1)],
    ["far above", 50 * MAX_PROGRESS, [...steps(MAX_PROGRESS), 50 * MAX_PROGRESS]],
  ])(
    "over stdio, with %s the messages of a second, is passed on up to the limit, and then the newest (limits: MAX_PROGRESS of progress-relay) (SAFE-5)",
    async (_, times, expected) => {
      const test = startDownstream({
        launch: {
          kind: "stdio",
          command: process.execPath,
          args: [path],
          env: new Map(),
          cwd: process.cwd(),
        },
        clock: CLOCK,
      });
      running.push(test);
      await test.downstream.firstAttempt;
      const seen: unknown[] = [];
      await test.call(
        "tell",
        {
          notifications: steps(times).map((progress) => ({
            method: "notifications/progress",
            params: { progress },
          })),
        },
        { wantsProgress: true, notify: ({ params }) => void seen.push(params["progress"]) },
      );
      expect(seen).toEqual(expected);
    },
  );

  it("over HTTP is passed on up to the limit of a second, and then the newest, before the answer (SAFE-5)", async () => {
    const server = await serveScriptedHttp(({ body }, response) => {
      if (body?.["method"] !== "tools/call") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const progressToken = (body["params"] as { _meta: { progressToken: number } })._meta.progressToken;
      const send = (message: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      for (const progress of steps(MAX_PROGRESS + 2))
        send({ method: "notifications/progress", params: { progressToken, progress } });
      send({ id: body["id"], result: {} });
      response.end();
      return true;
    });
    const test = startDownstream({
      launch: { kind: "http", url: server.url, headers: new Map() },
      clock: CLOCK,
    });
    running.push(test);
    await test.downstream.firstAttempt;
    const seen: unknown[] = [];
    await test.call(
      "echo",
      {},
      { wantsProgress: true, notify: ({ params }) => void seen.push(params["progress"]) },
    );
    expect(seen).toEqual([...steps(MAX_PROGRESS), MAX_PROGRESS + 2]);
    await test.downstream.close();
    await server.close();
  });

  it("beyond the limit comes with the next second, and the newest first", () => {
    let now = 0;
    const clock = { ...createTestClock(), now: () => now };
    const seen: unknown[] = [];
    const relay = new ProgressRelay({ notify: ({ params }) => void seen.push(params["progress"]) }, clock);
    const pass = (progress: number): void => relay.pass({ progressToken: 7, progress });
    now = 400;
    for (const progress of steps(MAX_PROGRESS + 3)) pass(progress);
    expect([seen, clock.waits]).toEqual([steps(MAX_PROGRESS), [600]]);
    now = 1000;
    clock.fire();
    pass(MAX_PROGRESS + 4);
    relay.end();
    expect(seen.slice(MAX_PROGRESS)).toEqual([MAX_PROGRESS + 3, MAX_PROGRESS + 4]);
  });
});
