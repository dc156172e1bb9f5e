// A real authorization server for clients: registration, codes with PKCE, refresh tokens that are good for one use, revocation.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface AuthorizationServer {
  readonly issuer: string;
  /** All that came in, newest last. */
  readonly asked: readonly AskedOf[];
  /** What it answers in place of what it would, by path; `undefined` where it is to go on as usual. */
  readonly answers: Map<string, (asked: AskedOf) => Forged | undefined>;
  /** Laid over its metadata. */
  readonly metadata: Map<string, unknown>;
  /** Laid over the parameters that it sends people back with; `undefined` takes one away. */
  readonly sentBack: Map<string, string | undefined>;
  /** Seconds that access tokens live; not said where `undefined`. */
  setLife: (seconds: number | undefined) => void;
  /** Whether the token is good for the resource now. */
  readonly takes: (token: string, resource: string) => boolean;
  /** Access tokens of now are refused from now on. */
  readonly expireAll: () => void;
  /** Refresh tokens, too. */
  readonly revokeAll: () => void;
  /** Tokens as if somebody had signed in. */
  readonly issueFor: (resource: string) => { readonly access: string; readonly refresh: string };
  /** Every token and secret it ever gave out. */
  readonly given: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface AskedOf {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly json: Readonly<Record<string, unknown>>;
  readonly authorization: string | undefined;
}

/** A body of `never` is an answer that does not come. */
interface Forged {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly never?: boolean;
}

interface Family {
  readonly client: string;
  readonly resource: string;
  isOver: boolean;
}

interface Code {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly resource: string;
}

/** A client that needs no registration. */
export const KNOWN_CLIENT = { id: "known client", secret: "s3cret:of+the/client" };

