// Who Onym is at an authorization server: the client of the config, one it registered before, or a new registration.

import type { OAuthLaunch } from "../model/launch.js";
import { type Grant, METHODS, type OAuthClient, textOf } from "./grant.js";
import { signInError } from "./protocol/check-address.js";
import type { IssuerMetadata } from "./protocol/discover-issuer.js";
import { fetchJson } from "./protocol/fetch-json.js";

/** The client of the config; `undefined` where it names none. */
export function configuredClient(
  { clientId, clientSecret }: OAuthLaunch,
  methods: IssuerMetadata["methods"],
): OAuthClient | undefined {
  if (clientId === undefined) return undefined;
  const secret = clientSecret;
  const method =
    secret === undefined ? "none" : (methods.find((known) => known !== "none") ?? "client_secret_basic");
  return { id: clientId, secret, method, registeredFor: undefined };
}

/** The client that registered itself before: at this very issuer, and where nothing says that it is not known there. */
export function registeredClient(kept: Grant | undefined, issuer: string): OAuthClient | undefined {
  if (kept?.issuer !== issuer || kept.tokens === undefined) return undefined;
  return kept.client.registeredFor === undefined ? undefined : kept.client;
}

/** @throws OnymError `sign-in-failed`. */
export async function registerClient(
  { registrationEndpoint }: IssuerMetadata,
  redirectUri: string,
  options: {
    /** The server that the client is for. */
    readonly server: URL;
    readonly scope: string | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<OAuthClient> {
  if (registrationEndpoint === undefined)
    throw signInError(
      "The authorization server takes no new clients by itself.",
      'Register one there by hand, and write its id in the server\'s entry: "oauth": {"clientId": "…"}, with "clientSecret" and "callbackPort" where it has them.',
    );
  const { server, scope, signal } = options;
  const answer = await fetchJson(registrationEndpoint, {
    server,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Onym",
      application_type: "native",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope === undefined ? {} : { scope }),
    }),
    signal,
  });
  const body = answer.kind === "answer" && answer.status < 300 ? answer.body : undefined;
  const id = body === undefined ? undefined : textOf(body, "client_id");
  if (body === undefined || id === undefined) {
    const why = answer.kind === "failed" ? answer.reason : `HTTP ${answer.status}`;
    throw signInError(
      `The authorization server did not register Onym as a client: ${why}.`,
      'Register one there by hand, and write its id in the server\'s entry: "oauth": {"clientId": "…"}.',
    );
  }
  const secret = textOf(body, "client_secret");
  const asked = METHODS.find((method) => method === body["token_endpoint_auth_method"]);
  const method = secret === undefined ? "none" : (asked ?? "client_secret_basic");
  return { id, secret, method, registeredFor: redirectUri };
}
