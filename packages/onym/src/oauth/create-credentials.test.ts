// Tokens while they are in use, with a real authorization server, a real store, and a clock that is set.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AuthorizationServer,
  serveAuthorization,
} from "../../../../test/servers/serve-authorization.js";
import type { OAuthLaunch } from "../model/launch.js";
import { openStore } from "../store/open-store.js";
import type { Store } from "../store/store.js";
import { createCredentials } from "./create-credentials.js";
import type { Grant } from "./grant.js";
import { createGrantStore, type GrantStore } from "./grant-store.js";
import { createKeptTokens } from "./kept-tokens.js";
import { renewGrant } from "./renew-grant.js";

const settings: OAuthLaunch = {
  clientId: undefined,
  clientSecret: undefined,
  issuer: undefined,
  scopes: undefined,
  callbackPort: undefined,
  grant: "authorization_code",
};
const place = { given: "5a".repeat(32), file: undefined };
const RESOURCE = "https://crm.example/mcp";

let issuer: AuthorizationServer;
let store: Store;
let grants: GrantStore;
let time: number;
const now = () => time;

beforeAll(async () => {
  issuer = await serveAuthorization();
  store = await openStore({ location: ":memory:", folder: "/" });
});
afterAll(async () => {
  await store.close();
  await issuer.close();
});

beforeEach(async () => {
  time = 1_000_000;
  issuer.answers.clear();
  issuer.setLife(100);
  grants = createGrantStore(store.secrets, place, { server: "crm", toolbox: undefined, url: RESOURCE });
  await grants.remove();
});

/** As if somebody had signed in, with tokens of the client's own. */
async function keep(change: Partial<Grant> = {}): Promise<Grant> {
  const { access, refresh } = issuer.issueFor(RESOURCE);
  const grant: Grant = {
    issuer: issuer.issuer,
    tokenEndpoint: `${issuer.issuer}/token`,
    revocationEndpoint: undefined,
    resource: RESOURCE,
    scope: undefined,
    client: { id: "me", secret: undefined, method: "none", registeredFor: "http://127.0.0.1:1/callback" },
    tokens: { access, refresh, issuedAt: time, expiresAt: time + 100_000 },
    renewingUntil: undefined,
    ...change,
  };
  await grants.write(grant);
  return grant;
}

const create = () =>
  createCredentials({
    source: createKeptTokens({ openGrants: async () => grants, settings, command: "onym login crm", now }),
    command: "onym login crm",
    isConfigured: false,
    watch: store.watch,
    now,
  });
const renewals = () => issuer.asked.filter(({ path }) => path === "/token").length;

