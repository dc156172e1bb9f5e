// A request to a downstream as one line of JSON.

import type { Ask } from "./downstream.js";
import { addProgressToken } from "./progress-params.js";

/** Arguments go on to the letter: no number, order or escape changes on the way. As bytes where they came so. */
export function formatRequest(id: number, ask: Ask): string | Buffer {
  const { method, argumentsText } = ask;
  const params = addProgressToken(ask, id);
  if (argumentsText === undefined || params["arguments"] !== argumentsText.of)
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const { text: letters } = argumentsText;
  let before = "";
  let line = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{`;
  let gap = "";
  for (const key of Object.keys(params)) {
    const isArguments = key === "arguments";
    const text = isArguments ? "" : JSON.stringify(params[key]);
    if (text === undefined) continue;
    line += `${gap}${JSON.stringify(key)}:${text}`;
    gap = ",";
    if (!isArguments) continue;
    before = line;
    line = "";
  }
  line += "}}";
  return typeof letters === "string"
    ? before + letters + line
    : Buffer.concat([Buffer.from(before), letters, Buffer.from(line)]);
}
