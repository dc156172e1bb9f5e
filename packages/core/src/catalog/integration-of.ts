// The integration of a server (CANON-1): as configured, otherwise the server id converted to kebab.

import { SHORT_DIGEST_LENGTH, shortDigest } from "../identity/short-digest.js";
import { foldAscii } from "../names/ascii-fold.js";

/**
 * Converts a server id to kebab. An id with nothing usable (other scripts, symbols) gives `server-` and a digest.
 *
 * @example
 * integrationFromServerId("My Files"); // "my-files"
 */
export function integrationFromServerId(server: string): string {
  const kebab = foldAscii(server)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-");
  return kebab === "" ? `server-${shortDigest([server])}` : kebab;
}

/**
 * The integration of a server whose kebab id already belongs to another server (NAME-8).
 *
 * @example
 * integrationApart("GitHub"); // "github-ueeo6gn7"
 */
export function integrationApart(server: string): string {
  return `${integrationFromServerId(server)}-${shortDigest([server])}`;
}

/**
 * The integration that a server would have if no other id were similar. Returns the integration unchanged if it
 * already is that one.
 *
 * @example
 * plainIntegration({ server: "GitHub", integration: "github-ueeo6gn7" }); // "github"
 */
export function plainIntegration(owner: { readonly server: string; readonly integration: string }): string {
  const { server, integration } = owner;
  // A digest has a fixed length, so its place excludes most integrations before it is computed.
  const mayBeApart = integration.at(-1 - SHORT_DIGEST_LENGTH) === "-";
  return mayBeApart && integration === integrationApart(server)
    ? integrationFromServerId(server)
    : integration;
}