describe("tokens in use", () => {
  it("are read once, and renewed beside the calls when the last fifth of their life begins", async () => {
    const { tokens } = await keep();
    const credentials = create();
    expect(credentials.header()).toBeUndefined();
    const header = `Bearer ${tokens?.access}`;
    expect(await credentials.obtain()).toEqual({ kind: "header", header });
    const before = renewals();
    time += 79_000;
    expect(credentials.header()).toBe(header);
    expect(renewals()).toBe(before);
    time += 2_000;
    // Nobody waits: the old one is still good.
    expect(credentials.header()).toBe(header);
    const { header: next } = (await credentials.obtain()) as { header: string };
    expect(next).not.toBe(header);
    expect(credentials.header()).toBe(next);
    expect(renewals()).toBe(before + 1);
    const read = await grants.read();
    expect(read.kind === "grant" && `Bearer ${read.grant.tokens?.access}`).toBe(next);
    credentials.close();
  });

  it("go on while nobody can renew them, until they have run out", async () => {
    await keep();
    const credentials = create();
    const first = await credentials.obtain();
    issuer.answers.set("/token", () => ({ status: 503 }));
    time += 90_000;
    const before = renewals();
    expect({ kind: "header", header: credentials.header() }).toEqual(first);
    // The same as what is at work now.
    expect(await credentials.obtain()).toMatchObject({
      kind: "trouble",
      reason: expect.stringContaining("503"),
    });
    expect({ kind: "header", header: credentials.header() }).toEqual(first);
    expect(renewals()).toBe(before + 1);
    time += 20_000;
    expect(credentials.header()).toBeUndefined();
    expect(await credentials.obtain()).toMatchObject({ kind: "trouble", hint: "It is tried again." });
    expect(credentials.needsSignIn()).toBe(false);
    issuer.answers.clear();
    expect(await credentials.obtain()).toMatchObject({
      kind: "header",
      header: expect.stringMatching(/^Bearer at_/),
    });
    credentials.close();
  });

  it("are not waited for without end, and nobody else can renew meanwhile", async () => {
    await keep();
    const [one, two] = [create(), create()];
    await Promise.all([one.obtain(), two.obtain()]);
    issuer.answers.set("/token", () => ({ never: true }));
    time += 100_000;
    const before = renewals();
    const answers = await Promise.all([one.obtain(), one.obtain(), one.obtain()]);
    for (const answer of answers)
      expect(answer).toMatchObject({ reason: expect.stringContaining("did not answer within 10 s") });
    expect(renewals()).toBe(before + 1);
    issuer.answers.clear();
    expect(await two.obtain()).toMatchObject({ header: expect.stringMatching(/^Bearer at_/) });
    expect(await one.obtain()).toEqual(await two.obtain());
    one.close();
    two.close();
  });

  it("end with what the other side says, for every process, without asking again", async () => {
    await keep();
    const [one, two] = [create(), create()];
    const first = await one.obtain();
    expect(await two.obtain()).toEqual(first);
    issuer.revokeAll();
    const { header: sent } = first as { header: string };
    const refusal = { status: 401, sent, challenge: undefined };
    const before = renewals();
    expect(await one.refused(refusal)).toMatchObject({
      reason: expect.stringContaining("invalid_grant"),
    });
    expect(await two.refused(refusal)).toMatchObject({
      reason: expect.stringContaining("needs a sign-in"),
    });
    expect(renewals()).toBe(before + 1);
    expect([one.needsSignIn(), two.needsSignIn()]).toEqual([true, true]);
    const told = new Promise<void>((resolve) => two.onSignIn(resolve));
    await keep();
    await told;
    expect(two.header()).toMatch(/^Bearer at_/);
    one.close();
    two.close();
  });

  it("are not waited for where the store is away, unless the server wants them", async () => {
    const gone = await openStore({ location: ":memory:", folder: "/" });
    await gone.close();
    const lost = createGrantStore(gone.secrets, place, { server: "crm", toolbox: undefined, url: RESOURCE });
    const credentials = createCredentials({
      source: createKeptTokens({ openGrants: async () => lost, settings, command: "onym login crm", now }),
      command: "onym login crm",
      isConfigured: false,
      now,
    });
    expect(await credentials.obtain()).toEqual({ kind: "header", header: "" });
    expect(await credentials.refused({ status: 401, sent: "", challenge: "Bearer" })).toMatchObject({
      kind: "trouble",
      reason: expect.stringContaining("its tokens cannot be had"),
    });
    expect(credentials.needsSignIn()).toBe(false);
  });

  it("are not wanted by who refuses without a word of OAuth", async () => {
    const credentials = create();
    expect(await credentials.obtain()).toEqual({ kind: "header", header: "" });
    expect(credentials.header()).toBe("");
    expect(await credentials.refused({ status: 401, sent: "", challenge: 'Basic realm="x"' })).toEqual({
      kind: "header",
      header: "",
    });
    expect(credentials.needsSignIn()).toBe(false);
    credentials.close();
  });
});

it("a sign-in that is not good for all is told of with the scope, and kept", async () => {
  await keep();
  const credentials = create();
  const { header: sent } = (await credentials.obtain()) as { header: string };
  const challenge = 'Bearer error="insufficient_scope", scope="leads:write"';
  expect(await credentials.refused({ status: 403, sent, challenge })).toMatchObject({
    reason: expect.stringContaining('it wants the scope "leads:write"'),
    hint: "Run onym login crm --scope leads:write.",
  });
  expect(await credentials.refused({ status: 403, sent, challenge: undefined })).toEqual({
    kind: "header",
    header: sent,
  });
  expect(credentials.header()).toBe(sent);
  credentials.close();
});

it.each([
  ["leads:write offline_access", "leads:write offline_access"],
  ["a --config /elsewhere/onym.json", "SCOPE"],
  ["--as root", "SCOPE"],
  ["a;reboot", "SCOPE"],
  ["$(reboot)", "SCOPE"],
  ["a\u001B[31m", "SCOPE"],
  ["a\tb", "SCOPE"],
  ["a  b", "SCOPE"],
  ["x".repeat(120), "x".repeat(120)],
  ["x".repeat(121), "SCOPE"],
])(
  "what a server calls a scope, %j, is no part of a command unless it is plain (SAFE-1)",
  async (scope, shown) => {
    await keep();
    const credentials = create();
    const { header: sent } = (await credentials.obtain()) as { header: string };
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    const refused = (await credentials.refused({ status: 403, sent, challenge })) as Record<string, string>;
    expect(refused["hint"]).toBe(`Run onym login crm --scope ${shown}.`);
    expect(refused["reason"]?.length).toBeLessThan(200);
    credentials.close();
  },
);

