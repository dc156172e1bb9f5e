// How the console refuses what goes beyond a limit.

import type { Context } from "hono";
import type { Refusal } from "../../gateway/http/responses/refusal.js";

export const RETRY = { "retry-after": "1" };

/** A limit of this caller, or of all. */
export function tooMany(c: Context, { code, message, headers }: Refusal) {
  const status = code === "busy" ? 503 : 429;
  return c.json({ error: message }, status, { "retry-after": String(headers?.["retry-after"] ?? 1) });
}
