// A request to a downstream as one line of JSON.

import type { Ask } from "./downstream.js";
import { addProgressToken } from "./progress-params.js";

/** Arguments go on to the letter: no number, order or escape changes on the way. */
export function formatRequest(id: number, ask: Ask): string {
  const { method, argumentsText } = ask;
  const params = addProgressToken(ask, id);
  if (argumentsText === undefined || params["arguments"] !== argumentsText.of)
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  let members = "";
  for (const key of Object.keys(params)) {
    const text = key === "arguments" ? argumentsText.text : JSON.stringify(params[key]);
    if (text !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${text}`;
  }
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{${members}}}`;
}
