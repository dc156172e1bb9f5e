// Authenticates HTTP requests: by one of Onym's own tokens, else by a token of an authorization server.
// Tokens are kept as digests, and never appear in a log or a response. Also what ends when a caller is no longer admitted.

import { createHash, timingSafeEqual } from "node:crypto";
import { escapeText } from "@onym/core";
import { createTickets } from "../../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../../mcp/json.js";
import {
  type AuthSettings,
  type CallerTerms,
  type IssuerSettings,
  LOCAL_PRINCIPAL,
  type TokenSettings,
} from "../../model/auth-settings.js";
import type { EdgeClock } from "../../model/clock.js";
import type { Log } from "../../model/log.js";
import { HTTP_STATUSES } from "../failure-codes.js";
import { setBounded } from "../set-bounded.js";
import {
  type Authenticate,
  type AuthResult,
  bearerOf,
  type KnownCaller,
  type Proof,
  type RefusedCaller,
} from "./authenticate.js";
import { buildChallenge, type Challenge, grantAccess, isMeantFor } from "./grant-access.js";
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.js";
import { metadataUrl, resourceMetadata } from "./resource-metadata.js";
import { verifyJwt } from "./verify-jwt.js";

export interface Authenticator {
  readonly authenticate: Authenticate;
  /** The protected-resource metadata (RFC 9728); `undefined` without an authorization server. */
  readonly metadata: () => JsonObject | undefined;
  /** Applies new settings. Callers admitted by the old ones must also pass the new ones. */
  readonly adopt: (settings: AuthSettings | undefined) => void;
}

export interface AuthenticatorOptions {
  /** `undefined`: everyone may connect, as `local`. */
  readonly settings: AuthSettings | undefined;
  /** The URL that clients use: the required audience of OAuth tokens. */
  readonly resource: () => string;
  readonly log: Log;
  readonly now: () => number;
}

