// Which session a request belongs to, or why it belongs to none.

import { LEGACY_REVISIONS } from "../../mcp/protocol.js";
import { sessionOwnerOf } from "../auth/session-owner.js";
import type { HttpSession } from "./create-http-session.js";
import type { SessionTable } from "./create-session-table.js";
import type { HttpExchange } from "./http-exchange.js";
import { HTTP_CODES, type Refusal } from "./responses/refusal.js";
import { badRequest } from "./responses/write-response.js";
import { explainUnknownSession } from "./session-id.js";

type Asking = Pick<HttpExchange, "headers" | "hints">;

export type Entered =
  | { readonly kind: "session"; readonly session: HttpSession }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** A session of somebody else is answered as one that never was. */
export function findSession(table: SessionTable, { headers, hints }: Asking): Entered {
  const id = headers.get("mcp-session-id");
  if (id === undefined) {
    return refused(
      badRequest(
        "Bad Request: the Mcp-Session-Id header is required. Send initialize first. " +
          `A client of the older SSE transport connects to ${sseAddress(hints)} instead.`,
      ),
    );
  }
  const session = table.find(id);
  if (session === undefined || session.holder !== sessionOwnerOf(hints)) {
    const message = explainUnknownSession(id, "Send initialize again.");
    return refused({ status: 404, code: HTTP_CODES.sessionNotFound, message });
  }
  const version = headers.get("mcp-protocol-version");
  if (version === undefined || (LEGACY_REVISIONS as readonly string[]).includes(version.trim())) {
    return { kind: "session", session };
  }
  const supported = LEGACY_REVISIONS.join(", ");
  return refused(badRequest(`Bad Request: unsupported MCP-Protocol-Version (supported: ${supported})`));
}

/** Where the same names are served over HTTP+SSE. */
function sseAddress({ profile, as }: HttpExchange["hints"]): string {
  const path = profile === undefined ? "/sse" : `/sse/${encodeURIComponent(profile.slice(0, MAX_SHOWN))}`;
  return as === undefined ? path : `${path}?as=${encodeURIComponent(as.slice(0, MAX_SHOWN))}`;
}

/** Of what stood in the address, in characters. */
const MAX_SHOWN = 100;

function refused(refusal: Refusal): Entered {
  return { kind: "refused", refusal };
}
