// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import { MASK, maskArguments, maskEntry, secretsInArguments, secretsInUrl } from "./mask-secrets.js";

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

  it.each([
    ["a token", "/api/mcp/s/MGI3YzQ2ZmUtOWU1Zi00aQ/mcp", `/api/mcp/s/${MASK}/mcp`],
    ["hex", "/0123456789abcdef", `/${MASK}`],
    ["a token of a known service", "/t/ghp_abcdefghijklm/x", `/t/${MASK}/x`],
    ["a token with separators", "/k/aZ3kd0-x9_Qm71kd0qR4t-P2ws8Lm5v1", `/k/${MASK}`],
    ["a UUID", "/server/ffffffff-aaaa-4444-8888-bbbbbbbbbbbb/mcp", `/server/${MASK}/mcp`],
    ["a token beside a variable", "/${V}0123456789abcdef", `/${MASK}\${V}`],
    ["in a query as well", "/0123456789abcdef?key=abc", `/${MASK}?key=${MASK}`],
  ])("masks a path segment that is %s (SAFE-7)", (_, path, shown) => {
    expect(maskArguments([`https://host.example${path}`])).toEqual([`https://host.example${shown}`]);
    expect(maskEntry({ url: `https://host.example${path}` })).toEqual({
      url: `https://host.example${shown}`,
    });
  });

  it.each([
    "/v1/mcp",
    "/mcp/openai?",
    "/2025-11-25/servers/a1b2c3d4",
    "/reports-of-customers-2024-11-25-v2",
    "/organizations/ListMembersOfAllOrganizations",
    "/k8s-prod-eu-west-1a-node-x7f2",
    "/sk-SK/docs",
    "/users/12345678901234567890",
    "/${ACCESS_TOKEN_0123456789abcdef}/mcp",
    "/%E6%97%A5%E6%9C%AC%E8%AA%9E",
  ])("shows the path %s as it is", (path) => {
    expect(maskArguments([`https://host.example${path}`])).toEqual([`https://host.example${path}`]);
    expect(secretsInUrl(`https://host.example${path}`)).toEqual([]);
  });

  it.each([
    [["-y", "some-server", "/data"], []],
    [["--access-token", "abc"], ["abc"]],
    [["--api-key=abc", "--port=80"], ["abc"]],
    [["--header", "Authorization: Bearer abc"], ["Bearer abc"]],
    [["--token", "${T}"], []],
    [["ghp_0123456789"], ["ghp_0123456789"]],
    [["postgres://me:p:w@db/x"], ["me:p:w", "me", "p:w"]],
    [["https://key@x/0123456789abcdef?a=b"], ["key", "0123456789abcdef", "b"]],
  ])("knows the secrets of %j", (args, secrets) => {
    expect(secretsInArguments(args)).toEqual(secrets);
  });
});