describe("a renewal", () => {
  it("waits for a process that is at it, and takes over from one that died", async () => {
    const { tokens } = await keep({ renewingUntil: time + 15_000 });
    const before = renewals();
    let pauses = 0;
    const pause = async (ms: number): Promise<void> => {
      pauses += 1;
      time += ms;
    };
    const renewal = await renewGrant({ grants: grants, settings, spent: tokens?.access ?? "", now, pause });
    expect(renewal.kind).toBe("grant");
    expect(pauses).toBe(75);
    expect(renewals()).toBe(before + 1);
  });

  it("takes what another process has stored meanwhile", async () => {
    const { tokens } = await keep({ renewingUntil: time + 15_000 });
    const before = renewals();
    let next: Grant | undefined;
    const pause = async (): Promise<void> => {
      next = await keep();
    };
    const renewal = await renewGrant({ grants: grants, settings, spent: tokens?.access ?? "", now, pause });
    expect(renewal).toEqual({ kind: "grant", grant: next });
    expect(renewals()).toBe(before);
  });

  it("gives way to who signed in while the other side said no", async () => {
    const { tokens } = await keep();
    let next: Grant | undefined;
    issuer.revokeAll();
    issuer.answers.set("/token", () => undefined);
    const slow = {
      ...grants,
      swap: async (...given: Parameters<GrantStore["swap"]>) => {
        const held = await grants.swap(...given);
        if (held !== undefined && next === undefined) next = await keep();
        return held;
      },
    };
    const renewal = await renewGrant({
      grants: slow,
      settings,
      spent: tokens?.access ?? "",
      now,
      pause: async () => {},
    });
    expect(renewal).toEqual({ kind: "grant", grant: next });
  });

  it("is kept although the store was away for a moment", async () => {
    const { tokens } = await keep();
    let failures = 2;
    let writes = 0;
    const away = {
      ...grants,
      swap: async (...given: Parameters<GrantStore["swap"]>) => {
        writes += 1;
        // The first takes hold; the second is what must not be lost.
        if (writes > 1 && failures > 0) {
          failures -= 1;
          throw new Error("the store is away");
        }
        return grants.swap(...given);
      },
    };
    const before = renewals();
    const options = { grants: away, settings, spent: tokens?.access ?? "", now, pause: async () => {} };
    const renewal = await renewGrant(options);
    expect(renewal.kind).toBe("grant");
    expect(await grants.read()).toMatchObject({ grant: renewal.kind === "grant" ? renewal.grant : {} });
    expect(renewals()).toBe(before + 1);
  });

  it("is over where there is nothing to renew with", async () => {
    const { tokens } = await keep({ tokens: { access: "x", refresh: undefined, issuedAt: 0, expiresAt: 1 } });
    const options = { grants: grants, settings, spent: tokens?.access ?? "", now, pause: async () => {} };
    expect(await renewGrant(options)).toMatchObject({ kind: "over" });
    expect(await renewGrant(options)).toMatchObject({ kind: "over", reason: "the sign-in has ended" });
    await grants.remove();
    expect(await renewGrant(options)).toEqual({ kind: "none" });
  });
});

it("a damaged secret is told of, and not written over", async () => {
  await keep();
  const rows = new Map<string, Uint8Array>();
  const { secrets } = store;
  const spy = createGrantStore(
    {
      ...secrets,
      read: async (key) => {
        const sealed = await secrets.read(key);
        if (sealed !== undefined) rows.set(key, sealed);
        return sealed;
      },
    },
    place,
    { server: "crm", toolbox: undefined, url: RESOURCE },
  );
  await spy.read();
  const [[key, sealed] = ["", new Uint8Array()]] = rows;
  const damaged = Uint8Array.from(sealed, (byte, index) => (index === 40 ? byte ^ 1 : byte));
  await secrets.write(key, damaged);
  const credentials = create();
  expect(await credentials.obtain()).toMatchObject({ reason: expect.stringContaining("damaged") });
  expect(await secrets.read(key)).toEqual(damaged);
  credentials.close();
});
