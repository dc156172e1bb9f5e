import { buildCatalog } from "@onym/core/naming";
import { describe, expect, it } from "vitest";
import { resultReply } from "../../mcp/reply.js";
import type { GuardedCall } from "../calls/guard.js";
import { createCallGrants } from "./call-grants.js";

const [send, post] = buildCatalog([{ server: "mail", tools: ["send", "post"] }]).tools;
const ASKED = resultReply({ resultType: "input_required", inputRequests: {}, requestState: "same-for-all" });

function call(
  more: { principal?: string; tool?: typeof send | undefined; launch?: string; params?: object } = {},
) {
  const { principal = "ann", tool = send, launch = "l", params = {} } = more;
  const sent = { name: "mail_send", arguments: { a: 1 }, requestState: "same-for-all", ...params };
  return {
    caller: { principal },
    tool,
    lineage: { key: tool?.key, former: [] },
    launch,
    params: sent,
  } as unknown as GuardedCall;
}

describe("a grant for the next leg of a call", () => {
  it("is good once, and for each call that was given one", () => {
    const grants = createCallGrants();
    grants.give(call(), ASKED);
    grants.give(call(), ASKED);
    expect([grants.take(call()), grants.take(call()), grants.take(call())]).toEqual([true, true, false]);
  });

  it.each([
    ["another caller", { principal: "eve" }],
    ["another tool", { tool: post }],
    ["another command", { launch: "other" }],
    ["other arguments", { params: { arguments: { a: 2 } } }],
    ["another state", { params: { requestState: "other" } }],
    ["no state", { params: { requestState: undefined } }],
  ])("is no good for %s", (_, more) => {
    const grants = createCallGrants();
    grants.give(call(), ASKED);
    expect(grants.take(call(more))).toBe(false);
    expect(grants.take(call())).toBe(true);
  });

  it("is not given for a call that is done, and the oldest is forgotten first", () => {
    const grants = createCallGrants(1);
    grants.give(call(), resultReply({ content: [] }));
    expect(grants.take(call())).toBe(false);
    grants.give(call(), ASKED);
    grants.give(call({ principal: "bob" }), ASKED);
    expect([grants.take(call()), grants.take(call({ principal: "bob" }))]).toEqual([false, true]);
  });
});
