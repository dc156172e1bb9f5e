// Who makes an HTTP request: by a token of Onym's own, else by one of an authorization server. Tokens are kept as
// digests, and are never in a log or an answer.

import { escapeText } from "@onym/core";
import type { Log } from "../../observe/log.js";
import type { JsonObject } from "../../rpc/json.js";
import type { AuthSettings, IssuerSettings } from "./auth-settings.js";
import { type Authenticate, bearerOf, type RefusedCaller, type Verdict } from "./authenticate.js";
import { buildChallenge, type Challenge } from "./build-challenge.js";
import { buildTokenFinder, digestOf, type FindToken } from "./find-token.js";
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.js";
import { matchGrant, scopesOf } from "./match-grant.js";
import { metadataUrl, resourceMetadata } from "./resource-metadata.js";
import { createVerdictCache, type VerdictCache } from "./verdict-cache.js";
import { verifyJwt } from "./verify-jwt.js";

export interface Authenticator {
  readonly authenticate: Authenticate;
  /** The protected-resource metadata (RFC 9728); `undefined` where there is no authorization server. */
  readonly metadata: () => JsonObject | undefined;
  /** Goes over to new settings. Who was known by the old ones has to be known by the new ones too. */
  readonly adopt: (settings: AuthSettings | undefined) => void;
}

export interface AuthenticatorOptions {
  /** `undefined`: everybody may connect, and is `local`. */
  readonly settings: AuthSettings | undefined;
  /** The address that clients use: whom OAuth tokens must be meant for. */
  readonly resource: () => string;
  readonly log: Log;
  readonly now: () => number;
}

/** Who is meant where nobody had to prove who it is. */
const LOCAL = "local";
const ANYBODY: Verdict = {
  outcome: "known",
  principal: LOCAL,
  profile: undefined,
  as: undefined,
  toolboxes: undefined,
};

interface InForce {
  readonly findToken: FindToken;
  readonly names: ReadonlySet<string>;
  readonly issuers: ReadonlyMap<string, { readonly issuer: IssuerSettings; readonly keys: IssuerKeys }>;
  readonly scopes: readonly string[];
  readonly verified: VerdictCache;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { resource, log, now } = options;
  let settings = options.settings;
  let inForce = prepare(settings, now);

  const refuse = (status: 401 | 403, reason: string, challenge: Challenge = {}): RefusedCaller => {
    log("debug", `a client was refused: ${reason}`, { status });
    const metadata =
      inForce === undefined || inForce.issuers.size === 0 ? undefined : metadataUrl(resource());
    const description = challenge.error === undefined ? {} : { description: reason };
    return {
      outcome: "refused",
      status,
      challenge: buildChallenge({ ...description, ...challenge, metadata }),
      reason,
    };
  };
  const invalid = (reason: string): RefusedCaller => refuse(401, reason, { error: "invalid_token" });

  const verify = async (token: string, key: string, using: InForce): Promise<Verdict> => {
    const named = using.issuers.get((await issuerIn(token)) ?? "");
    if (named === undefined) return invalid("the token is not known here");
    const { issuer, keys } = named;
    const audience = issuer.audience.length === 0 ? [resource()] : issuer.audience;
    const verified = await verifyJwt(token, { issuer, audience, keys, now: now() });
    if (verified.kind === "bad") return invalid(verified.reason);
    if (verified.kind === "unavailable") {
      log("warn", `tokens of an authorization server cannot be checked: ${escapeText(verified.cause)}`, {
        issuer: issuer.issuer,
      });
      const reason = "the authorization server cannot be reached";
      return { outcome: "refused", status: 503, challenge: undefined, reason };
    }
    const { claims, sub, expiresAt } = verified;
    const scopes = scopesOf(claims);
    if (!issuer.scopes.every((scope) => scopes.has(scope)))
      return refuse(403, "the token lacks a scope", { error: "insufficient_scope", scopes: issuer.scopes });
    const terms = matchGrant(issuer, claims);
    if (terms === undefined) return refuse(403, "this caller has no access here");
    const principal = using.issuers.size === 1 ? sub : `${issuer.issuer}#${sub}`;
    // Approvals and rules are by principal: two callers must never share one.
    if (principal === LOCAL || using.names.has(principal))
      return refuse(403, "the subject of the token is the name of somebody else here");
    const { profile, as, toolboxes } = terms;
    const verdict: Verdict = { outcome: "known", principal, profile, as, toolboxes };
    using.verified.add(key, verdict, { now: now(), expiresAt });
    return verdict;
  };

  return {
    authenticate(headers) {
      if (inForce === undefined) return ANYBODY;
      if (!headers.has("authorization")) return refuse(401, "a token is needed", { scopes: inForce.scopes });
      const token = bearerOf(headers);
      if (token === undefined) return invalid("the Authorization header holds no bearer token");
      const digest = digestOf(token);
      const found = inForce.findToken(digest);
      if (found !== undefined) {
        const { name: principal, profile, as, toolboxes, expiresAt } = found;
        if (expiresAt !== undefined && now() >= expiresAt) return invalid("the token has expired");
        return { outcome: "known", principal, profile, as, toolboxes };
      }
      if (inForce.issuers.size === 0) return invalid("the token is not known here");
      const key = digest.toString("base64");
      return inForce.verified.find(key, now()) ?? verify(token, key, inForce);
    },
    metadata: () => resourceMetadata(settings?.oauth ?? [], resource()),
    adopt(next) {
      settings = next;
      inForce = prepare(next, now);
    },
  };
}

function prepare(settings: AuthSettings | undefined, now: () => number): InForce | undefined {
  if (settings === undefined) return undefined;
  const { tokens, oauth } = settings;
  return {
    findToken: buildTokenFinder(tokens),
    names: new Set(tokens.map(({ name }) => name)),
    issuers: new Map(oauth.map((issuer) => [issuer.issuer, { issuer, keys: createIssuerKeys(issuer, now) }])),
    scopes: [...new Set(oauth.flatMap(({ scopes }) => scopes))],
    verified: createVerdictCache(),
  };
}

/** What the token says of its issuer, before anything is proved: only chooses whose keys must have signed it. */
async function issuerIn(token: string): Promise<string | undefined> {
  const { decodeJwt } = await import("jose");
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
