import { describe, expect, it } from "vitest";
import { createHideSecrets } from "./hide-secrets.js";

describe("texts for people", () => {
  const url = "https://user:p%40ssword@example.com/mcp?key=abc123&x=1";
  const hide = createHideSecrets({
    kind: "http",
    url,
    headers: new Map([["Authorization", "Bearer tok-en-1"]]),
  });

  it.each([
    ["Bearer tok-en-1 is wrong", "[hidden] is wrong"],
    ["token tok-en-1 is wrong", "token [hidden] is wrong"],
    ["no Bearer token", "no Bearer token"],
    ["/mcp?key=abc123&x=1", "/mcp?key=[hidden]&x=1"],
    ["p@ssword", "[hidden]"],
    ["two\n lines \u001b[31m", "two lines \\u{001B}[31m"],
  ])("%j are shown as %j: one line, escaped, without secrets", (text, shown) => {
    expect(hide(text)).toBe(shown);
  });

  it("hide tokens as they come, and the secret of a client", () => {
    const tokens: string[] = [];
    const oauth = {
      clientId: "onym",
      clientSecret: "s3cret",
      issuer: undefined,
      scopes: undefined,
      callbackPort: undefined,
      grant: "authorization_code",
    } as const;
    const hideTokens = createHideSecrets({ kind: "http", url, headers: new Map(), oauth }, () => tokens);
    expect(hideTokens("at_1 of onym with s3cret")).toBe("at_1 of onym with [hidden]");
    tokens.push("at_1");
    expect(hideTokens("at_1 of onym with s3cret")).toBe("[hidden] of onym with [hidden]");
  });

  it("leave no rest of a secret that contains another", () => {
    const env = new Map([
      ["A", "hunter2"],
      ["B", "hunter2-and-more"],
      ["PATH", "/usr/bin"],
      ["N", "1"],
    ]);
    const hideEnv = createHideSecrets({ kind: "stdio", command: "x", args: [], env, cwd: "/" });
    expect(hideEnv("hunter2-and-more hunter2 /usr/bin 1")).toBe("[hidden] [hidden] /usr/bin 1");
  });

  it("are cut", () => {
    expect(hide("x".repeat(500), 10)).toBe(`${"x".repeat(9)}…`);
  });
});
