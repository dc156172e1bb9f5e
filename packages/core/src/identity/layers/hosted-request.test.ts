import { describe, expect, it } from "vitest";
import { readHostedRequest } from "./hosted-request.js";

const TYPE = "mcp_approval_request";

/** As the OpenAI Agents SDK keeps a question: a hosted call with what the provider sent. */
function hosted(name: string, providerData: object): object {
  return { type: "hosted_tool_call", id: "call", name, providerData };
}

describe("a provider's question about a hosted tool", () => {
  it.each([
    [
      { type: TYPE, id: "a", server_label: "docs", name: "search" },
      { ids: ["a"], server: "docs", name: "search" },
    ],
    [
      { type: TYPE, server_label: 5 },
      { ids: [undefined], server: undefined, name: undefined },
    ],
    [
      hosted("search", { type: TYPE, id: "a", itemId: "b", server_label: "docs" }),
      { ids: ["a", "b", "call"], server: "docs", name: "search" },
    ],
    [
      hosted(TYPE, { type: TYPE, serverLabel: "docs", name: "search" }),
      { ids: [undefined, undefined, "call"], server: "docs", name: "search" },
    ],
    [
      hosted(TYPE, { type: TYPE }),
      { ids: [undefined, undefined, "call"], server: undefined, name: undefined },
    ],
    [
      hosted("own", { type: TYPE, name: "inner", server_label: "wire", serverLabel: "label" }),
      { ids: [undefined, undefined, "call"], server: "wire", name: "inner" },
    ],
    [
      hosted("search", { server_label: "docs" }),
      { ids: [undefined, undefined, "call"], server: "docs", name: "search" },
    ],
    [
      hosted("search", { itemId: "b", serverLabel: "docs" }),
      { ids: [undefined, "b", "call"], server: "docs", name: "search" },
    ],
  ])("is read from %o (ID-6)", (call, request) => {
    expect(readHostedRequest(call)).toEqual(request);
  });

  it.each([
    [undefined],
    [{ type: "function_call", id: "a", server_label: "docs", name: "search" }],
    [{ type: "function_call", providerData: { type: TYPE, server_label: "docs" } }],
    [hosted("search", {})],
    [hosted("search", { serverLabel: "docs" })],
    [hosted("search", { itemId: "b" })],
    [hosted("search", { itemId: 5, serverLabel: "docs" })],
    [hosted("search", { type: "mcp_call", server_label: "docs", itemId: "b" })],
  ])("is not %o (ID-6)", (call) => {
    expect(readHostedRequest(call)).toBeUndefined();
  });
});
