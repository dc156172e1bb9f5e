// Who makes an HTTP request: by a token of Onym's own, else by one of an authorization server. Tokens are kept as
// digests, and are never in a log or an answer.

import { escapeText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { Log } from "../../model/log.js";
import type { CallerTerms } from "../router.js";
import type { AuthSettings, IssuerSettings, TokenSettings } from "./auth-settings.js";
import {
  type Authenticate,
  type AuthResult,
  bearerOf,
  type KnownCaller,
  type Proof,
  type RefusedCaller,
} from "./authenticate.js";
import { buildChallenge, type Challenge } from "./build-challenge.js";
import { buildTokenFinder, digestOf, type FindToken } from "./find-token.js";
import { grantAccess, isMeantFor } from "./grant-access.js";
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.js";
import { metadataUrl, resourceMetadata } from "./resource-metadata.js";
import { sessionOwnerOf } from "./session-owner.js";
import { createTokenCache, type TokenCache } from "./token-cache.js";
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
const EVERYTHING: CallerTerms = { profile: undefined, as: undefined, toolboxes: undefined };

interface InForce {
  readonly findToken: FindToken;
  readonly names: ReadonlySet<string>;
  readonly issuers: ReadonlyMap<string, { readonly issuer: IssuerSettings; readonly keys: IssuerKeys }>;
  readonly scopes: readonly string[];
  readonly verified: TokenCache;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { resource, log, now } = options;
  let settings = options.settings;
  let inForce = prepare(settings, now);
  const anybody: KnownCaller = {
    ...knownCaller(LOCAL, EVERYTHING, {
      until: undefined,
      isRenewable: false,
      counts: () => inForce === undefined,
    }),
    isAnonymous: true,
  };
  /** One for each token, so that what hangs on it is not set up anew with every request. */
  const holders = new WeakMap<TokenSettings, KnownCaller>();
  const holderOfToken = (token: TokenSettings, digest: Buffer): KnownCaller => {
    const known =
      holders.get(token) ??
      knownCaller(token.name, token, {
        until: token.expiresAt,
        isRenewable: false,
        counts: () => isSame(token, inForce?.findToken(digest)),
      });
    holders.set(token, known);
    return known;
  };

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

  const verify = async (token: string, key: string, using: InForce): Promise<AuthResult> => {
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
    const { expiresAt } = verified;
    const granted = grantAccess(verified, issuer, { ...using, local: LOCAL });
    if (granted.outcome === "refused") return refuse(403, granted.reason, granted.challenge);
    const { principal, terms } = granted;
    const counts = (): boolean => {
      const { issuer: named } = inForce?.issuers.get(issuer.issuer) ?? {};
      if (inForce === undefined || named === undefined) return false;
      if (!isMeantFor(verified, named.audience.length === 0 ? [resource()] : named.audience)) return false;
      const again = grantAccess(verified, named, { ...inForce, local: LOCAL });
      return again.outcome === "granted" && sessionOwnerOf(again) === sessionOwnerOf(granted);
    };
    const result = knownCaller(principal, terms, { until: expiresAt, isRenewable: true, counts });
    using.verified.add(key, result, { now: now(), expiresAt });
    return result;
  };

  return {
    authenticate(headers) {
      if (inForce === undefined) return anybody;
      if (!headers.has("authorization")) return refuse(401, "a token is needed", { scopes: inForce.scopes });
      const token = bearerOf(headers);
      if (token === undefined) return invalid("the Authorization header holds no bearer token");
      const digest = digestOf(token);
      const found = inForce.findToken(digest);
      if (found !== undefined) {
        const { expiresAt } = found;
        if (expiresAt !== undefined && now() >= expiresAt) return invalid("the token has expired");
        return holderOfToken(found, digest);
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

function knownCaller(principal: string, terms: CallerTerms, proof: Proof): KnownCaller {
  const { profile, as, toolboxes } = terms;
  return { outcome: "known", principal, isAnonymous: false, profile, as, toolboxes, proof };
}

/** The same caller with the same rights, and no earlier end. */
function isSame(before: TokenSettings, now: TokenSettings | undefined): boolean {
  if (now === undefined || (now.expiresAt ?? Infinity) < (before.expiresAt ?? Infinity)) return false;
  return (
    sessionOwnerOf({ principal: now.name, terms: now }) ===
    sessionOwnerOf({ principal: before.name, terms: before })
  );
}

function prepare(settings: AuthSettings | undefined, now: () => number): InForce | undefined {
  if (settings === undefined) return undefined;
  const { tokens, oauth } = settings;
  return {
    findToken: buildTokenFinder(tokens),
    names: new Set(tokens.map(({ name }) => name)),
    issuers: new Map(oauth.map((issuer) => [issuer.issuer, { issuer, keys: createIssuerKeys(issuer, now) }])),
    scopes: [...new Set(oauth.flatMap(({ scopes }) => scopes))],
    verified: createTokenCache(),
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
