// The gateway's metadata as an OAuth protected resource (RFC 9728), and its URL.

import type { JsonObject } from "../../mcp/json.js";
import type { IssuerSettings } from "../../model/auth-settings.js";

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

export function metadataUrl(resource: string): string {
  return `${new URL(resource).origin}${metadataPath(resource)}`;
}

/** The path of the resource follows the well-known prefix. */
export function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${METADATA_PATH}${pathname === "/" ? "" : pathname}`;
}

export function resourceMetadata(
  issuers: readonly IssuerSettings[],
  resource: string,
): JsonObject | undefined {
  if (issuers.length === 0) return undefined;
  const scopes = [...new Set(issuers.flatMap((issuer) => issuer.scopes))];
  return {
    resource,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    bearer_methods_supported: ["header"],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    resource_name: "Onym",
  };
}
