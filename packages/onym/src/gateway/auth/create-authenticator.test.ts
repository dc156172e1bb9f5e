import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeKey, type ServedIssuer, serveIssuer } from "../../../../../test/edge/serve-issuer.js";
import type { AuthSettings, IssuerSettings, TokenSettings } from "../../model/auth-settings.js";
import type { Log } from "../../model/log.js";
import type { AuthResult } from "./authenticate.js";
import { createAuthenticator } from "./create-authenticator.js";

const RESOURCE = "http://127.0.0.1:6696/mcp";
const METADATA = 'resource_metadata="http://127.0.0.1:6696/.well-known/oauth-protected-resource/mcp"';
const NO_TERMS = { profile: undefined, as: undefined, toolboxes: undefined };

function tokenOf(name: string, token: string, more: Partial<TokenSettings> = {}): TokenSettings {
  const hash = createHash("sha256").update(token).digest("hex");
  return { name, hash, expiresAt: undefined, ...NO_TERMS, ...more };
}

let logged: string;
let now: number;
beforeEach(() => {
  logged = "";
  now = Date.now();
});
const log: Log = (...entry) => {
  logged += JSON.stringify(entry);
};

function authenticatorFor(settings: Partial<AuthSettings> | undefined) {
  return createAuthenticator({
    settings: settings === undefined ? undefined : { tokens: [], oauth: [], ...settings },
    resource: () => RESOURCE,
    log,
    now: () => now,
  });
}

function withHeader(authorization: string): ReadonlyMap<string, string> {
  return new Map([["authorization", authorization]]);
}

describe("tokens of Onym's own", () => {
  const tokens = [
    tokenOf("ci", "secret-1", { profile: "openai", as: "tools", toolboxes: ["dev"] }),
    tokenOf("laptop", "secret-2", { expiresAt: 1_000 }),
  ];

  it("say who calls and what they get, without a wait", () => {
    const result = authenticatorFor({ tokens }).authenticate(withHeader("Bearer secret-1"));
    expect(result).toEqual({
      outcome: "known",
      principal: "ci",
      isAnonymous: false,
      profile: "openai",
      as: "tools",
      toolboxes: ["dev"],
      proof: { until: undefined, isRenewable: false, counts: expect.any(Function) },
    });
  });

  it("end when they expire", () => {
    const { authenticate } = authenticatorFor({ tokens });
    now = 999;
    expect(authenticate(withHeader("bearer secret-2"))).toMatchObject({ principal: "laptop" });
    now = 1_000;
    expect(authenticate(withHeader("bearer secret-2"))).toMatchObject({
      outcome: "refused",
      code: "unauthenticated",
    });
  });

  it.each([
    "Bearer secret-3",
    "Bearer secret-1x",
    "Bearer ",
    "Bearer",
    "Basic secret-1",
    "secret-1",
    "Bearer secret-1, Bearer secret-1",
    "Bearer secret-1 secret-2",
    `Bearer sha256:${tokens[0]?.hash}`,
    `Bearer ${tokens[0]?.hash}`,
    'Bearer "secret-1"',
    "Bearer \u0000secret-1",
  ])("are refused for %j, and nothing of it is repeated", (header) => {
    const result = authenticatorFor({ tokens }).authenticate(withHeader(header)) as AuthResult;
    expect(result).toMatchObject({ outcome: "refused", code: "unauthenticated" });
    expect(JSON.stringify(result) + logged).not.toMatch(/secret-|[0-9a-f]{64}/);
    expect(JSON.stringify(result)).toContain("invalid_token");
  });

  it("are asked for where none is sent, and no authorization server is named where there is none", () => {
    expect(authenticatorFor({ tokens }).authenticate(new Map())).toMatchObject({
      code: "unauthenticated",
      challenge: 'Bearer realm="onym"',
    });
    expect(authenticatorFor({ tokens }).metadata()).toBeUndefined();
  });

  it("stop working as soon as a config without them is in force (CFG-4)", () => {
    const authenticator = authenticatorFor(undefined);
    const anybody = { outcome: "known", principal: "local", isAnonymous: true };
    expect(authenticator.authenticate(new Map())).toMatchObject(anybody);
    authenticator.adopt({ tokens, oauth: [] });
    expect(authenticator.authenticate(new Map())).toMatchObject({ outcome: "refused" });
    expect(authenticator.authenticate(withHeader("Bearer secret-1"))).toMatchObject({ principal: "ci" });
    authenticator.adopt({ tokens: tokens.slice(1), oauth: [] });
    expect(authenticator.authenticate(withHeader("Bearer secret-1"))).toMatchObject({ outcome: "refused" });
  });
});

