// A caller that is not let in, as HTTP and JSON-RPC say it.

import { HTTP_CODES, type Refusal } from "../http/responses/refusal.js";
import type { RefusedCaller } from "./authenticate.js";

const HEADS = { 401: "Unauthorized", 403: "Forbidden", 503: "Service Unavailable" } as const;

export function authRefusal({ status, challenge, reason }: RefusedCaller): Refusal {
  return {
    status,
    code: HTTP_CODES.refused,
    message: `${HEADS[status]}: ${reason}`,
    headers: challenge === undefined ? { "retry-after": "5" } : { "www-authenticate": challenge },
  };
}
