// Requests that Onym makes for itself: handshakes and lists. No caller is behind them, and none is ever meant by them.

import { type CancelSignal, createCancelSource } from "../../mcp/fast-path/cancel-signal.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Ask, Asker } from "../downstream.js";

/** Onym itself. */
export const OWN_ASKER: Asker = {
  id: "onym",
  callerKey: "onym",
  capabilities: {},
  logLevel: undefined,
  wantsProgress: false,
  tell: () => {},
  answer: undefined,
};

/** Of what nobody cancels. */
export const NEVER = createCancelSource().signal;

export function buildOwnAsk(
  method: string,
  params: JsonObject,
  bounds: { readonly timeoutMs?: number; readonly signal?: CancelSignal } = {},
): Ask {
  const { timeoutMs = Number.POSITIVE_INFINITY, signal = NEVER } = bounds;
  return { method, params, from: OWN_ASKER, signal, timeoutMs };
}

export function isOwnAsk(ask: Ask): boolean {
  return ask.from === OWN_ASKER;
}
