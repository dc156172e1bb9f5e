// Signing in to servers behind Onym: their tokens are Onym's own, kept encrypted, renewed, and sent nowhere else (POL-1).

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AuthorizationServer,
  KNOWN_CLIENT,
  serveAuthorization,
} from "../servers/serve-authorization.js";
import { type GuardedServer, serveGuarded } from "../servers/serve-guarded.js";
import { onymFolder, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern, type RawAnswer } from "./harness-raw.js";
import { browse, runCommand, signIn, startCommand } from "./harness-sign-in.js";

let stage: Stage;
let issuer: AuthorizationServer;
let crm: GuardedServer;
let dir: string;
const closing: (() => Promise<void> | void)[] = [];

beforeEach(async () => {
  stage = await createStage();
  issuer = await serveAuthorization();
  const behind = await stage.control.startHttp({ label: "crm", tools: ["get_leads"] });
  crm = await serveGuarded(behind.url, issuer);
  const folder = onymFolder({ config: configOf() });
  dir = folder.dir;
  closing.push(stage.close, issuer.close, crm.close, behind.close, folder.remove);
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function configOf(entry: object = {}) {
  return {
    mcpServers: {
      crm: { url: crm.url, ...entry },
      files: stage.entry({ label: "files", tools: ["read_file"] }),
    },
  };
}

function configure(config: unknown): void {
  writeFileSync(join(dir, "onym.json"), JSON.stringify(config));
}

const start = (): Promise<RunningOnym> => stage.start({ dir, args: ["--verbose"] });

function call(onym: RunningOnym, name = "crm_get_leads"): Promise<RawAnswer> {
  return askModern({ url: `${onym.url}/openai`, method: "tools/call", params: { name } });
}

const asks = (path: string, grant?: string): number =>
  issuer.asked.filter(
    (each) => each.path === path && (grant === undefined || each.form.get("grant_type") === grant),
  ).length;

/** Everything that was kept in the folder, but for the key. */
function bytesOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, name), "latin1"))
    .join("\n");
}

