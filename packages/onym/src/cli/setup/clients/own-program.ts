// The words that start this Onym: from its package, or where it runs from a checkout, from there.

import { fileURLToPath } from "node:url";
import { PACKAGE_FOLDER } from "../../package-folder.js";

/** The package as everybody gets it. */
export const PUBLISHED: readonly string[] = ["npx", "-y", "onym"];

/**
 * What a client can start. A checkout may be of a version that nobody has published.
 *
 * @param folder The address of the package's folder.
 */
export function detectProgram(folder: URL): readonly string[] {
  const file = fileURLToPath(new URL("bin/onym.js", folder));
  return /[\\/]node_modules[\\/]/.test(file) ? PUBLISHED : ["node", file];
}

export function ownProgram(): readonly string[] {
  return detectProgram(PACKAGE_FOLDER);
}
