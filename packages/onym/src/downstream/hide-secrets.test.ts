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
    [`Basic ${Buffer.from("user:p@ssword").toString("base64")} is wrong`, "Basic [hidden] is wrong"],
    [`${Buffer.from("p@ssword").toString("base64").replace("=", "")} is wrong`, "[hidden] is wrong"],
    [`${Buffer.from("tok-en-1").toString("base64")} is wrong`, "[hidden] is wrong"],
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

  describe("of a launch with variables", () => {
    const token = 'tok+en/42 "x"';
    const variables = new Map([
      ["TOKEN", token],
      ["LONG", "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0LXBheWxvYWQ"],
      ["HOME", "/home/me"],
      ["N", "1"],
      ["ENCODED", "p%40ssword"],
    ]);
    const launches = [
      { kind: "stdio", command: "x", args: ["--token", token], env: new Map(), cwd: "/", variables },
      { kind: "http", url: "https://example.com/mcp", headers: new Map(), variables },
    ] as const;

    it.each(launches)("hide their values in all forms, $kind", (launch) => {
      const hideValues = createHideSecrets(launch);
      expect(hideValues(`bad ${token}!`)).toBe("bad [hidden]!");
      expect(hideValues(`bad ${encodeURIComponent(token)}!`)).toBe("bad [hidden]!");
      expect(hideValues("bad tok%2ben%2f42%20%22x%22!")).toBe("bad [hidden]!");
      expect(hideValues("bad tok%2Ben%2F42+%22x%22!")).toBe("bad [hidden]!");
      expect(hideValues(`bad ${JSON.stringify(token)}!`)).toBe('bad "[hidden]"!');
      expect(hideValues("the password p@ssword!")).toBe("the password [hidden]!");
      expect(hideValues("1 file in /home/me")).toBe("1 file in /home/me");
    });

    it("hide what a line or a limit cut off", () => {
      const hideValues = createHideSecrets(launches[0]);
      expect(hideValues("bad token eyJhbGciOiJI")).toBe("bad token [hidden]");
      expect(hideValues("UzI1NiJ9.c2VjcmV0LXBheWxvYWQ is bad")).toBe("[hidden] is bad");
      expect(hideValues("  UzI1NiJ9.c2Vj ")).toBe("[hidden]");
      expect(hideValues("bad token eyJhb")).toBe("bad token eyJhb");
    });
  });

  it("are made for an address with a % that encodes nothing", () => {
    const hideLogin = createHideSecrets({
      kind: "http",
      url: "http://us%er:x@localhost/",
      headers: new Map(),
    });
    expect(hideLogin("no us%er here")).toBe("no [hidden] here");
  });
});
