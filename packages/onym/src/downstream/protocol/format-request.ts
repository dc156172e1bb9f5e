// A request to a downstream as one line of JSON.

import type { DownstreamRequest } from "../downstream.js";
import { addProgressToken } from "./progress-params.js";

/** What nearly every request has, written once. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  ["tools/call", "name", "arguments", "_meta"].map((word) => [word, JSON.stringify(word)]),
);

function formatWord(word: string): string {
  return WRITTEN.get(word) ?? JSON.stringify(word);
}

/** Arguments go on to the letter: no number, order or escape changes on the way. As bytes where they came so. */
export function formatRequest(id: number, request: DownstreamRequest): string | Buffer {
  const { method, argumentsText } = request;
  const params = addProgressToken(request, id);
  if (argumentsText === undefined || params["arguments"] !== argumentsText.of)
    return JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const { text: letters } = argumentsText;
  let before = "";
  let line = `{"jsonrpc":"2.0","id":${id},"method":${formatWord(method)},"params":{`;
  let gap = "";
  for (const key of Object.keys(params)) {
    const isArguments = key === "arguments";
    const text = isArguments ? "" : JSON.stringify(params[key]);
    if (text === undefined) continue;
    line += `${gap}${formatWord(key)}:${text}`;
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
