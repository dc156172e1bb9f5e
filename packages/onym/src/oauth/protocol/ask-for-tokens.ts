// A request to a token endpoint, and what came of it.

import { escapeText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import { type OAuthClient, type Tokens, textOf } from "../grant.js";
import { fetchJson } from "./fetch-json.js";

export type TokenAnswer =
  | { readonly kind: "tokens"; readonly tokens: Tokens; readonly scope: string | undefined }
  /** The authorization server said no, with a code of RFC 6749. `reason` is for people. */
  | { readonly kind: "refused"; readonly code: string; readonly reason: string }
  /** Nobody knows: it did not answer, or not with what was asked for. */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface TokenRequest {
  /** The server that the tokens are for. */
  readonly server: URL;
  readonly endpoint: URL;
  readonly client: OAuthClient;
  readonly parameters: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
}

/** Shorter lives would mean a new token for each request. */
const MIN_SECONDS = 5;
const MAX_SECONDS = 10 * 365 * 86_400;
/** As a header takes it (RFC 6750). */
const ACCESS_TOKEN = /^[\x21-\x7E]+$/;
/** RFC 6749, A.17. */
const REFRESH_TOKEN = /^[\x20-\x7E]*$/;
/** Of access and refresh tokens. Longer ones fit in no header that a usual server takes. */
const MAX_TOKEN_LENGTH = 16_384;

export async function askForTokens(request: TokenRequest): Promise<TokenAnswer> {
  const { server, endpoint, client, now, signal } = request;
  const { headers, body: form } = authenticateClient(client, request.parameters);
  const answer = await fetchJson(endpoint, { server, method: "POST", headers, body: form, signal });
  if (answer.kind === "failed") return { kind: "unavailable", reason: answer.reason };
  const { status, body } = answer;
  const code = body === undefined ? undefined : textOf(body, "error");
  if (status >= 400 && status < 500 && status !== 429 && body !== undefined && code !== undefined)
    return { kind: "refused", code, reason: describeRefusal(code, body) };
  if (status !== 200 || body === undefined)
    return { kind: "unavailable", reason: `the token endpoint answered HTTP ${status}` };
  return readTokens(body, endpoint, now());
}

/** A form in the name of the client. */
export function authenticateClient(
  client: OAuthClient,
  parameters: Readonly<Record<string, string>>,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const form = new URLSearchParams(parameters);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  if (client.method === "client_secret_basic")
    return { headers: { ...type, authorization: basicOf(client) }, body: form.toString() };
  form.set("client_id", client.id);
  if (client.method === "client_secret_post") form.set("client_secret", client.secret ?? "");
  return { headers: type, body: form.toString() };
}

function readTokens(body: JsonObject, endpoint: URL, now: number): TokenAnswer {
  const access = textOf(body, "access_token");
  const type = textOf(body, "token_type");
  const refresh = textOf(body, "refresh_token");
  if (access === undefined || access === "")
    return { kind: "unavailable", reason: "the token endpoint answered without an access token" };
  const flaw =
    describeFlaw("an access token", access, ACCESS_TOKEN) ??
    describeFlaw("a refresh token", refresh ?? "", REFRESH_TOKEN);
  if (flaw !== undefined)
    return { kind: "unavailable", reason: `${endpoint.origin} gave ${flaw}; its operator can change that` };
  if (type?.toLowerCase() !== "bearer")
    return { kind: "unavailable", reason: "the token endpoint gave a token that is no bearer token" };
  const seconds = Number(body["expires_in"] ?? Number.NaN);
  const life = Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS);
  return {
    kind: "tokens",
    tokens: {
      access,
      refresh,
      issuedAt: now,
      expiresAt: Number.isNaN(life) ? undefined : now + life * 1000,
    },
    scope: textOf(body, "scope"),
  };
}

/** Why a token is not taken, without any of it. */
function describeFlaw(name: string, token: string, allowed: RegExp): string | undefined {
  const [length, max] = [token.length, MAX_TOKEN_LENGTH].map((count) => count.toLocaleString("en"));
  if (token.length > MAX_TOKEN_LENGTH) return `${name} of ${length} characters, more than ${max}`;
  return allowed.test(token) ? undefined : `${name} with characters that are not visible ASCII`;
}

function describeRefusal(code: string, body: JsonObject): string {
  const said = textOf(body, "error_description");
  const text = escapeText(said === undefined ? code : `${code}: ${said}`).replace(/\s+/g, " ");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** RFC 6749, 2.3.1: both parts are encoded as in a form first. */
function basicOf({ id, secret = "" }: OAuthClient): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}
