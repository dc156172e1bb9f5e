import { setImmediate as nextTurn } from "node:timers/promises";
import type { Tool, ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestClock } from "../../../../../test/edge/serve-edge.js";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { systemEdgeClock } from "../../model/clock.js";
import { silentLog } from "../../model/log.js";
import { createAdmissions } from "../auth/create-authenticator.js";
import type { OngoingDecision } from "../calls/guard.js";
import {
  CALLER_REQUESTS,
  callerKey,
  createQuotas,
  HeldRequest,
  RequestBytes,
} from "../sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";
import { ASK_TOOL, buildCaller, buildGuardedCall, buildRequestContext } from "../testing/test-callers.js";
import {
  CLIENT_ANSWER_TIMEOUT_MS,
  createSuspendedCalls,
  MAX_OPEN_REQUESTS,
  MAX_REQUESTS_LENGTH,
  type SuspendedCallPorts,
} from "./suspended-calls.js";

const NEVER = new AbortController().signal;
const SUBJECT = buildGuardedCall({ name: "ask", arguments: { a: 1, b: 2 } }, buildCaller(callerNamed("ann")));
const asTool = (more: Partial<Tool>) =>
  ({ target: { kind: "tool", identity: { ...ASK_TOOL, ...more } } }) as const;
function callerNamed(principal: string) {
  return { principal, callerKey: principal };
}
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
  return { ...SUBJECT, params: { ...params, requestState: state, inputResponses } };
}

/** Sends so many server requests at once, and replies with their answers. */
function asking(count: number) {
  return async ({ sendRequest }: SuspendedCallPorts): Promise<Reply> => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => sendRequest(elicit(`question ${n}`), NEVER)),
    );
    return resultReply({ answers });
  };
}

