// The words that start this Onym: from its package, or where it runs from a checkout, from there.

import { fileURLToPath } from "node:url";

/** The package as everybody gets it. */
export const PUBLISHED: readonly string[] = ["npx", "-y", "onym"];

/**
 * What a client can start. A checkout may be of a version that nobody has published.
 *
 * @param here The address of any file two folders below `src` or `dist`.
 */
export function detectProgram(here: string): readonly string[] {
  const file = fileURLToPath(new URL("../../../bin/onym.js", here));
  return /[\\/]node_modules[\\/]/.test(file) ? PUBLISHED : ["node", file];
}

export function ownProgram(): readonly string[] {
  return detectProgram(import.meta.url);
}
