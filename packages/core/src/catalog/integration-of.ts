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
