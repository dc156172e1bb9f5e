import { afterAll, beforeAll, expect, it } from "vitest";
import { openSession, post } from "../../../../../test/edge/http-client.js";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";

let edge: ServedEdge;
beforeAll(async () => {
  edge = await serveEdge();
});
afterAll(() => edge.close());

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

it("tells a session of another replica from one that has ended here, both with 404 (SAFE-5)", async () => {
  const headers = await openSession(edge.url);
  const id = headers["mcp-session-id"] ?? "";
  const ask = (session: string) =>
    post(edge.url, ping, { headers: { ...headers, "mcp-session-id": session } });
  expect((await ask(id)).status).toBe(200);
  const other = await ask(`${id.startsWith("0") ? "1" : "0"}${id.slice(1)}`);
  expect([other.status, other.json.error.code]).toEqual([404, -32001]);
  expect(other.json.error.message).toMatch(
    /^Session not found: another process .*Send initialize again\. Behind a load balancer, route/,
  );
  await fetch(edge.url, { method: "DELETE", headers });
  for (const known of [id, "made-up", ""]) {
    const answer = await ask(known);
    expect([answer.status, answer.json.error.message]).toEqual([
      404,
      "Session not found. Send initialize again.",
    ]);
  }
});

it("does so for the older SSE transport too (SAFE-5)", async () => {
  const foreign = `0badcafe-${crypto.randomUUID()}`;
  const answer = await post(`${edge.origin}/messages?sessionId=${foreign}`, ping);
  expect(answer.status).toBe(404);
  expect(answer.json.error.message).toMatch(/another process .*Open GET \/sse again\./);
});
