// What Onym holds for one server: who it is at the authorization server, and the tokens it was given. Kept encrypted.

import { isJsonObject, type JsonObject, parseJson } from "../mcp/json.js";

export interface Grant {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | undefined;
  /** Whom the tokens are meant for (RFC 8707). */
  readonly resource: string;
  readonly scope: string | undefined;
  readonly client: OAuthClient;
  /** `undefined`: signed out by the other side; the registration may serve again. */
  readonly tokens: Tokens | undefined;
  /** A process that renews the tokens holds them until then; ms since 1970. */
  readonly renewingUntil: number | undefined;
}

export interface OAuthClient {
  readonly id: string;
  readonly secret: string | undefined;
  /** How it says who it is at the token endpoint. */
  readonly method: ClientMethod;
  /** Where it registered itself (RFC 7591); `undefined` for the client of the config, whose secret is not kept here. */
  readonly registeredFor: string | undefined;
}

export type ClientMethod = "none" | "client_secret_basic" | "client_secret_post";

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
  /** ms since 1970. */
  readonly issuedAt: number;
  /** `undefined`: nobody said; used until it is refused. */
  readonly expiresAt: number | undefined;
}

/** Most write an issuer without a path both ways, and mean the same. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

export function formatGrant(grant: Grant): string {
  const { client } = grant;
  return JSON.stringify({
    ...grant,
    client: client.registeredFor === undefined ? { ...client, secret: undefined } : client,
  });
}

/** A grant as `formatGrant` wrote it; `undefined` for anything else. */
export function parseGrant(text: string): Grant | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { value } = parsed;
  const client = readClient(value["client"]);
  const tokens = value["tokens"] === undefined ? undefined : readTokens(value["tokens"]);
  const issuer = textOf(value, "issuer");
  const tokenEndpoint = textOf(value, "tokenEndpoint");
  const resource = textOf(value, "resource");
  if (client === undefined || issuer === undefined || tokenEndpoint === undefined || resource === undefined)
    return undefined;
  return {
    issuer,
    tokenEndpoint,
    revocationEndpoint: textOf(value, "revocationEndpoint"),
    resource,
    scope: textOf(value, "scope"),
    client,
    tokens,
    renewingUntil: numberOf(value, "renewingUntil"),
  };
}

function readClient(value: unknown): OAuthClient | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = textOf(value, "id");
  const method = METHODS.find((known) => known === value["method"]);
  if (id === undefined || method === undefined) return undefined;
  return { id, method, secret: textOf(value, "secret"), registeredFor: textOf(value, "registeredFor") };
}

export const METHODS: readonly ClientMethod[] = ["client_secret_basic", "client_secret_post", "none"];

function readTokens(value: unknown): Tokens | undefined {
  if (!isJsonObject(value)) return undefined;
  const access = textOf(value, "access");
  if (access === undefined) return undefined;
  return {
    access,
    refresh: textOf(value, "refresh"),
    issuedAt: numberOf(value, "issuedAt") ?? 0,
    expiresAt: numberOf(value, "expiresAt"),
  };
}

export function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

// Where tokens for a server come from: kept from a sign-in, or got with the client's own secret.

export interface TokenSource {
  readonly load: () => Promise<LoadedTokens>;
  /** Others in place of this access token, which is too old or was refused. */
  readonly renew: (spent: string) => Promise<LoadedTokens>;
}

export type LoadedTokens =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  | { readonly kind: "none" }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** For people: one line each, escaped, no secrets. */
export interface Trouble {
  readonly reason: string;
  readonly hint: string;
  /** Nothing will change by itself. */
  readonly needsSignIn: boolean;
  /** The store could not be read, so that nobody knows whether there are tokens. */
  readonly isUnknown?: boolean;
}