export async function serveAuthorization(): Promise<AuthorizationServer> {
  const asked: AskedOf[] = [];
  const answers: AuthorizationServer["answers"] = new Map();
  const metadata = new Map<string, unknown>();
  const sentBack: AuthorizationServer["sentBack"] = new Map();
  /** Client → its redirect address. */
  const clients = new Map<string, string>();
  const codes = new Map<string, Code>();
  const access = new Map<string, Family>();
  const refresh = new Map<string, Family>();
  const spent = new Map<string, Family>();
  const given: string[] = [];
  let life: number | undefined = 3600;

  const issue = (family: Family, withRefresh = true): Forged => {
    const accessToken = `at_${randomUUID()}`;
    const refreshToken = `rt_${randomUUID()}`;
    access.set(accessToken, family);
    if (withRefresh) refresh.set(refreshToken, family);
    given.push(accessToken, refreshToken);
    return {
      body: {
        access_token: accessToken,
        token_type: "Bearer",
        ...(life === undefined ? {} : { expires_in: life }),
        ...(withRefresh ? { refresh_token: refreshToken } : {}),
      },
    };
  };
  const refuse = (error: string): Forged => ({
    status: 400,
    body: { error, error_description: `not this time <${error}>` },
  });

  const takeCode = ({ form }: AskedOf): Forged => {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || proof !== code.challenge) return refuse("invalid_grant");
    if (form.get("redirect_uri") !== code.redirect || form.get("resource") !== code.resource)
      return refuse("invalid_grant");
    return issue({ client: code.client, resource: code.resource, isOver: false });
  };
  const takeRefresh = ({ form }: AskedOf): Forged => {
    const token = form.get("refresh_token") ?? "";
    const reused = spent.get(token);
    // Somebody has a copy: all that came from it ends.
    if (reused !== undefined) reused.isOver = true;
    const family = refresh.get(token);
    if (family === undefined || family.isOver) return refuse("invalid_grant");
    refresh.delete(token);
    spent.set(token, family);
    return issue(family);
  };
  const takeSecret = ({ form, authorization }: AskedOf): Forged => {
    const encode = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
    const pair = `${encode(KNOWN_CLIENT.id)}:${encode(KNOWN_CLIENT.secret)}`;
    if (authorization !== `Basic ${Buffer.from(pair).toString("base64")}`)
      return { status: 401, body: { error: "invalid_client" } };
    return issue({ client: KNOWN_CLIENT.id, resource: form.get("resource") ?? "", isOver: false }, false);
  };
  const authorize = ({ form }: AskedOf): Forged => {
    const client = form.get("client_id") ?? "";
    const redirect = form.get("redirect_uri") ?? "";
    const isKnown = client === KNOWN_CLIENT.id || clients.get(client) === redirect;
    const challenge = form.get("code_challenge") ?? "";
    if (!isKnown || form.get("response_type") !== "code" || form.get("code_challenge_method") !== "S256")
      return { status: 400, body: { error: "this would be a page that says what is wrong" } };
    const code = randomBytes(16).toString("hex");
    codes.set(code, { client, redirect, challenge, resource: form.get("resource") ?? "" });
    const back = new URL(redirect);
    const usual = { code, state: form.get("state") ?? "", iss: origin };
    for (const [key, value] of Object.entries({ ...usual, ...Object.fromEntries(sentBack) }))
      if (value !== undefined) back.searchParams.set(key, value);
    return { status: 302, headers: { location: back.href } };
  };
  const register = ({ json }: AskedOf): Forged => {
    const id = `client_${randomUUID()}`;
    clients.set(id, String((json["redirect_uris"] as readonly unknown[] | undefined)?.[0]));
    return { status: 201, body: { ...json, client_id: id } };
  };
  const revoke = ({ form }: AskedOf): Forged => {
    const family = refresh.get(form.get("token") ?? "") ?? access.get(form.get("token") ?? "");
    if (family !== undefined) family.isOver = true;
    return {};
  };
  const answer = (request: AskedOf): Forged => {
    switch (request.path) {
      case "/.well-known/oauth-authorization-server":
        return {
          body: {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            revocation_endpoint: `${origin}/revoke`,
            code_challenge_methods_supported: ["S256"],
            authorization_response_iss_parameter_supported: true,
            ...Object.fromEntries(metadata),
          },
        };
      case "/authorize":
        return authorize(request);
      case "/register":
        return register(request);
      case "/revoke":
        return revoke(request);
      case "/token":
        return (
          new Map([
            ["authorization_code", takeCode],
            ["refresh_token", takeRefresh],
            ["client_credentials", takeSecret],
          ]).get(request.form.get("grant_type") ?? "") ?? (() => refuse("unsupported_grant_type"))
        )(request);
      default:
        return { status: 404 };
    }
  };

  const server = createServer((req, res) => {
    void readAsked(req).then((request) => {
      asked.push(request);
      reply(res, answers.get(request.path)?.(request) ?? answer(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer: origin,
    asked,
    answers,
    metadata,
    sentBack,
    setLife(seconds) {
      life = seconds;
    },
    takes(token, resource) {
      const family = access.get(token);
      return family !== undefined && !family.isOver && family.resource === resource;
    },
    expireAll: () => access.clear(),
    revokeAll() {
      for (const family of [...access.values(), ...refresh.values()]) family.isOver = true;
    },
    issueFor(resource) {
      issue({ client: "any", resource, isOver: false });
      const [access = "", refresh = ""] = given.slice(-2);
      return { access, refresh };
    },
    given: () => given,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAsked(req: IncomingMessage): Promise<AskedOf> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  const url = new URL(req.url ?? "", "http://127.0.0.1");
  const isJson = req.headers["content-type"] === "application/json";
  return {
    path: url.pathname,
    form: req.method === "GET" ? url.searchParams : new URLSearchParams(isJson ? "" : text),
    json: isJson ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {},
    authorization: req.headers.authorization,
  };
}

function reply(res: ServerResponse, { status = 200, headers = {}, body, never }: Forged): void {
  if (never === true) return;
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
}
