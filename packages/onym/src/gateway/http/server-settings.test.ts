// The bound on the headers of a request, over a real socket (SAFE-4).

import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServedEdge, serveEdge } from "../../../../../test/edge/serve-edge.js";

const MAX_BYTES = 32 * 1024;

let edge: ServedEdge;
beforeEach(async () => {
  edge = await serveEdge({});
});
afterEach(() => edge.close());

/** The status of a request whose path, header names and values have so many bytes together: what Node counts. */
async function statusFor(bytes: number): Promise<string> {
  const path = "/mcpx";
  const others = [path, "Host", "localhost", "Connection", "close", "X-Long"].join("").length;
  const socket = connect({ port: edge.port, host: "127.0.0.1" });
  const closed = once(socket, "close");
  let answer = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    answer += part;
  });
  // The answer may come before all of it was written.
  socket.on("error", () => {});
  socket.end(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ${"a".repeat(bytes - others)}\r\n\r\n`,
  );
  await closed;
  return answer.slice("HTTP/1.1 ".length, "HTTP/1.1 418".length);
}

describe("headers of a request (SAFE-4)", () => {
  it.each([
    ["one byte below 32 KB", MAX_BYTES - 1, "418"],
    ["32 KB", MAX_BYTES, "431"],
    ["one byte above 32 KB", MAX_BYTES + 1, "431"],
  ])("of %s: status of %i bytes is %s", async (_, bytes, status) => {
    expect(await statusFor(bytes)).toBe(status);
    // Others are served as before.
    expect(await statusFor(200)).toBe("418");
  });
});
