// Signing in to a server in a browser: discovery, a client, authorization code with PKCE, and the first tokens (OAuth 2.1).

import { createHash, randomBytes } from "node:crypto";
import { escapeText, quoteText } from "@onym/core";
import { formatDuration } from "../model/clock.js";
import type { OAuthLaunch } from "../model/launch.js";
import type { OnymError } from "../model/onym-error.js";
import { configuredClient, registerClient, registeredClient } from "./choose-client.js";
import type { Grant, OAuthClient } from "./grant.js";
import { askForTokens } from "./protocol/ask-for-tokens.js";
import { signInError } from "./protocol/check-address.js";
import { discoverIssuer, type IssuerMetadata } from "./protocol/discover-issuer.js";
import { discoverResource } from "./protocol/discover-resource.js";
import { type Callback, receiveCallback } from "./protocol/receive-callback.js";

export interface SignInOptions {
  readonly url: URL;
  readonly settings: OAuthLaunch;
  /** What to ask for beside the usual, and beside what was given before. */
  readonly more: readonly string[];
  /** What was kept from before; its registration is used again. */
  readonly kept: Grant | undefined;
  /** Told where to sign in. */
  readonly onAddress: (address: string) => void;
  readonly waitMs: number;
  readonly now: () => number;
}

/** @throws OnymError `sign-in-failed`; nothing is kept then. */
export async function signIn(options: SignInOptions): Promise<Grant> {
  const { url, settings, kept, onAddress, waitMs, now } = options;
  const { resource, issuer, scope: offered, unasked } = await discoverResource(url, settings);
  const metadata = await discoverIssuer(issuer, url).catch((error: unknown) => {
    throw unasked === undefined ? error : notAsked(unasked);
  });
  const { authorizationEndpoint } = metadata;
  if (authorizationEndpoint === undefined)
    throw signInError(
      "The authorization server signs nobody in: it has no authorization endpoint.",
      'For a client of its own, write "oauth": {"clientId", "clientSecret", "grant": "client_credentials"}.',
    );
  if (!metadata.hasPkce)
    throw signInError(
      "The authorization server does not say that it knows PKCE with S256, which keeps codes from being stolen.",
      'Ask its operator, or give a token in "headers".',
    );
  const wanted = options.more.length === 0 ? [] : [...scopesOf(kept?.scope), ...options.more];
  const scope = chooseScope(settings.scopes ?? scopesOf(offered), wanted, metadata);
  const state = randomBytes(32).toString("base64url");
  const { callback, client } = await openCallback(metadata, { url, settings, kept, scope, state });
  try {
    const verifier = randomBytes(48).toString("base64url");
    const address = new URL(authorizationEndpoint);
    for (const [key, value] of Object.entries({
      response_type: "code",
      client_id: client.id,
      redirect_uri: callback.redirectUri,
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource,
      ...(scope === undefined ? {} : { scope }),
    }))
      address.searchParams.set(key, value);
    onAddress(address.href);
    const code = readCode(await untilReceived(callback, waitMs), metadata);
    const answer = await askForTokens({
      server: url,
      endpoint: metadata.tokenEndpoint,
      client,
      parameters: {
        grant_type: "authorization_code",
        code,
        redirect_uri: callback.redirectUri,
        code_verifier: verifier,
        resource,
      },
      now,
    });
    if (answer.kind !== "tokens")
      throw signInError(`The authorization server gave no token: ${answer.reason}.`, "Try again.");
    return {
      issuer: metadata.issuer,
      tokenEndpoint: metadata.tokenEndpoint.href,
      revocationEndpoint: metadata.revocationEndpoint?.href,
      resource,
      scope: answer.scope ?? scope,
      client,
      tokens: answer.tokens,
      renewingUntil: undefined,
    };
  } finally {
    callback.close();
  }
}

function notAsked(status: number): OnymError {
  return signInError(
    `The server asks for no sign-in: without one it answers HTTP ${status}, and it names no authorization server.`,
    'Where onym doctor finds it ready, there is nothing to do. Else look at its "url", or give it the key that it wants in "headers".',
  );
}

/** OpenID Connect gives a refresh token only on request. Without scopes, the server grants its default ones. */
function chooseScope(
  usual: readonly string[],
  more: readonly string[],
  { scopes }: IssuerMetadata,
): string | undefined {
  const asked = new Set([...usual, ...more]);
  if (asked.size === 0) return undefined;
  if (scopes.includes("offline_access")) asked.add("offline_access");
  return [...asked].join(" ");
}

function scopesOf(scope: string | undefined): readonly string[] {
  return scope === undefined ? [] : scope.split(/\s+/).filter((each) => each !== "");
}

interface CallbackWish {
  readonly url: URL;
  readonly settings: OAuthLaunch;
  readonly kept: Grant | undefined;
  readonly scope: string | undefined;
  readonly state: string;
}

/** Many authorization servers take only the exact address that a client was registered with, port included. */
async function openCallback(
  metadata: IssuerMetadata,
  { url, settings, kept, scope, state }: CallbackWish,
): Promise<{ readonly callback: Callback; readonly client: OAuthClient }> {
  const configured = configuredClient(settings, metadata.methods);
  const known = configured ?? registeredClient(kept, metadata.issuer);
  const before = known?.registeredFor === undefined ? undefined : Number(new URL(known.registeredFor).port);
  const port = settings.callbackPort ?? before ?? 0;
  const callback = await receiveCallback({ state, port });
  if (callback !== undefined && known !== undefined && (configured !== undefined || port === before))
    return { callback, client: known };
  if (callback === undefined && settings.callbackPort !== undefined)
    throw signInError(
      `Port ${settings.callbackPort} is in use, and "oauth.callbackPort" names it.`,
      "End what listens there, or take another port that the client is registered with.",
    );
  const opened = callback ?? (await receiveCallback({ state, port: 0 }));
  if (opened === undefined) throw signInError("No port can be opened on 127.0.0.1.", "Try again.");
  try {
    return {
      callback: opened,
      client: await registerClient(metadata, opened.redirectUri, { server: url, scope }),
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function untilReceived(callback: Callback, waitMs: number): Promise<URLSearchParams> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, waitMs, undefined);
  });
  const received = await Promise.race([callback.received, late]);
  clearTimeout(timer);
  if (received !== undefined) return received;
  throw signInError(
    `Nobody signed in within ${formatDuration(waitMs)}.`,
    "Run it again, and open the address in a browser on this machine.",
  );
}

/** The state was checked by who received it. */
function readCode(received: URLSearchParams, { issuer, namesItself }: IssuerMetadata): string {
  const named = received.get("iss");
  // RFC 9207: the answer of another authorization server, to mix two of them up.
  if (named === null ? namesItself : named !== issuer)
    throw signInError(
      named === null
        ? "The answer does not say which authorization server it is from, although this one always does."
        : `The answer is from ${quoteText(named, 120)}, not from ${quoteText(issuer, 120)}.`,
      "The code was not used. If you did not expect this, somebody may have tampered with the sign-in.",
    );
  const code = received.get("code");
  if (code !== null && code !== "") return code;
  const error = received.get("error") ?? "no code and no error";
  const said = received.get("error_description");
  const text = escapeText(said === null ? error : `${error}: ${said}`).slice(0, 200);
  throw signInError(
    `The authorization server did not let you in: ${text}.`,
    "Run it again to try once more.",
  );
}
