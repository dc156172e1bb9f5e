// What a client calls itself, for the log. A stranger's: it may be anything, or nothing.

import type { Caller } from "./caller.js";

export function clientName({ clientInfo }: Pick<Caller, "clientInfo">): string {
  const name = clientInfo?.["name"];
  return typeof name === "string" ? name.slice(0, 200) : "unknown";
}
