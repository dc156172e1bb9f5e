// Ends a sign-in at the authorization server (RFC 7009), where it can be told.

import { authenticateClient } from "./ask-for-tokens.js";
import { fetchJson } from "./fetch-json.js";
import type { Grant, OAuthSettings } from "./grant.js";
import { withSecret } from "./renew-grant.js";

/** Whether it said that it did. With the refresh token goes all that came from it. */
export async function revokeGrant(grant: Grant, settings: OAuthSettings): Promise<boolean> {
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
