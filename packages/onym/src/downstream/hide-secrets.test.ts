import { generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Launch } from "../model/launch.js";
import { createHideSecrets } from "./hide-secrets.js";

function stdio(...args: readonly string[]): Extract<Launch, { readonly kind: "stdio" }> {
  return { kind: "stdio", command: "x", args, env: new Map(), cwd: "/" };
}

function http(path: string): Launch {
  return { kind: "http", url: `https://host.example${path}`, headers: new Map() };
}

/** How often a text is read or compared, or a hash is made, in the time that the function takes. */
function countSteps(run: () => void): number {
  let steps = 0;
  const counted: readonly (readonly [object: object, names: readonly string[]])[] = [
    [String.prototype, ["charCodeAt", "startsWith", "endsWith", "includes", "indexOf", "slice"]],
    [Math, ["imul"]],
  ];
  const replaced = counted.flatMap(([object, names]) =>
    names.map((name) => {
      const before = Reflect.get(object, name);
      const after = function (this: unknown, ...given: readonly unknown[]): unknown {
        steps += 1;
        return Reflect.apply(before, this, given);
      };
      Reflect.set(object, name, after);
      return () => Reflect.set(object, name, before);
    }),
  );
  try {
    run();
  } finally {
    for (const restore of replaced) restore();
  }
  return steps;
}

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
    ["two\n lines \u001b", "two lines \\u{001B}"],
    ["\u001b[1;31mred\u001b[0m and \u009b32mgreen\u001b(B", "red and green"],
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

  it.each([
    ["in hex", (secret: string) => Buffer.from(secret).toString("hex")],
    ["in hex, in upper case", (secret: string) => Buffer.from(secret).toString("hex").toUpperCase()],
    [
      "in hex, by bytes",
      (secret: string) => Buffer.from(secret).toString("hex").replace(/../g, "$& ").trim(),
    ],
    ["in upper case", (secret: string) => secret.toUpperCase()],
    ["with spaces", (secret: string) => [...secret].join(" ")],
    ["in groups", (secret: string) => secret.replace(/.{4}/g, "$& ").trim()],
    ["over lines", (secret: string) => `${secret.slice(0, 9)}\n  ${secret.slice(9)}`],
    ["painted", (secret: string) => `\u001b[31m${secret}\u001b[0m`],
    ["painted in parts", (secret: string) => `${secret.slice(0, 5)}\u001b[1;31m${secret.slice(5)}`],
    ["cut short", (secret: string) => `${secret.slice(0, 8)}...`],
    ["cut short with one character", (secret: string) => `${secret.slice(0, 8)}…`],
    ["with its middle left out", (secret: string) => `${secret.slice(0, 7)}****${secret.slice(-7)}`],
  ])("hide a secret %s (SAFE-7)", (_, alter) => {
    const secret = "kW7-hunter2-pQ9zR4";
    const env = new Map([["KEY", secret]]);
    const hideKey = createHideSecrets({ kind: "stdio", command: "x", args: [], env, cwd: "/" });
    const shown = hideKey(`the key ${alter(secret)} is bad`);
    expect(shown).toMatch(/^the key \[hidden\](?:\S*\[hidden\]|\.{3}|…)? is bad$/);
  });

  it("look through the start of a long text, and hide what is cut off there (SAFE-4)", () => {
    const env = new Map([["KEY", "kW7-hunter2-pQ9zR4"]]);
    const hideKey = createHideSecrets({ kind: "stdio", command: "x", args: [], env, cwd: "/" });
    const cut = `${" ".repeat(50_000)}bad${" ".repeat(19_990)}kW7-hunter2-pQ9zR4`;
    expect(hideKey(cut)).toBe("bad [hidden]");
  });

  it("find short values only as they are written, so that texts stay readable", () => {
    const env = new Map([["MODE", "Full"]]);
    const hideMode = createHideSecrets({ kind: "stdio", command: "x", args: [], env, cwd: "/" });
    expect(hideMode("Full: the disk is full")).toBe("[hidden]: the disk is full");
  });

  it.each<[string, Launch, string, string]>([
    [
      "a word after its option",
      stdio("--access-token", "sbp_0a1b"),
      "invalid access token sbp_0a1b",
      "invalid access token [hidden]",
    ],
    ["an option with its value", stdio("--api-key=abcd"), "bad key abcd", "bad key [hidden]"],
    [
      "a header",
      stdio("--header", "Authorization: token abcd"),
      "no token like abcd",
      "no token like [hidden]",
    ],
    ["a password in an address", stdio("postgres://app:hunter2@db/x"), "not hunter2", "not [hidden]"],
    ["a key in an address", stdio("https://host/0123456789abcdef/mcp"), "no 0123456789abcdef", "no [hidden]"],
    ["a token by its look", stdio("ghp_0123456789"), "revoked: ghp_0123456789", "revoked: [hidden]"],
    [
      "one in the command",
      { ...stdio(), command: "run --token abcd" },
      "bad token abcd",
      "bad token [hidden]",
    ],
    [
      "one of the container",
      { ...stdio(), isolation: { kind: "prefix", words: ["docker", "run", "-e", "API_KEY=abcd"] } },
      "bad key abcd",
      "bad key [hidden]",
    ],
    [
      "other words",
      stdio("--name", "docs", "/data/files"),
      "no /data/files of docs",
      "no /data/files of docs",
    ],
    [
      "a path segment",
      http("/s/MGI3YzQ2ZmUtOWU1Zi00/mcp"),
      "/s/MGI3YzQ2ZmUtOWU1Zi00/mcp: 404",
      "/s/[hidden]/mcp: 404",
    ],
    ["a query without a name", http("/mcp?ghp_0123456789"), "bad ghp_0123456789", "bad [hidden]"],
    ["other segments", http("/api/v2/mcp"), "/api/v2/mcp: 404", "/api/v2/mcp: 404"],
  ])("hide of arguments and addresses what is masked there: %s (SAFE-7)", (_, launch, text, shown) => {
    expect(createHideSecrets(launch)(text)).toBe(shown);
  });

  it("are made for an address with a % that encodes nothing", () => {
    const hideLogin = createHideSecrets({
      kind: "http",
      url: "http://us%er:x@localhost/",
      headers: new Map(),
    });
    expect(hideLogin("no us%er here")).toBe("no [hidden] here");
  });

  describe("with a key in PEM, which has hundreds of parts and forms", () => {
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const line = privateKey.split("\n")[5] ?? "";
    const hidePem = createHideSecrets({ ...stdio(), env: new Map([["PRIVATE_KEY", privateKey]]) });

    it.each([
      ["plain", "a".repeat(20_000)],
      ["with many cuts", "abcdef...".repeat(2_200)],
      ["with cut parts", `${line.slice(0, 40)}...`.repeat(460)],
      ["with beginnings of parts", line.slice(0, -1).repeat(300)],
      ["with stars", "*** ".repeat(5_000)],
      ["random", randomBytes(15_000).toString("base64")],
    ])("compare little of a long text that is %s (SAFE-4)", (_, text) => {
      hidePem("x".repeat(20_000));
      expect(countSteps(() => hidePem(text))).toBeLessThan(12 * text.length);
    });

    it("hide it whole, by lines, in base64, in hex and in every cut (SAFE-7)", () => {
      expect(hidePem(`bad: ${privateKey} is no key`)).toBe("bad: [hidden] is no key");
      expect(hidePem(`bad: ${line} is no key`)).toBe("bad: [hidden] is no key");
      const forms = [line, Buffer.from(line).toString("base64url"), Buffer.from(line).toString("hex")];
      for (const form of forms) {
        for (let length = 6; length < form.length; length += 1) {
          expect(hidePem(`bad ${form.slice(0, length)}`)).toBe("bad [hidden]");
          expect(hidePem(`${form.slice(-length)} is bad`)).toBe("[hidden] is bad");
          expect(hidePem(form.slice(3, 3 + length))).toBe("[hidden]");
        }
      }
    });
  });

  describe("with secrets that a server chose", () => {
    const indented = encodeURIComponent(
      JSON.stringify({ keys: Array(200).fill({ kid: "a" }) }, undefined, 2),
    );
    const alike = Array.from({ length: 400 }, (_, at) => `eyJhbGciOi${"a".repeat(at)}.${at}`);
    it.each<[string, readonly string[], string]>([
      ["one character", ["a".repeat(5_000)], "aaaaaab…".repeat(2_500)],
      ["one character, in long parts", ["a".repeat(5_000)], `${"a".repeat(999)}b…`.repeat(20)],
      ["one character, without cuts", ["a".repeat(5_000), `${"a".repeat(4_999)}b`], "a".repeat(20_000)],
      ["two characters", ["ab".repeat(2_500)], "abababb…".repeat(2_500)],
      ["much indentation", [indented], "%20%20%20…".repeat(2_000)],
      ["one beginning of many", alike, "eyJhbGciOi".repeat(2_000)],
      ["one beginning of many, with cuts", alike, "eyJhbGciOib…".repeat(1_600)],
    ])("compare little of a long text: %s (SAFE-4)", (_, secrets, text) => {
      const hideThem = createHideSecrets(http("/mcp"), () => secrets);
      hideThem("x".repeat(20_000));
      expect(countSteps(() => hideThem(text))).toBeLessThan(60 * text.length);
    });

    it.each([6, 7, 8, 100, 5_000])("hide %i characters of them, wherever they are cut (SAFE-7)", (length) => {
      const hideThem = createHideSecrets(http("/mcp"), () => ["a".repeat(5_000), indented]);
      const part = "a".repeat(length);
      for (const text of [part, `b ${part}`, `${part}…`, `…${part}`, `b…${part}…b`])
        expect(hideThem(text)).toBe(text.replace(part, "[hidden]"));
      const piece = indented.slice(40, 40 + length);
      expect(hideThem(`b…${piece}…b`)).toBe("b…[hidden]…b");
    });

    it("are hidden with the whole text where too many of them begin in it (SAFE-7)", () => {
      const hideThem = createHideSecrets(http("/mcp"), () => alike);
      expect(hideThem("eyJhbGciOi".repeat(2_000))).toBe("[hidden]");
      expect(hideThem(`the token ${alike[7]} is bad`)).toBe("the token [hidden] is bad");
    });
  });
});