describe("a suspended call", () => {
  it("answers at once where nothing is asked", async () => {
    const calls = createSuspendedCalls();
    expect(await calls.begin(SUBJECT, buildRequestContext(), async () => resultReply({ done: 1 }))).toEqual(
      resultReply({ done: 1 }),
    );
  });

  it("puts several server requests in one result, and goes on with the answers", async () => {
    const calls = createSuspendedCalls();
    const { requestState, inputRequests } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), asking(3)),
    );
    expect(Object.keys(inputRequests)).toEqual(["question-1", "question-2", "question-3"]);
    expect(inputRequests["question-2"]).toEqual(elicit("question 1"));
    const responses = { "question-1": { n: 1 }, "question-2": { n: 2 }, "question-3": { n: 3 } };
    expect(await calls.resume(retry(requestState, responses), buildRequestContext(), requestState)).toEqual(
      resultReply({ answers: [1, 2, 3].map((n) => resultReply({ n })) }),
    );
  });

  it("is refused to anybody else, and still waits for whose it is", async () => {
    const calls = createSuspendedCalls();
    const { requestState } = askedIn(await calls.begin(SUBJECT, buildRequestContext(), asking(1)));
    const subject = retry(requestState, { "question-1": { n: 1 } });
    const eve = { ...subject, caller: buildCaller(callerNamed("eve")) };
    const stolen = await calls.resume(eve, buildRequestContext(), requestState);
    expect(stolen).toMatchObject({ kind: "error", error: { code: -32602 } });
    expect(await calls.resume(subject, buildRequestContext(), requestState)).toMatchObject({
      kind: "result",
    });
  });

  it.each([
    ["another tool", asTool({ key: "other" as ToolKey }), true],
    ["another launch", { launch: "another" }, false],
    ["another definition", asTool({ definition: { description: "New" } }), false],
  ])("goes on as no call of %s, and is ended where its own tool has changed", async (_, now, stillWaits) => {
    const refused: unknown[] = [];
    const calls = createSuspendedCalls({ onRefused: (subject) => refused.push(subject) });
    let ended: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), (ports) => {
        ended = ports.signal;
        return asking(1)(ports);
      }),
    );
    const subject = retry(requestState, { "question-1": { n: 1 } });
    const other = { ...subject, ...now };
    expect(await calls.resume(other, buildRequestContext(), requestState)).toMatchObject({
      error: { code: -32602 },
    });
    expect(refused).toEqual([other]);
    expect([calls.has(requestState), ended?.aborted]).toEqual([stillWaits, !stillWaits]);
    const again = await calls.resume(subject, buildRequestContext(), requestState);
    expect(again.kind).toBe(stillWaits ? "result" : "error");
  });

  it.each<readonly [string, OngoingDecision, OngoingDecision, boolean]>([
    ["allowed, and allowed", { kind: "allow" }, { kind: "allow" }, true],
    ["allowed, then denied", { kind: "allow" }, { kind: "deny" }, false],
    ["allowed, then asked about", { kind: "allow" }, { kind: "ask", mark: "a" }, false],
    ["approved for this once", { kind: "ask", mark: "a" }, { kind: "ask", mark: "a" }, true],
    ["approved once, then decided on", { kind: "ask", mark: "a" }, { kind: "ask", mark: "b" }, false],
    ["approved once, then for good", { kind: "ask", mark: "a" }, { kind: "allow" }, true],
  ])("is ended when it may no longer go on: %s", async (_, before, now, goesOn) => {
    const calls = createSuspendedCalls();
    let decision = before;
    let ended: CancelSignal | undefined;
    const work = (ports: SuspendedCallPorts) => {
      ended = ports.signal;
      return asking(1)(ports);
    };
    const { requestState } = askedIn(await calls.begin(SUBJECT, buildRequestContext(), work, () => decision));
    decision = now;
    calls.endRefused();
    expect([calls.has(requestState), ended?.aborted]).toEqual([goesOn, !goesOn]);
  });

  it.each([
    ["is taken out of the config", { until: undefined, isRenewable: false }, { counts: false, ms: 0 }, false],
    ["has expired", { until: 1_000, isRenewable: false }, { counts: true, ms: 1_000 }, false],
    ["is not at its end", { until: 1_000, isRenewable: false }, { counts: true, ms: 999 }, true],
    [
      "has expired and can be renewed",
      { until: 1_000, isRenewable: true },
      { counts: true, ms: 1_000 },
      true,
    ],
  ])("is ended when the token of its caller %s", async (_, proof, { counts, ms }, goesOn) => {
    const clock = createTestClock();
    const admissions = createAdmissions(clock);
    let isAdmitted = true;
    const held = { ...proof, counts: () => isAdmitted };
    const whileAdmitted = (end: () => void) => admissions.hold(held, "caller", end);
    const calls = createSuspendedCalls();
    let ended: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, { ...buildRequestContext(), whileAdmitted }, (ports) => {
        ended = ports.signal;
        return asking(1)(ports);
      }),
    );
    isAdmitted = counts;
    admissions.review();
    clock.pass(ms);
    expect([calls.has(requestState), ended?.aborted]).toEqual([goesOn, !goesOn]);
    const answered = retry(requestState, { "question-1": { n: 1 } });
    const resumed = await calls.resume(answered, buildRequestContext(), requestState);
    expect(resumed.kind).toBe(goesOn ? "result" : "error");
  });

  it("asks again for what was not answered, or answered with no object", async () => {
    const calls = createSuspendedCalls();
    const first = askedIn(await calls.begin(SUBJECT, buildRequestContext(), asking(2)));
    const responses = { "question-1": { n: 1 }, "question-2": "text", __proto__: { "question-2": {} } };
    const again = askedIn(
      await calls.resume(retry(first.requestState, responses), buildRequestContext(), first.requestState),
    );
    expect(again.requestState).toBe(first.requestState);
    expect(Object.keys(again.inputRequests)).toEqual(["question-2"]);
    const rest = retry(first.requestState, { "question-2": { n: 2 } });
    expect(await calls.resume(rest, buildRequestContext(), first.requestState)).toEqual(
      resultReply({ answers: [resultReply({ n: 1 }), resultReply({ n: 2 })] }),
    );
  });

  it("is known to nobody with another state, other arguments, another method, or twice at once", async () => {
    const calls = createSuspendedCalls();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), async ({ sendRequest }) => {
        await sendRequest(elicit("one"), NEVER);
        return sendRequest(elicit("two"), NEVER);
      }),
    );
    const refused = { kind: "error", error: { code: -32602 } };
    const good = retry(requestState, { "question-1": { n: 1 } });
    expect(await calls.resume(good, buildRequestContext(), "onym-other")).toMatchObject(refused);
    const otherArguments = retry(requestState, {}, { name: "ask", arguments: { a: 1, b: 3 } });
    expect(await calls.resume(otherArguments, buildRequestContext(), requestState)).toMatchObject(refused);
    const otherMethod = { ...good, method: "prompts/get" };
    expect(await calls.resume(otherMethod, buildRequestContext(), requestState)).toMatchObject(refused);

    const otherTool = { ...ASK_TOOL, key: toolKeyOf({ server: "mem", raw: "other" }) };
    const otherTarget = { ...good, target: { kind: "tool", identity: otherTool } as const };
    expect(await calls.resume(otherTarget, buildRequestContext(), requestState)).toMatchObject(refused);

    // The order of keys, the envelope of the retry and another name of the tool do not make another call.
    const same = retry(
      requestState,
      { "question-1": { n: 1 } },
      { _meta: { progressToken: 9 }, arguments: { b: 2, a: 1 }, name: "mem@1/ask@1" },
    );
    const attended = calls.resume(same, buildRequestContext(), requestState);
    expect(await calls.resume(good, buildRequestContext(), requestState)).toMatchObject(refused);
    expect(Object.keys(askedIn(await attended).inputRequests)).toEqual(["question-2"]);
  });

  it("keeps an outcome that comes while nobody listens, and gives it out once", async () => {
    const calls = createSuspendedCalls();
    const withdrawal = new AbortController();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), async ({ sendRequest }) => {
        await sendRequest(elicit("one"), withdrawal.signal);
        return resultReply({ done: 1 });
      }),
    );
    withdrawal.abort();
    await nextTurn();
    const again = retry(requestState, { "question-1": {} });
    expect(await calls.resume(again, buildRequestContext(), requestState)).toEqual(resultReply({ done: 1 }));
    expect(await calls.resume(again, buildRequestContext(), requestState)).toMatchObject({ kind: "error" });
  });

  it("sends its notifications to the requestContext that attends it, and to none in between", async () => {
    const calls = createSuspendedCalls();
    const [before, after] = [buildRequestContext(), buildRequestContext()];
    let ports: SuspendedCallPorts | undefined;
    const notification = (n: number) => ({ method: "notifications/message", params: { n } });
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, before, async (given) => {
        ports = given;
        given.notify(notification(1));
        await given.sendRequest(elicit("one"), NEVER);
        given.notify(notification(3));
        return resultReply({});
      }),
    );
    ports?.notify(notification(2));
    await calls.resume(retry(requestState, { "question-1": {} }), after, requestState);
    expect([before.received, after.received]).toEqual([[notification(1)], [notification(3)]]);
  });

  it("ends with the requestContext that is aborted", async () => {
    const calls = createSuspendedCalls();
    const cancelled = new AbortController();
    const reply = calls.begin(
      SUBJECT,
      buildRequestContext({ signal: cancelled.signal }),
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve(errorReply(-32603, "cancelled"))),
        ),
    );
    cancelled.abort();
    expect(await reply).toEqual(errorReply(-32603, "cancelled"));
  });

  it("does not end when a request context that it left long ago is aborted", async () => {
    const calls = createSuspendedCalls();
    const gone = new AbortController();
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext({ signal: gone.signal }), asking(1)),
    );
    gone.abort();
    const again = retry(requestState, { "question-1": { n: 1 } });
    expect(await calls.resume(again, buildRequestContext(), requestState)).toMatchObject({ kind: "result" });
  });

  it("answers with an error where the work throws", async () => {
    const calls = createSuspendedCalls();
    const reply = calls.begin(SUBJECT, buildRequestContext(), () => Promise.reject(new Error("a secret")));
    expect(JSON.stringify(await reply)).toContain("-32603");
    expect(JSON.stringify(await reply)).not.toContain("secret");
  });

  it("does not ask what was withdrawn before it could be asked", async () => {
    const calls = createSuspendedCalls();
    expect(
      await calls.begin(SUBJECT, buildRequestContext(), ({ sendRequest }) =>
        sendRequest(elicit("one"), AbortSignal.abort()),
      ),
    ).toMatchObject({ kind: "error" });
  });

  it("counts only those that wait for their clients, and refuses the server request beyond", async () => {
    const calls = createSuspendedCalls({ max: 1 });
    const running = calls.begin(SUBJECT, buildRequestContext(), () => new Promise(() => {}));
    askedIn(await calls.begin(SUBJECT, buildRequestContext(), asking(1)));
    const refused = await calls.begin(SUBJECT, buildRequestContext(), asking(1));
    expect(JSON.stringify(refused)).toContain("Too many calls wait");
    expect(refused).toMatchObject({ kind: "result" });
    void running;
  });

  it("leaves others their share: one below, at and one above what a caller may have open (limits.callerQuestions) (SAFE-5)", async () => {
    const calls = createSuspendedCalls({ maxOwn: () => 2 });
    const begin = (name: string) =>
      calls.begin(
        { ...SUBJECT, caller: buildCaller(callerNamed(name)) },
        buildRequestContext(),
        async ({ sendRequest }) => sendRequest(elicit("?"), NEVER),
      );
    const first = askedIn(await begin("ann"));
    askedIn(await begin("ann"));
    expect(await begin("ann")).toMatchObject({
      kind: "error",
      error: { data: { limit: "callerQuestions", max: 2, retryAfterMs: 5000 } },
    });
    askedIn(await begin("bob"));
    const answered = retry(first.requestState, { "question-1": {} });
    await calls.resume(answered, buildRequestContext(), first.requestState);
    askedIn(await begin("ann"));
  });

  it("is cancelled at its server by closeAll", async () => {
    const calls = createSuspendedCalls();
    let signal: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), (ports) => {
        signal = ports.signal;
        return asking(1)(ports);
      }),
    );
    calls.closeAll();
    expect(signal?.aborted).toBe(true);
    expect(await calls.resume(retry(requestState, {}), buildRequestContext(), requestState)).toMatchObject({
      kind: "error",
    });
  });
});

