// Decides whether a verified OAuth token admits its caller, as which principal, and with which rights.
// Repeated against the settings in force.

import { type JsonObject, ownValue } from "../../mcp/json.js";
import {
  type CallerTerms,
  type GrantSettings,
  type IssuerSettings,
  LOCAL_PRINCIPAL,
} from "../../model/auth-settings.js";

interface Verified {
  readonly claims: JsonObject;
  readonly sub: string;
}

interface Others {
  readonly issuers: { readonly size: number };
  /** The names of Onym's own tokens. */
  readonly names: ReadonlySet<string>;
}

export type Access =
  | { readonly outcome: "granted"; readonly principal: string; readonly terms: CallerTerms }
  | { readonly outcome: "refused"; readonly reason: string; readonly challenge: Challenge };

export function grantAccess({ claims, sub }: Verified, issuer: IssuerSettings, others: Others): Access {
  const scopes = scopesOf(claims);
  if (!issuer.scopes.every((scope) => scopes.has(scope)))
    return refuse("the token lacks a scope", { error: "insufficient_scope", scopes: issuer.scopes });
  const terms = matchGrant(issuer, claims);
  if (terms === undefined) return refuse("this caller has no access here");
  const principal = others.issuers.size === 1 ? sub : `${issuer.issuer}#${sub}`;
  // Approvals and rules use principals: two callers must never share one.
  if (principal === LOCAL_PRINCIPAL || others.names.has(principal))
    return refuse("the subject of the token is the name of somebody else here");
  return { outcome: "granted", principal, terms };
}

export function isMeantFor({ claims }: Verified, audience: readonly string[]): boolean {
  const said = ownValue(claims, "aud");
  return audience.some((one) => said === one || (Array.isArray(said) && said.includes(one)));
}

function refuse(reason: string, challenge: Challenge = {}): Access {
  return { outcome: "refused", reason, challenge };
}

const EVERYTHING: CallerTerms = { profile: undefined, as: undefined, toolboxes: undefined };

/** `undefined`: no access, because the operator lists who has access and this caller is not listed. */
function matchGrant({ map }: IssuerSettings, claims: JsonObject): CallerTerms | undefined {
  if (map === undefined) return EVERYTHING;
  const scopes = scopesOf(claims);
  return map.find((grant) => fits(grant, claims, scopes));
}

function fits(grant: GrantSettings, claims: JsonObject, scopes: ReadonlySet<string>): boolean {
  if (grant.scope !== undefined && !scopes.has(grant.scope)) return false;
  return Object.entries(grant.claims).every(([name, wanted]) => {
    const said = ownValue(claims, name);
    return said === wanted || (Array.isArray(said) && said.includes(wanted));
  });
}

/** `scope` as in RFC 9068, or `scp` as others write it. */
function scopesOf(claims: JsonObject): ReadonlySet<string> {
  const texts = [ownValue(claims, "scope"), ownValue(claims, "scp")].flatMap((said) =>
    typeof said === "string" ? said.split(" ") : Array.isArray(said) ? said : [],
  );
  return new Set(texts.filter((text): text is string => typeof text === "string" && text !== ""));
}

export interface Challenge {
  readonly error?: "invalid_token" | "insufficient_scope";
  readonly description?: string;
  readonly scopes?: readonly string[];
  /** The URL of the protected-resource metadata. */
  readonly metadata?: string | undefined;
}

/** All values come from Onym or from the checked config, so none needs escaping. */
export function buildChallenge({ error, description, scopes = [], metadata }: Challenge): string {
  const fields = {
    error,
    error_description: description,
    scope: scopes.length === 0 ? undefined : scopes.join(" "),
    resource_metadata: metadata,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value}"`],
  );
  return given.length === 0 ? 'Bearer realm="onym"' : `Bearer ${given.join(", ")}`;
}
