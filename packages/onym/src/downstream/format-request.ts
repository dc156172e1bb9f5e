// A request to a downstream as one line of JSON.

import type { Ask } from "./downstream.js";
import { addProgressToken } from "./progress-params.js";

/** Arguments go on to the letter: no number, order or escape changes on the way. */
export function formatRequest(id: number, ask: Ask): string {
  const { method, argumentsText } = ask;
  const params = addProgressToken(ask, id);
  const { arguments: args, ...others } = params;
  if (argumentsText === undefined || args !== argumentsText.of)
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const before = JSON.stringify({ jsonrpc: "2.0", id, method, params: others }).slice(0, -2);
  return `${before}${before.endsWith("{") ? "" : ","}"arguments":${argumentsText.text}}}`;
}