describe("the patience with a client", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends, and with it the call", async () => {
    const calls = createSuspendedCalls();
    let signal: CancelSignal | undefined;
    const { requestState } = askedIn(
      await calls.begin(SUBJECT, buildRequestContext(), (ports) => {
        signal = ports.signal;
        return asking(1)(ports);
      }),
    );
    vi.advanceTimersByTime(CLIENT_ANSWER_TIMEOUT_MS);
    expect(signal?.aborted).toBe(true);
    const late = retry(requestState, { "question-1": {} });
    expect(await calls.resume(late, buildRequestContext(), requestState)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("expired") },
    });
  });

  it("begins anew with each server request", async () => {
    const calls = createSuspendedCalls();
    const { requestState } = askedIn(await calls.begin(SUBJECT, buildRequestContext(), asking(2)));
    vi.advanceTimersByTime(CLIENT_ANSWER_TIMEOUT_MS - 1);
    askedIn(
      await calls.resume(
        retry(requestState, { "question-1": { n: 1 } }),
        buildRequestContext(),
        requestState,
      ),
    );
    vi.advanceTimersByTime(CLIENT_ANSWER_TIMEOUT_MS - 1);
    const last = retry(requestState, { "question-2": { n: 2 } });
    expect(await calls.resume(last, buildRequestContext(), requestState)).toMatchObject({ kind: "result" });
  });
});

