// A server that a client starts and that cannot start: its program or its script is not there. Nothing is started to find out.

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { CarriedEntry } from "../../../../clients/server-entry-of.js";

const INTERPRETERS = /(?:^|[\\/])(?:node|bun|deno|tsx|python[\d.]*|ruby|bash|sh)(?:\.exe)?$/i;

/** The file that is not there; `undefined` where none is known to be missing. Names are left to the `PATH` of the client. */
export function missingFileOf({ command, args = [] }: CarriedEntry): string | undefined {
  if (command === undefined) return undefined;
  const script = INTERPRETERS.test(command) ? args.find((word) => !word.startsWith("-")) : undefined;
  return [command, script].find((file) => file !== undefined && isAbsolute(file) && !existsSync(file));
}
