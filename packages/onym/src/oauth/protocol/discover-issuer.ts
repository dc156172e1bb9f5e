// What an authorization server can do, by its metadata: RFC 8414, else OpenID Connect. It must be about this very issuer.

import { quoteText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import { type ClientMethod, isSameIssuer, METHODS, textOf } from "../grant.js";
import { checkAddress, signInError } from "./check-address.js";
import { fetchJson } from "./fetch-json.js";

export interface IssuerMetadata {
  /** Exactly as it names itself. */
  readonly issuer: string;
  readonly tokenEndpoint: URL;
  /** `undefined` where it does not send people anywhere. */
  readonly authorizationEndpoint: URL | undefined;
  readonly registrationEndpoint: URL | undefined;
  readonly revocationEndpoint: URL | undefined;
  readonly hasPkce: boolean;
  /** It says who it is when it sends people back (RFC 9207). */
  readonly namesItself: boolean;
  readonly scopes: readonly string[];
  /** How clients may say who they are. */
  readonly methods: readonly ClientMethod[];
}

/** @throws OnymError `sign-in-failed`. */
export async function discoverIssuer(
  issuer: URL,
  server: URL,
  signal?: AbortSignal,
): Promise<IssuerMetadata> {
  const failures: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    const answer = await fetchJson(new URL(address), { server, signal });
    if (answer.kind === "answer" && answer.status === 200 && answer.body !== undefined)
      return readMetadata(answer.body, issuer, server);
    failures.push(
      answer.kind === "failed" ? answer.reason : `${quoteText(address, 120)}: HTTP ${answer.status}`,
    );
  }
  throw signInError(
    `The authorization server ${quoteText(issuer.href, 120)} has no metadata: ${failures.join("; ")}.`,
    'Ask its operator, or give a token in "headers".',
  );
}

function metadataAddresses({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

function readMetadata(found: JsonObject, issuer: URL, server: URL): IssuerMetadata {
  const named = textOf(found, "issuer") ?? "";
  if (!isSameIssuer(named, issuer.href))
    throw signInError(
      `The authorization server ${quoteText(issuer.href, 120)} calls itself ${quoteText(named, 120)}.`,
      "One of the two is not what it seems; nothing was sent. Ask the server's operator.",
    );
  const endpoint = (key: string, what: string): URL | undefined =>
    found[key] === undefined ? undefined : checkAddress(found[key], what, server);
  const methods = textsOf(found, "token_endpoint_auth_methods_supported");
  return {
    issuer: named,
    tokenEndpoint: checkAddress(found["token_endpoint"], "The token endpoint", server),
    authorizationEndpoint: endpoint("authorization_endpoint", "The authorization endpoint"),
    registrationEndpoint: endpoint("registration_endpoint", "The registration endpoint"),
    revocationEndpoint: endpoint("revocation_endpoint", "The revocation endpoint"),
    hasPkce: textsOf(found, "code_challenge_methods_supported").includes("S256"),
    namesItself: found["authorization_response_iss_parameter_supported"] === true,
    scopes: textsOf(found, "scopes_supported"),
    // RFC 8414: where it does not say, basic.
    methods:
      methods.length === 0 ? ["client_secret_basic"] : METHODS.filter((method) => methods.includes(method)),
  };
}

function textsOf(found: JsonObject, key: string): readonly string[] {
  const value = found[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
