import { afterEach, describe, expect, it } from "vitest";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import { sendEvent, serveScriptedHttp } from "../testing/serve-scripted-http.js";
import { createTestClock, startDownstream } from "../testing/start-downstream.js";
import type { HttpFailure } from "./http-client.js";
import { MAX_POSTS, PostQueue } from "./post-queue.js";

const FAILED: HttpFailure = {
  kind: "failed",
  reason: "",
  hint: "",
  unreachable: false,
  mayHaveRun: true,
};

/** A queue whose posts are answered when the test says so. */
function createQueue(limit: number) {
  const clock = createTestClock();
  const posted: string[] = [];
  const answers: (() => void)[] = [];
  const dropped: number[] = [];
  const post = (body: string, signal: CancelSignal): Promise<HttpFailure> => {
    posted.push(body);
    return new Promise((resolve) => {
      const answer = (): void => resolve(FAILED);
      answers.push(answer);
      signal.addEventListener("abort", answer);
    });
  };
  const queue = new PostQueue({ post, clock, limit, onDropped: (messages) => dropped.push(messages) });
  const push = (count: number): void => {
    for (let n = 0; n < count; n += 1) queue.push(String(n));
  };
  return { queue, clock, posted, answers, dropped, push };
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

describe("messages that are posted without waiting", () => {
  it("are on their way in small numbers, and the rest waits: one below, at and one above (limits: MAX_POSTS of post-queue) (SAFE-5)", async () => {
    for (const [count, onTheirWay] of [
      [MAX_POSTS - 1, MAX_POSTS - 1],
      [MAX_POSTS, MAX_POSTS],
      [MAX_POSTS + 1, MAX_POSTS],
    ] as const) {
      const { push, posted, answers } = createQueue(1);
      push(count);
      expect(posted).toHaveLength(onTheirWay);
      answers[0]?.();
      await new Promise(setImmediate);
      expect(posted).toHaveLength(count);
    }
  });

  it("are dropped where too many wait, which is told (SAFE-5)", () => {
    const { push, posted, dropped } = createQueue(2);
    push(MAX_POSTS + 2);
    expect(dropped).toEqual([]);
    push(2);
    expect([posted.length, dropped]).toEqual([MAX_POSTS, [1]]);
  });

  it("are given up if they are not answered, so that others follow (SAFE-5)", async () => {
    const { push, posted, clock, dropped } = createQueue(100);
    push(MAX_POSTS + 3);
    expect(new Set(clock.waits)).toEqual(new Set([30_000]));
    clock.fire();
    await new Promise(setImmediate);
    expect([posted.length, dropped]).toEqual([MAX_POSTS + 3, [1]]);
  });

  it("wait no more once the queue is closed", async () => {
    const { queue, push, posted, answers } = createQueue(100);
    push(MAX_POSTS + 1);
    queue.close();
    answers[0]?.();
    await new Promise(setImmediate);
    expect(posted).toHaveLength(MAX_POSTS);
  });

  it("hold few connections to a server that asks and takes no answer, and its calls go on (SAFE-5)", async () => {
    let held = 0;
    const server = await serveScriptedHttp(({ method, body }) => {
      const isReply = method === "POST" && body?.["method"] === undefined;
      if (isReply) held += 1;
      return isReply;
    });
    const test = startDownstream({ launch: { kind: "http", url: server.url, headers: new Map() } });
    closing.push(() => test.downstream.close(), server.close);
    await test.downstream.firstAttempt;
    await test.call("echo");
    for (const stream of server.streams)
      for (let id = 0; id < 5 * MAX_POSTS; id += 1) sendEvent(stream, { jsonrpc: "2.0", id, method: "ping" });
    // Behind the pings of the stream.
    for (const stream of server.streams)
      sendEvent(stream, { jsonrpc: "2.0", method: "notifications/test/done" });
    await test.until(() => test.notifications.some(({ method }) => method === "notifications/test/done"));
    for (let n = 0; n < 3; n += 1) expect(await test.call("echo")).toMatchObject({ kind: "result" });
    expect(held).toBe(MAX_POSTS);
  });
});
