// The refusal of an unauthenticated or forbidden caller in HTTP and JSON-RPC.

import type { Refusal } from "../http/responses/refusal.js";
import type { RefusedCaller } from "./authenticate.js";

const HEADS = {
  unauthenticated: "Unauthorized",
  forbidden: "Forbidden",
  "auth-unavailable": "Service Unavailable",
} as const;

export function authRefusal({ code, challenge, reason }: RefusedCaller): Refusal {
  return {
    code,
    message: `${HEADS[code]}: ${reason}`,
    headers: challenge === undefined ? { "retry-after": "5" } : { "www-authenticate": challenge },
  };
}
