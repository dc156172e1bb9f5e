// What the holder of an OAuth token gets, by what the token says of it.

import type { JsonObject } from "../../mcp/json.js";
import { ownValue } from "../../mcp/json.js";
import type { CallerTerms } from "../router.js";
import type { GrantSettings, IssuerSettings } from "./auth-settings.js";

const EVERYTHING: CallerTerms = { profile: undefined, as: undefined, toolboxes: undefined };

/** `undefined`: nothing, because the operator lists who gets something and this is none of them. */
export function matchGrant({ map }: IssuerSettings, claims: JsonObject): CallerTerms | undefined {
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

/** `scope`, as RFC 9068 has it, or `scp`, as others write it. */
export function scopesOf(claims: JsonObject): ReadonlySet<string> {
  const texts = [ownValue(claims, "scope"), ownValue(claims, "scp")].flatMap((said) =>
    typeof said === "string" ? said.split(" ") : Array.isArray(said) ? said : [],
  );
  return new Set(texts.filter((text): text is string => typeof text === "string" && text !== ""));
}
