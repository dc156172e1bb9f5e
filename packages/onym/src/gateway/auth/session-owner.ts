// Whose a session is: another caller that knows its id, and the same one with other rights, are strangers to it.

import type { CallerHints } from "../router.js";

export function sessionOwnerOf({ principal, terms }: Pick<CallerHints, "principal" | "terms">): string {
  return principal === undefined ? "" : JSON.stringify([principal, terms?.toolboxes ?? null]);
}
