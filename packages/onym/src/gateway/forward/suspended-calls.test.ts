import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CancelSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import { buildExchange } from "../testing/test-callers.js";
import { createParkedCalls, PATIENCE_MS, type ParkedPorts } from "./suspended-calls.js";

const NEVER = new AbortController().signal;
const SUBJECT = {
  method: "tools/call",
  params: { name: "ask", arguments: { a: 1, b: 2 } },
  principal: "ann",
  callerKey: "ann",
};
const elicit = (message: string) => ({ method: "elicitation/create", params: { message } });

interface Asked {
  readonly requestState: string;
  readonly inputRequests: Record<string, { readonly method: string; readonly params: JsonObject }>;
}

function askedIn(reply: Reply): Asked {
  if (reply.kind !== "result") throw new Error(JSON.stringify(reply));
  expect(reply.result["resultType"]).toBe("input_required");
  return reply.result as unknown as Asked;
}

function retry(state: string, inputResponses: unknown, params: JsonObject = SUBJECT.params) {
  return {
    method: "tools/call",
    params: { ...params, requestState: state, inputResponses },
    principal: "ann",
    callerKey: "ann",
  };
}

/** Asks so many questions at once, and answers with what it was told. */
function asking(count: number) {
  return async ({ answer }: ParkedPorts): Promise<Reply> => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => answer(elicit(`question ${n}`), NEVER)),
    );
    return resultReply({ answers });
  };
}

