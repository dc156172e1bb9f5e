// Requests that Onym makes for itself: handshakes and lists. They belong to no caller.

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../../mcp/json.js";
import type { DownstreamRequest, RequestOrigin } from "../downstream.js";

/** Onym itself. */
export const OWN_ORIGIN: RequestOrigin = {
  id: "onym",
  callerKey: "onym",
  capabilities: {},
  logLevel: undefined,
  wantsProgress: false,
  notify: () => {},
  sendRequest: undefined,
};

/** A signal that never aborts. */
export const NEVER = createCancelSource().signal;

export function buildOwnRequest(
  method: string,
  params: JsonObject,
  bounds: { readonly timeoutMs?: number; readonly signal?: CancelSignal } = {},
): DownstreamRequest {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal = NEVER } = bounds;
  return { method, params, origin: OWN_ORIGIN, signal, timeoutMs };
}

export function isOwnRequest(request: DownstreamRequest): boolean {
  return request.origin === OWN_ORIGIN;
}
