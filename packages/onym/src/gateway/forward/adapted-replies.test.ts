import { describe, expect, it } from "vitest";
import {
  errorReply,
  formatReply,
  parseServerMessage,
  type Reply,
  readMessage,
  resultReply,
} from "../../mcp/message.js";
import { adaptReply } from "./forward-request.js";

const serverInfo = { name: "onym" };
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

describe("adaptReply", () => {
  it("completes a legacy result for a modern caller", () => {
    const reply = adaptReply(resultReply({ content: [], _meta: { a: 1 } }), {
      method: "tools/call",
      caller: "modern",
      serverEra: "legacy",
      serverInfo,
    });
    expect(reply).toEqual(
      resultReply({ content: [], resultType: "complete", _meta: { a: 1, [SERVER_INFO]: serverInfo } }),
    );
  });

  describe("with a large result", () => {
    /** Numbers that would be written otherwise if they were parsed. */
    const many = `[${"1.0,".repeat(10_000)}1.0]`;
    const replyOf = (result: string): Reply => {
      const parsed = parseServerMessage(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
      const read = readMessage(parsed.ok ? parsed.value : undefined, parsed.text);
      if (read.kind !== "response") throw new Error(read.kind);
      return { kind: "result", result: read.message.result ?? {}, text: read.message.resultText };
    };
    const adapted = (result: string, caller: "modern" | "legacy", serverEra: "modern" | "legacy") =>
      formatReply(1, adaptReply(replyOf(result), { method: "tools/call", caller, serverEra, serverInfo }));
    const RESULT = '{"jsonrpc":"2.0","id":1,"result":';

    it("completes it for a modern caller, and parses nothing of it (SAFE-4)", () => {
      const added = `"${SERVER_INFO}":{"name":"onym"}`;
      expect(adapted(`{"content":${many}}`, "modern", "legacy")).toBe(
        `${RESULT}{"content":${many},"resultType":"complete","_meta":{${added}}}}`,
      );
      expect(adapted(`{"_meta":{"a":${many}},"resultType":${many}}`, "modern", "modern")).toBe(
        `${RESULT}{"resultType":"complete","_meta":{"a":${many},${added}}}}`,
      );
    });

    it("takes structured output that is no object from a legacy caller, and parses nothing of it (SAFE-4)", () => {
      expect(adapted(`{"a":${many},"structuredContent":${many}}`, "legacy", "legacy")).toBe(
        `${RESULT}{"a":${many}}}`,
      );
      expect(adapted(`{"structuredContent":{"a":${many}}}`, "legacy", "legacy")).toBe(
        `${RESULT}{"structuredContent":{"a":${many}}}}`,
      );
    });
  });

  it("says how long a read resource may be kept: not at all", () => {
    const reply = adaptReply(resultReply({ contents: [] }), {
      method: "resources/read",
      caller: "modern",
      serverEra: "legacy",
      serverInfo,
    });
    expect(reply).toMatchObject({ result: { ttlMs: 0, cacheScope: "private" } });
  });

  it("passes a modern result on as it is, server requests included, and completes a sloppy one", () => {
    const adapt = { method: "tools/call", caller: "modern", serverEra: "modern", serverInfo } as const;
    const asking = resultReply({ resultType: "input_required", inputRequests: {}, requestState: "s" });
    expect(adaptReply(asking, adapt)).toBe(asking);
    expect(adaptReply(resultReply({ content: [] }), adapt)).toMatchObject({
      result: { resultType: "complete" },
    });
  });

  it("gives legacy callers structured output only where it is an object", () => {
    const adapt = { method: "tools/call", caller: "legacy", serverEra: "modern", serverInfo } as const;
    const whole = resultReply({ content: [], structuredContent: { a: 1 } });
    expect(adaptReply(whole, adapt)).toBe(whole);
    for (const structuredContent of [[1], "text", 5, null])
      expect(adaptReply(resultReply({ content: [], structuredContent }), adapt)).toEqual(
        resultReply({ content: [] }),
      );
  });

  it("says not found in the words of the caller's era", () => {
    const missing = errorReply(-32002, "no such resource", { uri: "a" });
    const adapt = { method: "resources/read", serverEra: "legacy", serverInfo } as const;
    expect(adaptReply(missing, { ...adapt, caller: "modern" })).toEqual(
      errorReply(-32602, "no such resource", { uri: "a" }),
    );
    expect(adaptReply(missing, { ...adapt, caller: "legacy" })).toBe(missing);
  });
});