describe("a parked call", () => {
  it("answers at once where nothing is asked", async () => {
    const calls = createParkedCalls();
    expect(await calls.begin(SUBJECT, buildExchange(), async () => resultReply({ done: 1 }))).toEqual(
      resultReply({ done: 1 }),
    );
  });

  it("puts several questions in one result, and goes on with the answers", async () => {
    const calls = createParkedCalls();
    const { requestState, inputRequests } = askedIn(await calls.begin(SUBJECT, buildExchange(), asking(3)));
    expect(Object.keys(inputRequests)).toEqual(["question-1", "question-2", "question-3"]);
    expect(inputRequests["question-2"]).toEqual(elicit("question 1"));
    const responses = { "question-1": { n: 1 }, "question-2": { n: 2 }, "question-3": { n: 3 } };
    expect(await calls.resume(retry(requestState, responses), buildExchange(), requestState)).toEqual(
      resultReply({ answers: [1, 2, 3].map((n) => resultReply({ n })) }),
    );
  });

  it("is refused to anybody else, and still waits for whose it is", async () => {
    const calls = createParkedCalls();
    const { requestState } = askedIn(await calls.begin(SUBJECT, buildExchange(), asking(1)));
    const subject = retry(requestState, { "question-1": { n: 1 } });
    const stolen = await calls.resume({ ...subject, principal: "eve" }, buildExchange(), requestState);
    expect(stolen).toMatchObject({ kind: "error", error: { code: -32602 } });
    expect(await calls.resume(subject, buildExchange(), requestState)).toMatchObject({ kind: "result" });
  });

  it("asks again for what was not answered, or answered with no object", async () => {
    const calls = createParkedCalls();
    const first = askedIn(await calls.begin(SUBJECT, buildExchange(), asking(2)));
    const responses = { "question-1": { n: 1 }, "question-2": "text", __proto__: { "question-2": {} } };
    const again = askedIn(
      await calls.resume(retry(first.requestState, responses), buildExchange(), first.requestState),
    );
    expect(again.requestState).toBe(first.requestState);
    expect(Object.keys(again.inputRequests)).toEqual(["question-2"]);
    const rest = retry(first.requestState, { "question-2": { n: 2 } });
    expect(await calls.resume(rest, buildExchange(), first.requestState)).toEqual(
      resultReply({ answers: [resultReply({ n: 1 }), resultReply({ n: 2 })] }),
    );
  });

  it("is known to nobody with another state, other arguments, another method, or twice at once", async () => {
    const calls = createParkedCalls();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildExchange(), async ({ answer }) => {
        await answer(elicit("one"), NEVER);
        return answer(elicit("two"), NEVER);
      }),
    );
    const refused = { kind: "error", error: { code: -32602 } };
    const good = retry(requestState, { "question-1": { n: 1 } });
    expect(await calls.resume(good, buildExchange(), "onym-other")).toMatchObject(refused);
    const otherArguments = retry(requestState, {}, { name: "ask", arguments: { a: 1, b: 3 } });
    expect(await calls.resume(otherArguments, buildExchange(), requestState)).toMatchObject(refused);
    const otherMethod = { ...good, method: "prompts/get" };
    expect(await calls.resume(otherMethod, buildExchange(), requestState)).toMatchObject(refused);

    // The order of keys and the envelope of the retry do not make another call.
    const same = retry(
      requestState,
      { "question-1": { n: 1 } },
      { _meta: { progressToken: 9 }, arguments: { b: 2, a: 1 }, name: "ask" },
    );
    const attended = calls.resume(same, buildExchange(), requestState);
    expect(await calls.resume(good, buildExchange(), requestState)).toMatchObject(refused);
    expect(Object.keys(askedIn(await attended).inputRequests)).toEqual(["question-2"]);
  });

  it("keeps an outcome that comes while nobody listens, and gives it out once", async () => {
    const calls = createParkedCalls();
    const withdrawal = new AbortController();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildExchange(), async ({ answer }) => {
        await answer(elicit("one"), withdrawal.signal);
        return resultReply({ done: 1 });
      }),
    );
    withdrawal.abort();
    await nextTurn();
    const again = retry(requestState, { "question-1": {} });
    expect(await calls.resume(again, buildExchange(), requestState)).toEqual(resultReply({ done: 1 }));
    expect(await calls.resume(again, buildExchange(), requestState)).toMatchObject({ kind: "error" });
  });

  it("tells its notices to the exchange that attends it, and to none in between", async () => {
    const calls = createParkedCalls();
    const [before, after] = [buildExchange(), buildExchange()];
    let ports: ParkedPorts | undefined;
    const notice = (n: number) => ({ method: "notifications/message", params: { n } });
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, before, async (given) => {
        ports = given;
        given.tell(notice(1));
        await given.answer(elicit("one"), NEVER);
        given.tell(notice(3));
        return resultReply({});
      }),
    );
    ports?.tell(notice(2));
    await calls.resume(retry(requestState, { "question-1": {} }), after, requestState);
    expect([before.told, after.told]).toEqual([[notice(1)], [notice(3)]]);
  });

  it("ends with the exchange that is aborted", async () => {
    const calls = createParkedCalls();
    const cancelled = new AbortController();
    const reply = calls.begin(
      SUBJECT,
      buildExchange({ signal: cancelled.signal }),
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(errorReply(-32603, "cancelled"))),
        ),
    );
    cancelled.abort();
    expect(await reply).toEqual(errorReply(-32603, "cancelled"));
  });

  it("does not end when an exchange that it left long ago is aborted", async () => {
    const calls = createParkedCalls();
    const gone = new AbortController();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildExchange({ signal: gone.signal }), asking(1)),
    );
    gone.abort();
    const again = retry(requestState, { "question-1": { n: 1 } });
    expect(await calls.resume(again, buildExchange(), requestState)).toMatchObject({ kind: "result" });
  });

  it("answers with an error where the work throws", async () => {
    const calls = createParkedCalls();
    const reply = calls.begin(SUBJECT, buildExchange(), () => Promise.reject(new Error("a secret")));
    expect(JSON.stringify(await reply)).toContain("-32603");
    expect(JSON.stringify(await reply)).not.toContain("secret");
  });

  it("does not ask what was withdrawn before it could be asked", async () => {
    const calls = createParkedCalls();
    expect(
      await calls.begin(SUBJECT, buildExchange(), ({ answer }) => answer(elicit("one"), AbortSignal.abort())),
    ).toMatchObject({ kind: "error" });
  });

  it("counts only those that wait for their clients, and refuses the question beyond", async () => {
    const calls = createParkedCalls({ max: 1 });
    const running = calls.begin(SUBJECT, buildExchange(), () => new Promise(() => {}));
    askedIn(await calls.begin(SUBJECT, buildExchange(), asking(1)));
    const refused = await calls.begin(SUBJECT, buildExchange(), asking(1));
    expect(JSON.stringify(refused)).toContain("Too many calls wait");
    expect(refused).toMatchObject({ kind: "result" });
    void running;
  });

  it("leaves others their share: one below, at and above what a caller may have open (SAFE-5)", async () => {
    const calls = createParkedCalls({ maxOwn: () => 2 });
    const begin = (callerKey: string) =>
      calls.begin({ ...SUBJECT, callerKey }, buildExchange(), async ({ answer }) =>
        answer(elicit("?"), NEVER),
      );
    const first = askedIn(await begin("ann"));
    askedIn(await begin("ann"));
    expect(await begin("ann")).toMatchObject({
      kind: "error",
      error: { data: { limit: "callerQuestions", max: 2, retryAfterMs: 5000 } },
    });
    askedIn(await begin("bob"));
    const answered = retry(first.requestState, { "question-1": {} });
    await calls.resume(answered, buildExchange(), first.requestState);
    askedIn(await begin("ann"));
  });

  it("is let go of by closeAll, and its downstream told", async () => {
    const calls = createParkedCalls();
    let signal: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildExchange(), (ports) => {
        signal = ports.signal;
        return asking(1)(ports);
      }),
    );
    calls.closeAll();
    expect(signal?.aborted).toBe(true);
    expect(await calls.resume(retry(requestState, {}), buildExchange(), requestState)).toMatchObject({
      kind: "error",
    });
  });
});

describe("the patience with a client", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends, and with it the call", async () => {
    const calls = createParkedCalls();
    let signal: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildExchange(), (ports) => {
        signal = ports.signal;
        return asking(1)(ports);
      }),
    );
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(signal?.aborted).toBe(true);
    const late = retry(requestState, { "question-1": {} });
    expect(await calls.resume(late, buildExchange(), requestState)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("expired") },
    });
  });

  it("begins anew with each question", async () => {
    const calls = createParkedCalls();
    const { requestState } = askedIn(await calls.begin(SUBJECT, buildExchange(), asking(2)));
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    askedIn(
      await calls.resume(retry(requestState, { "question-1": { n: 1 } }), buildExchange(), requestState),
    );
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    const last = retry(requestState, { "question-2": { n: 2 } });
    expect(await calls.resume(last, buildExchange(), requestState)).toMatchObject({ kind: "result" });
  });
});
