// New tokens for old ones, once for all processes that share a store: refresh tokens are often good for one use only.

import type { OAuthLaunch } from "../model/launch.js";
import { type Grant, isSameIssuer, type OAuthClient } from "./grant.js";
import type { GrantStore } from "./grant-store.js";
import { askForTokens, authenticateClient } from "./protocol/ask-for-tokens.js";
import { FETCH_MS, fetchJson } from "./protocol/fetch-json.js";

export type Renewal =
  | { readonly kind: "grant"; readonly grant: Grant }
  | { readonly kind: "none" }
  /** The tokens are of no use any more. */
  | { readonly kind: "over"; readonly reason: string }
  /** For now; what is kept stays. */
  | { readonly kind: "unavailable"; readonly reason: string; readonly hint: string };

export interface RenewOptions {
  readonly grants: GrantStore;
  readonly settings: OAuthLaunch;
  /** The access token that is too old or was refused. */
  readonly spent: string;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Longer than a request may take, so that who renews can finish. */
const HOLD_MS = FETCH_MS + 5_000;
const LOOK_MS = 200;
const KEEP_MS = 1000;
const KEEP_TRIES = 30;

export async function renewGrant(options: RenewOptions): Promise<Renewal> {
  const { grants, settings, spent, now, pause } = options;
  for (;;) {
    const read = await grants.read();
    if (read.kind === "none") return { kind: "none" };
    if (read.kind === "unreadable") return { kind: "unavailable", reason: read.reason, hint: read.hint };
    const { grant, sealed } = read;
    const { tokens, renewingUntil = 0 } = grant;
    if (tokens === undefined) return { kind: "over", reason: "the sign-in has ended" };
    // Another process renewed it first.
    if (tokens.access !== spent) return { kind: "grant", grant };
    if (tokens.refresh === undefined) {
      await grants.swap(sealed, { ...grant, tokens: undefined });
      return { kind: "over", reason: "the token has run out, and there is none to renew it with" };
    }
    const at = now();
    // A clock that is far ahead elsewhere must not hold us for long.
    if (renewingUntil > at && renewingUntil <= at + HOLD_MS) {
      await pause(LOOK_MS);
      continue;
    }
    const held = await grants.swap(sealed, { ...grant, renewingUntil: at + HOLD_MS });
    if (held === undefined) continue;
    const done = await refresh(grant, tokens.refresh, settings, now);
    // Kept before it is used: a process that dies here must not be the only one that knew.
    const isKept = await keep(options, held, done.next);
    // Signed in or out meanwhile: that counts.
    if (isKept || done.renewal.kind === "unavailable") return done.renewal;
  }
}

/** A store that is away for a moment must not cost the sign-in: what was refreshed cannot be refreshed again. */
async function keep({ grants, pause }: RenewOptions, held: Uint8Array, next: Grant): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await grants.swap(held, next)) !== undefined;
    } catch (error) {
      if (tries >= KEEP_TRIES) throw error;
      await pause(KEEP_MS);
    }
  }
}

async function refresh(
  grant: Grant,
  refreshToken: string,
  settings: OAuthLaunch,
  now: () => number,
): Promise<{ readonly next: Grant; readonly renewal: Renewal }> {
  const answer = await askForTokens({
    server: new URL(grant.resource),
    endpoint: new URL(grant.tokenEndpoint),
    client: withSecret(grant, settings),
    parameters: {
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      resource: grant.resource,
    },
    now,
  });
  const released: Grant = { ...grant, renewingUntil: undefined };
  if (answer.kind === "tokens") {
    const tokens = { ...answer.tokens, refresh: answer.tokens.refresh ?? refreshToken };
    const next = { ...released, tokens, scope: answer.scope ?? grant.scope };
    return { next, renewal: { kind: "grant", grant: next } };
  }
  if (answer.kind === "refused" && ENDS.has(answer.code)) {
    const reason = `the sign-in has ended (${answer.reason})`;
    return { next: { ...released, tokens: undefined }, renewal: { kind: "over", reason } };
  }
  return {
    next: released,
    renewal: {
      kind: "unavailable",
      reason: `its token could not be renewed: ${answer.reason}`,
      hint: "It is tried again.",
    },
  };
}

/** What no other try will fix. */
const ENDS = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Whether the config lets Onym deal with the authorization server that the grant is from. */
export function mayUse({ issuer }: OAuthLaunch, grant: Grant): boolean {
  return issuer === undefined || isSameIssuer(issuer, grant.issuer);
}

/** The secret of the config's client is read there each time, and told to its own authorization server only. */
function withSecret(grant: Grant, settings: OAuthLaunch): OAuthClient {
  const { client } = grant;
  if (client.registeredFor !== undefined || !mayUse(settings, grant)) return client;
  return { ...client, secret: settings.clientSecret };
}

// Ends a sign-in at the authorization server (RFC 7009), where it can be told.

/** Whether it said that it did. With the refresh token goes all that came from it. */
export async function revokeGrant(grant: Grant, settings: OAuthLaunch): Promise<boolean> {
  const { revocationEndpoint, resource, tokens } = grant;
  if (revocationEndpoint === undefined || tokens === undefined) return false;
  const { refresh, access } = tokens;
  const { headers, body } = authenticateClient(withSecret(grant, settings), {
    token: refresh ?? access,
    token_type_hint: refresh === undefined ? "access_token" : "refresh_token",
  });
  const answer = await fetchJson(new URL(revocationEndpoint), {
    server: new URL(resource),
    method: "POST",
    headers,
    body,
  });
  return answer.kind === "answer" && answer.status === 200;
}
