// Whether the holder of a verified OAuth token is let in, as whom, and with what: by the settings in force, again and again.

import type { JsonObject } from "../../mcp/json.js";
import { ownValue } from "../../mcp/json.js";
import type { CallerTerms } from "../router.js";
import type { IssuerSettings } from "./auth-settings.js";
import type { Challenge } from "./build-challenge.js";
import { matchGrant, scopesOf } from "./match-grant.js";

interface Verified {
  readonly claims: JsonObject;
  readonly sub: string;
}

interface Others {
  readonly issuers: { readonly size: number };
  /** The names of Onym's own tokens. */
  readonly names: ReadonlySet<string>;
  /** Who is meant where nobody had to prove who it is. */
  readonly local: string;
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
  // Approvals and rules are by principal: two callers must never share one.
  if (principal === others.local || others.names.has(principal))
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
