import { describe, expect, it } from "vitest";
import { resultReply } from "../../mcp/message.js";
import { MAX_SUBSCRIPTIONS } from "../resources/resource-subscriptions.js";
import { createMemoryDownstream } from "../testing/memory-downstream.js";
import { buildRequestContext, buildSession } from "../testing/test-callers.js";
import { contextOf } from "../testing/test-context.js";
import { askResource } from "./resources.js";

describe("resources that a session follows", () => {
  it("are bounded: one below, at and above (SAFE-5)", async () => {
    const templates = [{ uriTemplate: "note://{id}", name: "note" }];
    const server = createMemoryDownstream({ templates }, { answer: () => resultReply({}) });
    const context = contextOf([server]);
    const session = buildSession();
    const requestContext = buildRequestContext();
    const subscribe = (uri: string) =>
      askResource(
        { method: "resources/subscribe", params: { uri }, caller: session, requestContext },
        context,
      );
    for (let n = 2; n <= MAX_SUBSCRIPTIONS; n++) await subscribe(`note://${n}`);
    expect(session.resources.size).toBe(MAX_SUBSCRIPTIONS - 1);
    expect(await subscribe("note://1")).toMatchObject({ kind: "result" });
    const sent = server.asked.length;
    const refused = { code: -32602, message: expect.stringContaining("1000 resources"), data: { max: 1000 } };
    expect(await subscribe("note://0")).toMatchObject({ kind: "error", error: refused });
    expect(server.asked).toHaveLength(sent);
    expect(await subscribe("note://2")).toMatchObject({ kind: "result" });
    expect(session.resources.size).toBe(MAX_SUBSCRIPTIONS);
  });
});