describe("tokens of an authorization server", () => {
  let served: ServedIssuer;
  beforeEach(async () => {
    served = await serveIssuer();
  });
  afterEach(() => served.close());
  const issuerOf = (more: Partial<IssuerSettings> = {}): IssuerSettings => ({
    issuer: served.issuer,
    audience: [],
    jwksUri: undefined,
    scopes: [],
    map: undefined,
    ...more,
  });
  const judge = async (token: string, more: Partial<IssuerSettings> = {}, tokens: TokenSettings[] = []) =>
    authenticatorFor({ tokens, oauth: [issuerOf(more)] }).authenticate(withHeader(`Bearer ${token}`));

  it("count when the issuer signed them for this gateway; its keys are found by its metadata", async () => {
    expect(await judge(await served.sign({ aud: RESOURCE }))).toEqual({
      outcome: "known",
      principal: "ann",
      isAnonymous: false,
      ...NO_TERMS,
      proof: { until: expect.any(Number), isRenewable: true, counts: expect.any(Function) },
    });
    expect(served.asked).toEqual(["/.well-known/oauth-authorization-server", "/jwks"]);
  });

  it("count for another audience only where the config says so", async () => {
    const token = await served.sign({ aud: ["api://onym", "other"] });
    expect(await judge(token)).toMatchObject({ code: "unauthenticated" });
    expect(await judge(token, { audience: ["api://onym"] })).toMatchObject({ principal: "ann" });
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  it.each<[string, () => Promise<string>]>([
    ["expired", () => served.sign({ aud: RESOURCE, exp: seconds() - 60 })],
    ["not valid yet", () => served.sign({ aud: RESOURCE, nbf: seconds() + 600 })],
    ["without an end", () => served.sign({ aud: RESOURCE, exp: undefined })],
    ["without a subject", () => served.sign({ aud: RESOURCE, sub: undefined })],
    ["with an empty subject", () => served.sign({ aud: RESOURCE, sub: "" })],
    ["without an audience", () => served.sign({})],
    ["for another audience", () => served.sign({ aud: "http://127.0.0.1:6696/mcp2" })],
    ["of another issuer", () => served.sign({ aud: RESOURCE, iss: "https://evil.example" })],
    ["without an issuer", () => served.sign({ aud: RESOURCE, iss: undefined })],
    ["signed with an unknown key", async () => served.sign({ aud: RESOURCE }, await makeKey("two"))],
    [
      "signed with another key under a known id",
      async () => served.sign({ aud: RESOURCE }, await makeKey("one")),
    ],
    ["unsigned (alg none)", async () => unsigned(await served.sign({ aud: RESOURCE }), { alg: "none" })],
    ["with a changed payload", async () => changed(await served.sign({ aud: RESOURCE }))],
    ["no token at all", async () => "zzzzzz.QQQQQQQQ.zzzzzz"],
  ])("do not count when they are %s", async (_, make) => {
    const token = await make();
    const result = await judge(token);
    expect(result).toMatchObject({ outcome: "refused", code: "unauthenticated" });
    const { challenge } = result as { challenge: string };
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(METADATA);
    expect(JSON.stringify(result) + logged).not.toContain(token.split(".")[1]);
  });

  it("do not count when they are signed with the public key as a shared secret", async () => {
    const { SignJWT, exportSPKI } = await import("jose");
    const { publicKey } = await makeKey("one");
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    const token = await new SignJWT({ iss: served.issuer, aud: RESOURCE, sub: "ann", exp: seconds() + 600 })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .sign(secret);
    expect(await judge(token)).toMatchObject({ outcome: "refused", code: "unauthenticated" });
  });

  it("need every scope that is asked for; else 403 says which", async () => {
    const scopes = ["tools:call", "tools:list"];
    const good = await served.sign({ aud: RESOURCE, scope: "tools:list other tools:call" });
    expect(await judge(good, { scopes })).toMatchObject({ principal: "ann" });
    const list = await served.sign({ aud: RESOURCE, scp: scopes });
    expect(await judge(list, { scopes })).toMatchObject({ principal: "ann" });
    const poor = await served.sign({ aud: RESOURCE, scope: "tools:list tools:callx" });
    expect(await judge(poor, { scopes })).toMatchObject({
      code: "forbidden",
      challenge: expect.stringContaining('error="insufficient_scope"'),
    });
    expect((await judge(poor, { scopes })) as { challenge: string }).toMatchObject({
      challenge: expect.stringContaining('scope="tools:call tools:list"'),
    });
  });

  it("get what the first fitting entry of the map says, and nothing where none fits", async () => {
    const map = [
      { claims: { groups: "ops" }, scope: undefined, ...NO_TERMS, toolboxes: ["ops"] },
      { claims: {}, scope: "dev", ...NO_TERMS, profile: "openai", toolboxes: ["dev"] },
    ];
    const get = async (claims: object) => judge(await served.sign({ aud: RESOURCE, ...claims }), { map });
    expect(await get({ groups: ["x", "ops"], scope: "dev" })).toMatchObject({ toolboxes: ["ops"] });
    expect(await get({ groups: "ops2", scope: "dev" })).toMatchObject({
      profile: "openai",
      toolboxes: ["dev"],
    });
    expect(await get({ groups: "x" })).toMatchObject({ code: "forbidden" });
  });

  it("never pass for a token of Onym's own, or for who calls over stdio (POL-2)", async () => {
    for (const sub of ["ci", "local"]) {
      const token = await served.sign({ aud: RESOURCE, sub });
      expect(await judge(token, {}, [tokenOf("ci", "s")])).toMatchObject({
        outcome: "refused",
        code: "forbidden",
      });
    }
  });

  it("of several issuers are told apart by issuer", async () => {
    const other = await serveIssuer();
    try {
      const oauth = [issuerOf(), issuerOf({ issuer: other.issuer, jwksUri: other.jwksUri })];
      const { authenticate, metadata } = authenticatorFor({ oauth });
      for (const each of [served, other]) {
        const token = await each.sign({ aud: RESOURCE });
        expect(await authenticate(withHeader(`Bearer ${token}`))).toMatchObject({
          principal: `${each.issuer}#ann`,
        });
      }
      const mixed = await served.sign({ aud: RESOURCE, iss: other.issuer });
      expect(await authenticate(withHeader(`Bearer ${mixed}`))).toMatchObject({ code: "unauthenticated" });
      expect(metadata()).toMatchObject({ authorization_servers: [served.issuer, other.issuer] });
    } finally {
      await other.close();
    }
  });

  it("are verified once, then known for a minute at most, and not beyond their end", async () => {
    const { authenticate } = authenticatorFor({ oauth: [issuerOf()] });
    const headers = withHeader(`Bearer ${await served.sign({ aud: RESOURCE, exp: seconds() + 30 })}`);
    expect(authenticate(headers)).toBeInstanceOf(Promise);
    await authenticate(headers);
    expect(authenticate(headers)).toMatchObject({ principal: "ann" });
    now += 40_000;
    expect(await authenticate(headers)).toMatchObject({ outcome: "refused", code: "unauthenticated" });
  });

  it("count for two minutes at most after their issuer withdrew the key that signed them", async () => {
    // jose goes by the system clock.
    vi.useFakeTimers({ toFake: ["Date"], now });
    onTestFinished(() => void vi.useRealTimers());
    const pass = (ms: number) => {
      now += ms;
      vi.setSystemTime(now);
    };
    const { authenticate } = authenticatorFor({ oauth: [issuerOf()] });
    const before = withHeader(`Bearer ${await served.sign({ aud: RESOURCE })}`);
    expect(await authenticate(before)).toMatchObject({ principal: "ann" });
    await served.withdrawKey();
    pass(59_999);
    // Its keys are as old as they may be, and the token is known for a minute more.
    const other = withHeader(`Bearer ${await served.sign({ aud: RESOURCE })}`);
    expect(await authenticate(before)).toMatchObject({ principal: "ann" });
    pass(60_001);
    expect(await authenticate(before)).toMatchObject({
      outcome: "refused",
      code: "unauthenticated",
      reason: "the token is signed with a key that its issuer does not have",
    });
    expect(await authenticate(other)).toMatchObject({ principal: "ann" });
  });

  it("cannot be judged while the issuer is down: nobody gets in, and clients may try again", async () => {
    served.fail();
    const result = await judge(await served.sign({ aud: RESOURCE }));
    expect(result).toMatchObject({ outcome: "refused", code: "auth-unavailable" });
    const known = await judge(await served.sign({ aud: RESOURCE }), { jwksUri: served.jwksUri });
    expect(known).toMatchObject({ outcome: "refused", code: "auth-unavailable" });
    expect(logged).toContain("cannot be checked");
  });

  it("are logged once a minute while the issuer is down, however many come", async () => {
    served.fail();
    const { authenticate } = authenticatorFor({ oauth: [issuerOf()] });
    const lines = () => logged.split("cannot be checked").length;
    const before = lines();
    const come = async () => authenticate(withHeader(`Bearer ${await served.sign({ aud: RESOURCE })}`));
    for (let n = 0; n < 3; n += 1) expect(await come()).toMatchObject({ code: "auth-unavailable" });
    expect(lines() - before).toBe(1);
    now += 60_000;
    await come();
    expect(lines() - before).toBe(2);
  });

  it.each([
    ["one below", -1, { principal: "ann" }],
    ["at", 0, { principal: "ann" }],
    ["one above", 1, { outcome: "refused", code: "auth-unavailable" }],
  ])(
    "cannot be judged with a key set that is too large: %s the limit (limits: MAX_BYTES of issuer-keys) (SAFE-4)",
    async (_, over, result) => {
      const keys = await (await fetch(served.jwksUri)).text();
      served.pad(262_144 - keys.length + over);
      expect(await judge(await served.sign({ aud: RESOURCE }), { jwksUri: served.jwksUri })).toMatchObject(
        result,
      );
    },
  );

  it("cannot be judged with metadata that is too large (SAFE-4)", async () => {
    served.pad(262_144);
    expect(await judge(await served.sign({ aud: RESOURCE }))).toMatchObject({
      outcome: "refused",
      code: "auth-unavailable",
    });
    expect(served.asked).not.toContain("/jwks");
  });

  it("are asked for with the way to get one", async () => {
    const { authenticate, metadata } = authenticatorFor({ oauth: [issuerOf({ scopes: ["mcp"] })] });
    expect(authenticate(new Map())).toMatchObject({
      code: "unauthenticated",
      challenge: `Bearer scope="mcp", ${METADATA}`,
    });
    expect(metadata()).toEqual({
      resource: RESOURCE,
      authorization_servers: [served.issuer],
      bearer_methods_supported: ["header"],
      scopes_supported: ["mcp"],
      resource_name: "Onym",
    });
  });
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function unsigned(token: string, header: object): string {
  return `${encode(header)}.${token.split(".")[1]}.`;
}

function changed(token: string): string {
  const [head, body = "", signature] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
  return `${head}.${encode({ ...claims, sub: "eve" })}.${signature}`;
}