describe("a server that wants a sign-in", () => {
  it("is told of with the command to run, while all others work, and comes up by itself after it", async () => {
    const onym = await start();
    await onym.said(/down +crm +\S+: it needs a sign-in\s+Run onym login crm/);
    expect((await call(onym, "files_read_file")).result).toBeDefined();
    expect((await call(onym)).text).not.toContain('"result":{"content"');
    const before = crm.headers.length;

    const doctor = await runCommand(dir, ["doctor", "--json"]);
    const { servers } = JSON.parse(doctor.out);
    expect(servers[0]).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("needs a sign-in"),
    });
    expect(servers[0].hint).toContain("onym login crm");
    // One attempt of its own, and none of the gateway meanwhile.
    expect(crm.headers.length).toBe(before + 1);

    const command = startCommand(dir, ["login", "crm"]);
    const page = await browse(await command.address);
    expect(page).toContain("You can close this window");
    const login = await command.ended;
    expect(login).toMatchObject({ code: 0, err: "" });
    expect(login.out).toContain(`signed in to "crm" by ${issuer.issuer}. It is renewed by itself.`);

    await onym.said(/ready +crm/);
    expect((await call(onym)).result).toBeDefined();
    const asked = issuer.asked.find(({ path }) => path === "/authorize")?.form;
    expect(asked?.get("resource")).toBe(crm.url);
    expect(asked?.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const registered = issuer.asked.find(({ path }) => path === "/register")?.json;
    expect(registered).toMatchObject({ application_type: "native", token_endpoint_auth_method: "none" });

    expect((await runCommand(dir, ["doctor", "--json"])).out).toMatch(/"server": "crm",\s+"status": "ready"/);
    const kept = bytesOf(dir);
    for (const secret of issuer.given()) {
      expect(kept).not.toContain(secret);
      expect(onym.stderr() + login.out + doctor.out + doctor.err).not.toContain(secret);
    }
    expect(statSync(join(dir, ".local/state/onym/secret.key")).mode & 0o777).toBe(0o600);
  });

  it("gets new tokens once for all calls that were refused, and after a restart", async () => {
    await signIn(dir, "crm");
    const onym = await start();
    await onym.said(/ready +crm/);
    issuer.expireAll();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(onym)));
    expect(answers.filter(({ result }) => result === undefined)).toEqual([]);
    expect(asks("/token", "refresh_token")).toBe(1);
    await onym.stop();

    issuer.expireAll();
    const next = await start();
    await next.said(/ready +crm/);
    expect((await call(next)).result).toBeDefined();
    expect(asks("/token", "refresh_token")).toBe(2);
  });

  it("has to be signed in to again when the sign-in was revoked, and says so", async () => {
    await signIn(dir, "crm");
    const onym = await start();
    await onym.said(/ready +crm/);
    issuer.revokeAll();
    const refused = await call(onym);
    expect(refused.text).toMatch(
      /needs a sign-in: the sign-in has ended \(invalid_grant.*Run onym login crm/,
    );
    await onym.said(/down +crm/);
    expect((await call(onym)).text).toContain("onym login crm");
    expect((await call(onym, "files_read_file")).result).toBeDefined();
    expect(asks("/token", "refresh_token")).toBe(1);
    expect((await signIn(dir, "crm")).code).toBe(0);
    await onym.said(/ready +crm[\s\S]*down +crm[\s\S]*ready +crm/);
    expect((await call(onym)).result).toBeDefined();
    for (const secret of issuer.given()) expect(onym.stderr() + refused.text).not.toContain(secret);
  });

  it("is signed out of at once, here and there", async () => {
    await signIn(dir, "crm");
    const onym = await start();
    await onym.said(/ready +crm/);
    const [token = ""] = issuer.given();
    const out = await runCommand(dir, ["logout", "crm", "--json"]);
    expect(JSON.parse(out.out)).toEqual({ server: "crm", status: "signed-out", isRevoked: true });
    expect(issuer.takes(token, crm.url)).toBe(false);
    expect((await call(onym)).text).toContain("needs a sign-in");
    await onym.said(/down +crm/);
    expect(await runCommand(dir, ["logout", "crm"])).toMatchObject({
      code: 1,
      err: 'Nobody is signed in to "crm".\n',
    });
  });

  it("never gets the token that another address of that id was given", async () => {
    await signIn(dir, "crm");
    const other = await serveGuarded(`http://127.0.0.1:9/mcp`, issuer);
    closing.push(other.close);
    configure({ mcpServers: { crm: { url: other.url } } });
    const onym = await start();
    await onym.said(/down +crm +\S+: it needs a sign-in/);
    expect(other.headers.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});

it("where there is nothing to sign in to, login says why and what to do, and logout makes no store", async () => {
  const open = await stage.control.startHttp({ label: "open", tools: ["look"] });
  closing.push(open.close);
  configure({
    mcpServers: {
      open: { url: open.url },
      off: { url: crm.url, oauth: false },
      key: { url: crm.url, headers: { authorization: "Bearer k" } },
      own: {
        url: crm.url,
        oauth: {
          clientId: "a",
          clientSecret: "b",
          issuer: issuer.issuer,
          grant: "client_credentials",
        },
      },
      files: stage.entry({ label: "files", tools: ["read_file"] }),
      list: { tools: ["a"] },
    },
  });
  const say = async (...args: readonly string[]) => {
    const { code, err } = await runCommand(dir, args);
    return `${code} ${err}`;
  };
  expect(await say("logout", "open")).toBe('1 Nobody is signed in to "open".\n');
  expect(readdirSync(dir).filter((file) => file.startsWith("onym.db"))).toEqual([]);
  expect(await say("login", "open")).toMatch(
    /^1 error: The server asks for no sign-in: without one it answers HTTP \d{3}, and it names no authorization server\.\n.*onym doctor/,
  );
  expect(await say("login", "off")).toMatch(/^2 .*nobody signs in to "off"\.\n.*"oauth": false/);
  expect(await say("login", "key")).toMatch(/^2 .*has the credentials of "key" already.*\n.*"Authorization"/);
  expect(await say("login", "own")).toMatch(/^2 .*by its client alone/);
  const which = 'Only servers with a "url" are signed in to. In the config: "open".';
  expect(await say("login", "files")).toBe(
    `2 error: "files" is started by its "command", so nobody signs in to it; what it needs goes into its "env".\n  ${which}\n`,
  );
  expect(await say("login", "list")).toBe(
    `2 error: "list" is a list of tools in the config, so nobody signs in to it.\n  ${which}\n`,
  );
});

it("a sign-in can be made good for more, and keeps what it was good for", async () => {
  crm.metadata.set("scopes_supported", ["leads"]);
  await signIn(dir, "crm");
  await signIn(dir, "crm", {}, ["--scope", "deals", "notes"]);
  const asked = issuer.asked.filter(({ path }) => path === "/authorize").map(({ form }) => form.get("scope"));
  expect(asked).toEqual(["leads", "leads deals notes"]);
  // The registration serves again, with the address that it was made for.
  expect(asks("/register")).toBe(1);
});

describe("the key", () => {
  it("that is another is told of, and what it cannot read is left alone", async () => {
    await signIn(dir, "crm", { ONYM_SECRET_KEY: "ab".repeat(32) });
    const wrong = { ONYM_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    const onym = await stage.start({ dir, env: wrong });
    await onym.said(/down +crm +\S+: its tokens cannot be read: they were encrypted with another key/);
    expect((await call(onym, "files_read_file")).result).toBeDefined();
    // No request went out without the token that is there.
    expect(crm.headers).toHaveLength(1);
    const login = await runCommand(dir, ["login", "crm"], wrong);
    expect(login.code).toBe(1);
    expect(login.err).toContain("encrypted with another key");
    await onym.stop();

    const right = await stage.start({ dir, env: { ONYM_SECRET_KEY: "AB".repeat(32) } });
    await right.said(/ready +crm/);
    expect((await call(right)).result).toBeDefined();
    await right.stop();
    // Who has lost the key can still sign out, and in again.
    expect((await runCommand(dir, ["logout", "crm"], wrong)).code).toBe(0);
    expect((await signIn(dir, "crm", wrong)).code).toBe(0);
  });

  it.each([
    ["is none", { ONYM_SECRET_KEY: "secret" }, /ONYM_SECRET_KEY is no key of 32 bytes/],
    ["is too short", { ONYM_SECRET_KEY: "YWJj" }, /ONYM_SECRET_KEY is no key of 32 bytes/],
  ])("that %s is refused before anybody signs in", async (_, env, message) => {
    const login = await runCommand(dir, ["login", "crm"], env);
    expect(login).toMatchObject({ code: 1, out: "", err: expect.stringMatching(message) });
    expect(issuer.asked).toEqual([]);
  });
});

describe("a client of the config", () => {
  const env = { CRM_SECRET: KNOWN_CLIENT.secret };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a user writes.
  const oauth = { clientId: KNOWN_CLIENT.id, clientSecret: "${CRM_SECRET}" };

  it("gets its tokens itself with client_credentials, and others when they are refused", async () => {
    configure({
      ...configOf({
        oauth: { ...oauth, issuer: issuer.issuer, grant: "client_credentials", scopes: ["a", "b"] },
      }),
      store: "none",
    });
    const onym = await stage.start({ dir, env });
    await onym.said(/ready +crm/);
    expect((await call(onym)).result).toBeDefined();
    issuer.expireAll();
    expect((await call(onym)).result).toBeDefined();
    expect(asks("/token", "client_credentials")).toBe(2);
    const asked = issuer.asked.find(({ path }) => path === "/token")?.form;
    expect(Object.fromEntries(asked ?? [])).toEqual({
      grant_type: "client_credentials",
      resource: crm.url,
      scope: "a b",
    });
    const wrong = await runCommand(dir, ["doctor", "--json"], { CRM_SECRET: "wrong-secret" });
    expect(wrong.out).toContain("its authorization server gave no token: invalid_client");
    expect(wrong.out + wrong.err + onym.stderr()).not.toMatch(/wrong-secret|s3cret/);
    expect((await runCommand(dir, ["login", "crm"], env)).err).toContain("client_credentials");
  });

  it("tells its secret to the authorization server of the config, and to nobody whom the server names", async () => {
    const clientOf = (named: string) =>
      configOf({ oauth: { ...oauth, issuer: named, grant: "client_credentials" } });
    configure(clientOf("https://login.example"));
    const refused = await runCommand(dir, ["doctor", "--json"], env);
    expect(refused.out).toContain("The server names the authorization server");
    expect(asks("/token")).toBe(0);
    configure(clientOf(`${issuer.issuer}/`));
    const taken = await runCommand(dir, ["doctor", "--json"], env);
    expect(taken.out).not.toContain("The server names the authorization server");
    expect(asks("/token")).toBeGreaterThan(0);
  });

  it("is a mistake in the config where no authorization server is named that may have its secret (SAFE-7)", async () => {
    configure(configOf({ oauth: { ...oauth, grant: "client_credentials" } }));
    const refused = await runCommand(dir, ["serve", "--stdio"], env);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('There is a secret, but no "issuer" that it may be sent to.');
    expect(refused.err).not.toContain(KNOWN_CLIENT.secret);
    expect(asks("/token")).toBe(0);
  });

  it("is not signed in any more where the config names another authorization server", async () => {
    configure(configOf({ oauth: { ...oauth, issuer: issuer.issuer } }));
    expect((await signIn(dir, "crm", env)).code).toBe(0);
    configure(configOf({ oauth: { ...oauth, issuer: "https://login.example" } }));
    const before = issuer.asked.length;
    const onym = await stage.start({ dir, env });
    await onym.said(/the config names another authorization server/);
    expect((await runCommand(dir, ["logout", "crm"], env)).code).toBe(0);
    expect(issuer.asked.length).toBeGreaterThan(before);
    for (const { authorization, form } of issuer.asked.slice(before)) {
      const [, pair = ""] = (authorization ?? "").split(" ");
      const said = decodeURIComponent(Buffer.from(pair, "base64").toString()) + [...form].join();
      expect(said).not.toContain(KNOWN_CLIENT.secret);
    }
  });

  it("is signed in with instead of a registration, on its own port", async () => {
    issuer.metadata.set("registration_endpoint", undefined);
    expect((await runCommand(dir, ["login", "crm"])).err).toContain('"oauth": {"clientId"');
    configure(configOf({ oauth: { ...oauth, issuer: issuer.issuer, scopes: "leads" } }));
    expect((await signIn(dir, "crm", env)).code).toBe(0);
    expect(asks("/register")).toBe(0);
    expect(issuer.asked.find(({ path }) => path === "/authorize")?.form.get("scope")).toBe("leads");
    const onym = await stage.start({ dir, env });
    await onym.said(/ready +crm/);
    expect(bytesOf(dir)).not.toContain(KNOWN_CLIENT.secret);
    await onym.stop();
    configure(configOf());
    const other = await start();
    await other.said(/the config names another client than the one that was signed in with/);
  });
});

describe("a sign-in that does not come about", () => {
  it("ends after its time, and on Ctrl+C, and keeps nothing", async () => {
    const late = await runCommand(dir, ["login", "crm", "--timeout", "1"]);
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining("Nobody signed in within 1 s") });
    const stopped = startCommand(dir, ["login", "crm"]);
    await stopped.address;
    stopped.child.kill("SIGINT");
    expect(await stopped.ended).toMatchObject({ signal: "SIGINT", err: "" });
    expect((await runCommand(dir, ["logout", "crm"])).code).toBe(1);
  });

  it("takes no answer without its state, and goes on waiting", async () => {
    const command = startCommand(dir, ["login", "crm", "--json"]);
    const address = await command.address;
    const callback = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    for (const query of ["?code=stolen", "?code=stolen&state=guess", "?error=access_denied"])
      expect((await fetch(new URL(query, callback))).status).toBe(400);
    expect((await fetch(new URL("/", callback))).status).toBe(404);
    await browse(address);
    const { code, out } = await command.ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      server: "crm",
      status: "signed-in",
      issuer: issuer.issuer,
      expiresAt: expect.any(String),
      isRenewable: true,
    });
  });

  it.each<[string, () => void, RegExp]>([
    [
      "an answer of another issuer",
      () => issuer.sentBack.set("iss", "https://evil.example"),
      /is from "https:\/\/evil/,
    ],
    ["an answer of nobody", () => issuer.sentBack.set("iss", undefined), /does not say which/],
    [
      "a refusal",
      () => {
        issuer.sentBack.set("code", undefined).set("error", "access_denied\u001b[31m");
      },
      /did not let you in: access_denied\\u\{001B\}/,
    ],
    [
      "no type of token",
      () => issuer.answers.set("/token", () => ({ body: { access_token: "x" } })),
      /no bearer token/,
    ],
    [
      "no token",
      () => issuer.answers.set("/token", () => ({ body: { token_type: "bearer" } })),
      /without an access/,
    ],
    [
      "a redirect of the code",
      () =>
        issuer.answers.set("/token", () => ({ status: 307, headers: { location: "http://127.0.0.1:1/" } })),
      /HTTP 307/,
    ],
    [
      "a token that breaks a header",
      () => issuer.answers.set("/token", () => ({ body: { access_token: "a\r\nb", token_type: "Bearer" } })),
      /an access token with characters that are not visible ASCII; its operator/,
    ],
  ])("is refused for %s after the browser came back", async (_, spoil, message) => {
    spoil();
    const { code, err } = await signIn(dir, "crm");
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect((await runCommand(dir, ["logout", "crm"])).code).toBe(1);
  });

  it.each<[string, () => void, RegExp]>([
    [
      "metadata about another resource",
      () => crm.metadata.set("resource", "https://bank.example/mcp"),
      /is about/,
    ],
    ["metadata about a neighbour", () => crm.metadata.set("resource", `${crm.url}2`), /is about/],
    ["metadata about nothing", () => crm.metadata.set("resource", undefined), /is about no resource/],
    [
      "no authorization server",
      () => crm.metadata.set("authorization_servers", []),
      /names no authorization server/,
    ],
    [
      "an authorization server in the clear",
      () => crm.metadata.set("authorization_servers", ["http://auth.example"]),
      /is not https/,
    ],
    [
      "metadata at an address that is none",
      () => crm.setChallenge('Bearer resource_metadata="file:///etc/passwd"'),
      /is not https/,
    ],
    [
      "an issuer of another name",
      () => issuer.metadata.set("issuer", "https://evil.example"),
      /calls itself/,
    ],
    [
      "a token endpoint in the clear",
      () => issuer.metadata.set("token_endpoint", "http://auth.example/token"),
      /token endpoint "http:\/\/auth\.example\/token" is not https/,
    ],
    [
      "a script as the page to open",
      () => issuer.metadata.set("authorization_endpoint", "javascript:alert(1)"),
      /is not https/,
    ],
    ["no PKCE", () => issuer.metadata.set("code_challenge_methods_supported", ["plain"]), /PKCE/],
    [
      "metadata without end",
      () =>
        issuer.answers.set("/.well-known/oauth-authorization-server", () => ({
          body: " ".repeat(5_000_000),
        })),
      /more than 262144 bytes/,
    ],
    [
      "metadata that leads elsewhere",
      () =>
        issuer.answers.set("/.well-known/oauth-authorization-server", () => ({
          status: 302,
          headers: { location: "http://169.254.169.254/" },
        })),
      /HTTP 302/,
    ],
    ["no registration", () => issuer.answers.set("/register", () => ({ status: 403 })), /did not register/],
  ])("is refused for %s, before anybody is sent anywhere", async (_, spoil, message) => {
    spoil();
    const { code, out, err } = await runCommand(dir, ["login", "crm"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });

  it.each([
    ["crn", /no server "crn".*\n.*Did you mean "crm"/],
    ["files", /is started by its "command"/],
  ])("is a usage mistake for %s", async (name, message) => {
    const { code, err } = await runCommand(dir, ["login", name]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