describe("the open server requests of one call (SAFE-5)", () => {
  /** Asks these at once, and ends with the first answer; the others stay open. */
  const ask = async (messages: readonly string[], requestContext = buildRequestContext()) => {
    const calls = createSuspendedCalls();
    const answers: Reply[] = [];
    const begun = await calls.begin(SUBJECT, requestContext, async ({ sendRequest }) => {
      const all = messages.map((message) => sendRequest(elicit(message), NEVER));
      for (const each of all) void each.then((reply) => answers.push(reply));
      return resultReply({ first: await all[0] });
    });
    const { requestState, inputRequests } = askedIn(begun);
    const open = Object.keys(inputRequests).length;
    const end = () =>
      calls.resume(retry(requestState, { "question-1": { n: 1 } }), buildRequestContext(), requestState);
    return { open, answers, end };
  };

  it.each([
    ["one below", MAX_OPEN_REQUESTS - 1],
    ["at", MAX_OPEN_REQUESTS],
    ["one above", MAX_OPEN_REQUESTS + 1],
  ])("are bounded in number: %s (limits: MAX_OPEN_REQUESTS of suspended-calls)", async (_, count) => {
    const { open, answers } = await ask(Array.from({ length: count }, (_, n) => `${n}`));
    expect(open).toBe(Math.min(count, MAX_OPEN_REQUESTS));
    const refused = { kind: "error", error: { code: -32603, data: { max: MAX_OPEN_REQUESTS } } };
    expect(answers).toMatchObject(count > MAX_OPEN_REQUESTS ? [refused] : []);
  });

  it.each([
    ["one below", -1],
    ["at", 0],
    ["one above", 1],
  ])("are bounded in size: %s (limits: MAX_REQUESTS_LENGTH of suspended-calls)", async (_, beyond) => {
    const rest = 2 * JSON.stringify(elicit("").params).length;
    const half = MAX_REQUESTS_LENGTH / 2;
    const { open, answers } = await ask(["x".repeat(half), "x".repeat(half - rest + beyond)]);
    expect(open).toBe(beyond > 0 ? 1 : 2);
    const refused = { kind: "error", error: { code: -32603, data: { max: MAX_REQUESTS_LENGTH } } };
    expect(answers).toMatchObject(beyond > 0 ? [refused] : []);
  });

  it("count as bytes of the caller's suspended calls, until the call ends", async () => {
    const caller = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog).of(
      callerKey("ann", undefined),
    );
    const held = new HeldRequest(new RequestBytes(100), caller);
    held.keep();
    const room = (CALLER_REQUESTS / 2) * 100;
    const rest = JSON.stringify(elicit("").params).length;
    const { open, answers, end } = await ask(["x".repeat(room - 1 - 2 * rest), "x", "y"], {
      ...buildRequestContext(),
      held,
    });
    expect([open, caller.suspendedBytes]).toEqual([2, room]);
    expect(answers).toMatchObject([{ kind: "error", error: { data: { limit: "requestBytes", max: room } } }]);
    await end();
    await nextTurn();
    expect(caller.suspendedBytes).toBe(0);
    expect(answers[2]).toMatchObject({ kind: "error", error: { message: "The call has ended." } });
  });
});
