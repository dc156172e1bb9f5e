import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf, initialize, modern, post } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";

let edge: ServedEdge;
beforeEach(async () => {
  edge = await serveEdge({ limits: { ...DEFAULT_EDGE_LIMITS, streams: 1 } });
});
afterEach(() => edge.close());

describe("HTTP+SSE, the transport of 2024-11-05", () => {
  const open = async (path = "/sse") => {
    const frames = framesOf(await fetch(`${edge.origin}${path}`));
    const { event, data } = (await frames.next()) ?? {};
    expect(event).toBe("endpoint");
    return { frames, url: `${edge.origin}${data}` };
  };

  it("names the address for messages and answers on the stream (GW-1)", async () => {
    const { frames, url } = await open("/sse/cursor?as=tools");
    expect(url).toMatch(/\/messages\?sessionId=[0-9a-f-]{45}$/);
    const taken = await post(url, initialize("2024-11-05"));
    expect([taken.status, taken.text]).toEqual([202, ""]);
    expect(JSON.parse((await frames.next())?.data ?? "").result.protocolVersion).toBe("2024-11-05");
    expect([edge.router.hints[0]?.profile, edge.router.hints[0]?.as]).toEqual(["cursor", "tools"]);
    edge.clock.pass(15_000);
    expect((await frames.next())?.comment).toBe("keep-alive");
  });

  it("knows sessions only: a modern request is not answered as one", async () => {
    const { frames, url } = await open();
    await post(url, modern("tools/list").body);
    expect(JSON.parse((await frames.next())?.data ?? "").error.code).toBe(-32600);
  });

  it("refuses messages without a session, for another one, and what is not JSON", async () => {
    const { url } = await open();
    const statusOf = async (address: string, body: unknown) => (await post(address, body)).status;
    expect(await statusOf(`${edge.origin}/messages`, initialize())).toBe(400);
    expect(await statusOf(`${edge.origin}/messages?sessionId=x`, initialize())).toBe(404);
    expect(await statusOf(url, "{")).toBe(400);
    expect((await fetch(url)).status).toBe(405);
  });

  it("is named to clients that look for it at the other address, and the other one to theirs (GW-3)", async () => {
    const messageAt = async (path: string, init?: RequestInit): Promise<readonly [number, string]> => {
      const response = await fetch(`${edge.origin}${path}`, {
        headers: { accept: "text/event-stream" },
        ...init,
      });
      const { error } = (await response.json()) as { readonly error: { readonly message: string } };
      return [response.status, error.message];
    };
    const stray = modern("tools/list").body;
    expect(await messageAt("/mcp")).toEqual([400, expect.stringContaining("connects to /sse instead.")]);
    expect(await messageAt("/mcp/cursor?as=a%20b")).toEqual([
      400,
      expect.stringContaining("connects to /sse/cursor?as=a%20b instead."),
    ]);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    expect(await messageAt("/mcp", { method: "POST", headers, body })).toEqual([
      400,
      expect.stringContaining("connects to /sse instead."),
    ]);
    expect(await messageAt("/sse", { method: "POST", headers, body: JSON.stringify(stray) })).toEqual([
      405,
      expect.stringContaining("posts to /mcp instead."),
    ]);
  });

  it("is bounded in number, and ends with its stream", async () => {
    const { frames, url } = await open();
    await post(url, initialize("2024-11-05"));
    await frames.next();
    expect((await fetch(`${edge.origin}/sse`)).status).toBe(503);
    await frames.cancel();
    await edge.router.until("leave");
    expect((await post(url, initialize())).status).toBe(404);
    await open();
  });

  it("ends when the gateway closes", async () => {
    const { frames } = await open();
    await edge.closeEdge();
    expect(await frames.next()).toBeUndefined();
  });
});