const LOG_INTERVAL_MS = 60_000;
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
    ...knownCaller(LOCAL_PRINCIPAL, EVERYTHING, {
      until: undefined,
      isRenewable: false,
      counts: () => inForce === undefined,
    }),
    isAnonymous: true,
  };
  /** One object per token, so that state attached to it is not rebuilt on every request. */
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

  const refuse = (
    code: "unauthenticated" | "forbidden",
    reason: string,
    challenge: Challenge = {},
  ): RefusedCaller => {
    log("debug", `a client was refused: ${reason}`, { status: HTTP_STATUSES[code] });
    const metadata =
      inForce === undefined || inForce.issuers.size === 0 ? undefined : metadataUrl(resource());
    const description = challenge.error === undefined ? {} : { description: reason };
    return {
      outcome: "refused",
      code,
      challenge: buildChallenge({ ...description, ...challenge, metadata }),
      reason,
    };
  };
  const invalid = (reason: string): RefusedCaller =>
    refuse("unauthenticated", reason, { error: "invalid_token" });

  /** When it was last logged, by configured issuer. Anybody can send tokens that name one. */
  const loggedAt = new Map<string, number>();
  const logUnavailable = (issuer: string, cause: string): void => {
    const at = now();
    if (at - (loggedAt.get(issuer) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    loggedAt.set(issuer, at);
    log("warn", `tokens of an authorization server cannot be checked: ${escapeText(cause)}`, { issuer });
  };

  const verify = async (token: string, key: string, using: InForce): Promise<AuthResult> => {
    const named = using.issuers.get((await issuerIn(token)) ?? "");
    if (named === undefined) return invalid("the token is not known here");
    const { issuer, keys } = named;
    const audience = issuer.audience.length === 0 ? [resource()] : issuer.audience;
    const verified = await verifyJwt(token, { issuer, audience, keys, now: now() });
    if (verified.kind === "bad") return invalid(verified.reason);
    if (verified.kind === "unavailable") {
      logUnavailable(issuer.issuer, verified.cause);
      const reason = "the authorization server cannot be reached";
      return { outcome: "refused", code: "auth-unavailable", challenge: undefined, reason };
    }
    const { expiresAt } = verified;
    const granted = grantAccess(verified, issuer, using);
    if (granted.outcome === "refused") return refuse("forbidden", granted.reason, granted.challenge);
    const { principal, terms } = granted;
    const counts = (): boolean => {
      const { issuer: named } = inForce?.issuers.get(issuer.issuer) ?? {};
      if (inForce === undefined || named === undefined) return false;
      if (!isMeantFor(verified, named.audience.length === 0 ? [resource()] : named.audience)) return false;
      const again = grantAccess(verified, named, inForce);
      return again.outcome === "granted" && sessionOwnerOf(again) === sessionOwnerOf(granted);
    };
    const result = knownCaller(principal, terms, { until: expiresAt, isRenewable: true, counts });
    using.verified.add(key, result, { now: now(), expiresAt });
    return result;
  };

  return {
    authenticate(headers) {
      if (inForce === undefined) return anybody;
      if (!headers.has("authorization"))
        return refuse("unauthenticated", "a token is needed", { scopes: inForce.scopes });
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

/** The same caller with the same rights, and no earlier expiry. */
function isSame(before: TokenSettings, now: TokenSettings | undefined): boolean {
  if (now === undefined || (now.expiresAt ?? Infinity) < (before.expiresAt ?? Infinity)) return false;
  return (
    sessionOwnerOf({ principal: now.name, terms: now }) ===
    sessionOwnerOf({ principal: before.name, terms: before })
  );
}

/** A session belongs to a caller with its rights: no other may use it. */
export function sessionOwnerOf({
  principal,
  terms,
}: {
  readonly principal?: string | undefined;
  readonly terms?: Pick<CallerTerms, "toolboxes"> | undefined;
}): string {
  return principal === undefined ? "" : JSON.stringify([principal, terms?.toolboxes ?? null]);
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

/** The issuer claim of an unverified token: only selects whose keys must have signed it. */
async function issuerIn(token: string): Promise<string | undefined> {
  const { decodeJwt } = await import("jose");
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

type FindToken = (digest: Buffer) => TokenSettings | undefined;

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function buildTokenFinder(tokens: readonly TokenSettings[]): FindToken {
  const known = tokens.map((token) => ({ token, digest: Buffer.from(token.hash, "hex") }));
  return (digest) => {
    let found: TokenSettings | undefined;
    for (const each of known) {
      if (each.digest.length === digest.length && timingSafeEqual(each.digest, digest)) found = each.token;
    }
    return found;
  };
}

interface TokenCache {
  readonly find: (key: string, now: number) => KnownCaller | undefined;
  readonly add: (
    key: string,
    result: KnownCaller,
    time: { readonly now: number; readonly expiresAt: number },
  ) => void;
}

/** A token whose key its issuer withdraws is accepted no longer than this and the age of the keys together. */
const FRESH_MS = 60_000;
const MAX_TOKENS = 1_000;

function createTokenCache(): TokenCache {
  const known = new Map<string, { readonly result: KnownCaller; readonly until: number }>();
  return {
    find(key, now) {
      const entry = known.get(key);
      if (entry === undefined) return undefined;
      if (now < entry.until) return entry.result;
      known.delete(key);
      return undefined;
    },
    add(key, result, { now, expiresAt }) {
      setBounded(known, key, { result, until: Math.min(expiresAt, now + FRESH_MS) }, MAX_TOKENS);
    },
  };
}

// Things that stay open only while their caller is admitted: streams, sessions, requests in flight.

/**
 * `proof`: ends with the proof it was opened with. `caller`: stays for a caller that can return with a new
 * proof.
 */
type Needs = "proof" | "caller";

export interface Admissions {
  /** Whether the caller is admitted now. */
  readonly admits: (proof: Proof | undefined) => boolean;
  /** Calls `end` as soon as the caller is no longer admitted. Returns a function that releases the hold. */
  readonly hold: (proof: Proof | undefined, needs: Needs, end: () => void) => () => void;
  /** Call when the access rules changed: checks all holds again. */
  readonly review: () => void;
  readonly close: () => void;
}

/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Held {
  readonly proof: Proof;
  readonly needs: Needs;
  readonly end: () => void;
  /** Its key in the tickets. */
  ticket: number;
  stopTimer: () => void;
}

export function createAdmissions(clock: EdgeClock): Admissions {
  const all = createTickets<Held>();
  const isHeld = ({ ticket }: Held): boolean => all.get(ticket) !== undefined;
  const release = (held: Held): void => {
    if (all.drop(held.ticket)) held.stopTimer();
  };
  const look = (held: Held): void => {
    if (!isHeld(held)) return;
    if (!isOver(held, clock.now())) return;
    release(held);
    held.end();
  };
  const wait = (held: Held): void => {
    const { until } = held.proof;
    if (until === undefined || !endsByItself(held)) return;
    held.stopTimer = clock.after(Math.min(Math.max(until - clock.now(), 0), MAX_TIMER_MS), () => {
      look(held);
      if (isHeld(held)) wait(held);
    });
  };
  return {
    admits: (proof) =>
      proof === undefined ||
      (proof.counts() && (proof.until === undefined || proof.isRenewable || clock.now() < proof.until)),
    hold(proof, needs, end) {
      if (proof === undefined) return () => {};
      const held: Held = { proof, needs, end, ticket: 0, stopTimer: () => {} };
      held.ticket = all.take(held);
      wait(held);
      // The proof may have expired while the request was read.
      if (isOver(held, clock.now())) queueMicrotask(() => look(held));
      return () => release(held);
    },
    review() {
      for (const held of all.values()) look(held);
    },
    close() {
      for (const held of all.values()) release(held);
    },
  };
}

function endsByItself({ proof, needs }: Held): boolean {
  return needs === "proof" || !proof.isRenewable;
}

function isOver(held: Held, now: number): boolean {
  const { proof } = held;
  if (!proof.counts()) return true;
  return proof.until !== undefined && endsByItself(held) && now >= proof.until;
}
