// The integration of a downstream (CANON-1): as configured, else the server id made kebab.

import { shortDigest } from "../identity/short-digest.js";
import { foldAscii } from "../names/ascii-fold.js";

/**
 * Makes a server id kebab. An id that leaves nothing (other scripts, symbols) gives `server-` and a digest.
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
 * The integration of a server that gives way to another whose id makes the same kebab (NAME-8).
 *
 * @example
 * integrationApart("GitHub"); // "github-ueeo6gn7"
 */
export function integrationApart(server: string): string {
  return `${integrationFromServerId(server)}-${shortDigest([server])}`;
}

/**
 * The integration that a server would have if no other id were so much like its own; its own where it has that.
 *
 * @example
 * plainIntegration({ server: "GitHub", integration: "github-ueeo6gn7" }); // "github"
 */
export function plainIntegration(owner: { readonly server: string; readonly integration: string }): string {
  const { server, integration } = owner;
  // A digest has a fixed length, so most integrations are seen not to end in one without making it.
  return /-[a-z2-7]{8}$/.test(integration) && integration === integrationApart(server)
    ? integrationFromServerId(server)
    : integration;
}
