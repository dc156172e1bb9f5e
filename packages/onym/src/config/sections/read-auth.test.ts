import { describe, expect, it } from "vitest";
import { OnymError } from "../../model/onym-error.js";
import { readConfig } from "../read-config.js";
import { confinesAnybody } from "./read-auth.js";

const HASH = `sha256:${"a1".repeat(32)}`;
const OTHER = `sha256:${"b2".repeat(32)}`;
const TOOLBOXES = { dev: { mcpServers: { fs: { tools: [] } } }, ops: { mcpServers: { db: { tools: [] } } } };

function read(auth: unknown) {
  return readConfig(JSON.stringify({ toolboxes: TOOLBOXES, auth }), {
    file: "onym.json",
    folder: "/project",
    isClientFile: false,
    env: {},
    readText: () => ({ reason: "no" }),
  }).auth;
}

function mistake(auth: unknown): string {
  try {
    read(auth);
  } catch (error) {
    if (error instanceof OnymError) return `${error.message} ${error.hint}`;
  }
  return "";
}

describe("the section auth", () => {
  it("is read with every default filled in", () => {
    expect(read(undefined)).toBeUndefined();
    const tokens = [
      { name: "ci", hash: HASH, profile: "openai", as: "x", toolboxes: ["dev"], expires: "2026-12-31" },
      { name: "b", hash: OTHER, expires: "2026-12-31T00:00:00+01:00" },
    ];
    expect(read({ url: "http://10.0.0.1:6696/mcp", tokens })).toEqual({
      url: "http://10.0.0.1:6696/mcp",
      tokens: [
        {
          name: "ci",
          hash: "a1".repeat(32),
          profile: "openai",
          as: "x",
          toolboxes: ["dev"],
          expiresAt: Date.UTC(2027, 0, 1),
        },
        expect.objectContaining({ name: "b", expiresAt: Date.UTC(2026, 11, 30, 23) }),
      ],
      oauth: [],
    });
  });

  it("takes one authorization server or several", () => {
    const issuer = "https://auth.example.com/";
    expect(read({ oauth: { issuer, audience: "a", map: [{ claims: { g: "x" } }] } })?.oauth).toMatchObject([
      { issuer, audience: ["a"], scopes: [], map: [{ claims: { g: "x" }, scope: undefined }] },
    ]);
    const several = [{ issuer }, { issuer: "http://localhost:9/x", scopes: ["a:b"] }];
    expect(read({ oauth: several })?.oauth.map((each) => each.issuer)).toEqual([
      issuer,
      "http://localhost:9/x",
    ]);
  });

  it.each([
    ["as the hash", { tokens: [{ name: "ci", hash: "hunter2-secret" }] }],
    ["as a hash in capitals", { tokens: [{ name: "ci", hash: `sha256:${"HUNTER2-SECRET"}` }] }],
    ["beside the hash", { tokens: [{ name: "ci", hash: HASH, token: "hunter2-secret" }] }],
    ["instead of the hash", { tokens: [{ name: "ci", token: "hunter2-secret" }] }],
    ["instead of an entry", { tokens: ["hunter2-secret"] }],
  ])("refuses a plain token %s, does not show it, and tells of onym token", (_, auth) => {
    const told = mistake(auth);
    expect(told).toContain("onym token");
    expect(told.toLowerCase()).not.toContain("hunter2");
  });

  it.each<[string, unknown, RegExp]>([
    ["nobody", {}, /Nobody could connect/],
    ["no token", { tokens: [] }, /Nobody could connect/],
    [
      "a name twice",
      {
        tokens: [
          { name: "a", hash: HASH },
          { name: "a", hash: OTHER },
        ],
      },
      /tokens\[1\]\.name/,
    ],
    [
      "a hash twice",
      {
        tokens: [
          { name: "a", hash: HASH },
          { name: "b", hash: HASH },
        ],
      },
      /tokens\[1\]\.hash/,
    ],
    ["the name of stdio callers", { tokens: [{ name: "local", hash: HASH }] }, /stdio/],
    ["an empty name", { tokens: [{ name: "", hash: HASH }] }, /not empty/],
    ["an unknown key", { tokens: [{ name: "a", hash: HASH, profil: "x" }] }, /Did you mean "profile"/],
    ["an unknown key of oauth", { oauth: { issuer: "https://a.b", scope: [] } }, /Did you mean "scopes"/],
    [
      "an unknown key in a list",
      { oauth: [{ issuer: "https://a.b", aud: "x" }] },
      /The keys here are issuer/,
    ],
    ["an unknown profile", { tokens: [{ name: "a", hash: HASH, profile: "opnai" }] }, /openai/],
    ["an unknown toolbox", { tokens: [{ name: "a", hash: HASH, toolboxes: ["dve"] }] }, /Did you mean "dev"/],
    ["no toolbox", { tokens: [{ name: "a", hash: HASH, toolboxes: [] }] }, /sees nothing/],
    ["a bad day", { tokens: [{ name: "a", hash: HASH, expires: "soon" }] }, /YYYY-MM-DD/],
    ["an issuer in the clear", { oauth: { issuer: "http://auth.example.com" } }, /https/],
    ["an issuer that only looks near", { oauth: { issuer: "http://localhost.evil.example" } }, /https/],
    ["keys in the clear", { oauth: { issuer: "https://a.b", jwksUri: "http://a.b/keys" } }, /https/],
    ["an address that is none", { url: "onym", oauth: { issuer: "https://a.b" } }, /auth\.url/],
    ["two scopes in one", { oauth: { issuer: "https://a.b", scopes: ["a b"] } }, /no scope/],
    ["a scope with a quote", { oauth: { issuer: "https://a.b", scopes: ['a"b'] } }, /no scope/],
    ["an issuer twice", { oauth: [{ issuer: "https://a.b" }, { issuer: "https://a.b" }] }, /oauth\[1\]/],
    [
      "an unknown toolbox in the map",
      { oauth: { issuer: "https://a.b", map: [{ toolboxes: ["x"] }] } },
      /map\[0\]/,
    ],
  ])("refuses %s (CFG-2)", (_, auth, words) => {
    expect(mistake(auth)).toMatch(words);
  });

  it("knows whether anybody is confined", () => {
    expect(confinesAnybody(undefined)).toBe(false);
    expect(confinesAnybody(read({ tokens: [{ name: "a", hash: HASH }] }))).toBe(false);
    expect(confinesAnybody(read({ tokens: [{ name: "a", hash: HASH, toolboxes: ["dev"] }] }))).toBe(true);
    const map = [{ toolboxes: ["dev"] }];
    expect(confinesAnybody(read({ oauth: { issuer: "https://a.b", map } }))).toBe(true);
  });
});
