// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import { MASK, maskArguments, maskEntry } from "./mask-secrets.js";

describe("what people may see of an entry", () => {
  it("masks the values of env and headers, and shows variables", () => {
    const entry = {
      command: "npx",
      env: { A: "plain-secret", B: "${B}", C: "", D: "x${D}", N: 1 },
      headers: { Authorization: "Bearer abc", X: "Bearer ${T}" },
    };
    expect(maskEntry(entry)).toEqual({
      command: "npx",
      env: { A: MASK, B: "${B}", C: "", D: `${MASK}\${D}`, N: MASK },
      headers: { Authorization: MASK, X: "Bearer ${T}" },
    });
  });

  it("shows keys that hold no secrets as they are, and masks whatever else there is", () => {
    const plain = {
      command: "npx",
      type: "stdio",
      cwd: "./x",
      envFile: ".env",
      disabled: true,
      timeout: 60,
      startupTimeoutMs: 1_000,
      description: "Mail",
      tools: [{ name: "send", inputSchema: { type: "object" } }],
      toolFilters: ["*", "!wipe"],
      isolation: "bubblewrap",
    };
    expect(maskEntry(plain)).toEqual(plain);
    const entry = {
      httpUrl: "https://me:p@ss@x/mcp?token=abc&v=${V}#key=abc",
      serverUrl: "https://x/mcp?ghp_0123456789",
      command: "npx server --token abc",
      isolation: ["docker", "run", "-e", "TOKEN=abc", "--password", "abc"],
      oauth: {
        clientId: "me",
        clientSecret: "abc",
        issuer: "https://x/?k=abc",
        scopes: ["a"],
        callbackPort: 80,
      },
      requestInit: { headers: { Authorization: "Bearer abc", pin: 1234 }, keepalive: true },
      auth: { token: "abc", from: "${TOKEN}" },
      other: ["abc", null],
      args: ["--token", 5],
      env: ["TOKEN=abc"],
      http_headers: { Referer: "https://x/abc" },
    };
    expect(maskEntry(entry)).toEqual({
      httpUrl: `https://${MASK}@x/mcp?token=${MASK}&v=\${V}#key=${MASK}`,
      serverUrl: `https://x/mcp?${MASK}`,
      command: `npx server --token ${MASK}`,
      isolation: ["docker", "run", "-e", `TOKEN=${MASK}`, "--password", MASK],
      oauth: {
        clientId: "me",
        clientSecret: MASK,
        issuer: `https://x/?k=${MASK}`,
        scopes: ["a"],
        callbackPort: 80,
      },
      requestInit: { headers: { Authorization: MASK, pin: MASK }, keepalive: true },
      auth: { token: MASK, from: "${TOKEN}" },
      other: [MASK, null],
      args: ["--token", MASK],
      env: [MASK],
      http_headers: { Referer: MASK },
    });
  });

  it.each([
    [
      ["-y", "some-server", "/data"],
      ["-y", "some-server", "/data"],
    ],
    [
      ["--token", "abc"],
      ["--token", MASK],
    ],
    [
      ["--token", "--verbose"],
      ["--token", "--verbose"],
    ],
    [
      ["--api-key=abc", "--port=80"],
      [`--api-key=${MASK}`, "--port=80"],
    ],
    [
      ["--header", "Authorization: Bearer abc"],
      ["--header", `Authorization:${MASK}`],
    ],
    [
      ["--header", "Authorization: Bearer ${T}"],
      ["--header", "Authorization:Bearer ${T}"],
    ],
    [["ghp_0123456789"], [MASK]],
    [["0123456789abcdef0123456789abcdef"], [MASK]],
    [["@modelcontextprotocol/server-filesystem"], ["@modelcontextprotocol/server-filesystem"]],
    [["postgres://me:pw@db/x"], [`postgres://${MASK}@db/x`]],
    [["https://x/mcp?key=abc&v=${V}"], [`https://x/mcp?key=${MASK}&v=\${V}`]],
  ])("%j", (args, expected) => {
    expect(maskArguments(args)).toEqual(expected);
  });
});
