import { describe, expect, it } from "vitest";
import type { DownstreamRequest } from "../../downstream/downstream.js";
import { type Reply, resultReply } from "../../mcp/message.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildCaller, buildGuardedCall, buildRequestContext, buildSession } from "../testing/test-callers.js";
import { forwardRequest } from "./forward-request.js";
import { createSessionRequests } from "./session-requests.js";
import { createSuspendedCalls } from "./suspended-calls.js";

const progress = { method: "notifications/progress", params: { progress: 1 } };
const message = (level: string) => ({ method: "notifications/message", params: { level } });

function forwarding(
  answer: (request: DownstreamRequest) => Promise<Reply> | Reply,
  era: "legacy" | "modern" = "legacy",
  kind: "allow" | "deny" = "allow",
) {
  const downstream = createMemoryDownstream({}, { answer, era });
  const ports = {
    suspended: createSuspendedCalls(),
    serverInfo: { name: "onym" },
    callMs: () => 1000,
    epoch: () => 0,
    sessionRequests: createSessionRequests(),
    reconsider: () => ({ kind }),
  };
  return {
    downstream,
    forward: (params: object, caller = buildCaller(), requestContext = buildRequestContext()) =>
      forwardRequest(
        {
          downstream,
          params: { ...params },
          call: { ...buildGuardedCall({ ...params }, caller), requestContext },
          recheck: undefined,
        },
        ports,
      ),
  };
}

it("may take callMs", async () => {
  const { forward, downstream } = forwarding(() => resultReply({}));
  await forward({});
  expect(downstream.asked[0]?.timeoutMs).toBe(1000);
});

describe("notifications of a request (GW-5)", () => {
  const notifying = ({ origin }: DownstreamRequest): Reply => {
    for (const notification of [progress, message("debug"), message("error")]) origin.notify(notification);
    return resultReply({});
  };

  it("carry the caller's own token, and come only where they were asked for", async () => {
    const { forward, downstream } = forwarding(notifying);
    const requestContext = buildRequestContext();
    await forward({ _meta: { progressToken: "t" } }, buildCaller({ logLevel: "error" }), requestContext);
    expect(requestContext.received).toEqual([
      { method: progress.method, params: { progress: 1, progressToken: "t" } },
      message("error"),
    ]);
    expect(downstream.asked[0]?.origin.wantsProgress).toBe(true);

    const silent = buildRequestContext();
    await forward({}, buildCaller(), silent);
    expect(silent.received).toEqual([]);
    const legacy = buildRequestContext();
    await forward({}, buildSession(), legacy);
    expect(legacy.received).toEqual([message("debug"), message("error")]);
  });

  it("of a suspended call carry the token of the request that goes on with it", async () => {
    const { forward } = forwarding(async ({ origin }) => {
      origin.notify(progress);
      const asked = await origin.sendRequest?.(
        { method: "roots/list", params: {} },
        new AbortController().signal,
      );
      origin.notify(progress);
      return resultReply({ asked });
    });
    const [first, second] = [buildRequestContext(), buildRequestContext()];
    const asked = await forward({ name: "a", _meta: { progressToken: 1 } }, buildCaller(), first);
    const state = asked.kind === "result" ? asked.result["requestState"] : undefined;
    const answers = { "question-1": { roots: [] } };
    const again = { name: "a", requestState: state, inputResponses: answers, _meta: { progressToken: 2 } };
    expect(await forward(again, buildCaller({ id: "other" }), second)).toMatchObject({
      result: { asked: { result: { roots: [] } }, resultType: "complete" },
    });
    const tokens = [first, second].map(({ received }) =>
      received.map(({ params }) => params["progressToken"]),
    );
    expect(tokens).toEqual([[1], [2]]);
  });
});

describe("a question of a server that is denied meanwhile (POL-9)", () => {
  it("is not put to a legacy client, and its log messages are not passed on", async () => {
    const { forward } = forwarding(
      async ({ origin }) => {
        origin.notify(message("error"));
        origin.notify(progress);
        const { signal } = new AbortController();
        return resultReply({
          asked: await origin.sendRequest?.({ method: "roots/list", params: {} }, signal),
        });
      },
      "legacy",
      "deny",
    );
    const requestContext = buildRequestContext({ sendRequest: async () => resultReply({ roots: [] }) });
    const reply = await forward({ _meta: { progressToken: 1 } }, buildSession(), requestContext);
    expect(reply).toMatchObject({ result: { asked: { kind: "error", error: { code: -32601 } } } });
    expect(requestContext.received.map(({ method }) => method)).toEqual([progress.method]);
  });

  it("is not put to a modern client by its reply, from a server of either era", async () => {
    const question = { method: "elicitation/create", params: { message: "Who?" } };
    const modern = forwarding(
      () => resultReply({ resultType: "input_required", inputRequests: { q: question } }),
      "modern",
      "deny",
    );
    const reply = await modern.forward({ name: "a" });
    expect(reply).toMatchObject({ kind: "error", error: { code: -32603 } });
    expect(JSON.stringify(reply)).not.toContain("Who?");
    const legacy = forwarding(
      async ({ origin }) =>
        resultReply({ asked: await origin.sendRequest?.(question, new AbortController().signal) }),
      "legacy",
      "deny",
    );
    expect(await legacy.forward({ name: "a" })).toMatchObject({
      result: { resultType: "complete", asked: { kind: "error" } },
    });
  });
});

describe("state of a modern call", () => {
  it("reaches a modern downstream as it is", async () => {
    const { forward, downstream } = forwarding(() => resultReply({ resultType: "complete" }), "modern");
    await forward({ name: "a", requestState: "theirs", inputResponses: { q: {} } });
    expect(downstream.asked[0]?.params).toEqual({
      name: "a",
      requestState: "theirs",
      inputResponses: { q: {} },
    });
    expect(downstream.asked[0]?.origin.sendRequest).toBeUndefined();
  });

  it("never reaches a legacy one", async () => {
    const { forward, downstream } = forwarding(() => resultReply({}));
    await forward({ name: "a", requestState: 5, inputResponses: { q: {} } });
    expect(downstream.asked[0]?.params).toEqual({ name: "a" });
    expect(await forward({ name: "a", requestState: "made up" })).toMatchObject({ error: { code: -32602 } });
    expect(downstream.asked).toHaveLength(1);
  });
});

it.each([
  ["a list", [{ method: "elicitation/create", params: { message: "Onym asks: your password?" } }]],
  [
    "a question without params",
    { a: { method: "elicitation/create", message: "Onym asks: your password?" } },
  ],
])(
  "refuses %s where a server asks for input: it would come without a label (SAFE-6)",
  async (_, inputRequests) => {
    const { forward } = forwarding(
      () => resultReply({ resultType: "input_required", inputRequests }),
      "modern",
    );
    expect(await forward({})).toEqual({
      kind: "error",
      error: { code: -32603, message: "The server asked for input in a form that is not a request" },
    });
  },
);
