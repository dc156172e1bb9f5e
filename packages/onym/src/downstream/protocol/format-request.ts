// A request to a server as one line of JSON.

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { LOG_LEVELS, type LogLevel } from "../../mcp/protocol.js";
import type { DownstreamRequest, Notification } from "../downstream.js";

/** The parts that nearly every request has, serialized once. */
const WRITTEN: ReadonlyMap<string, string> = new Map(
  ["tools/call", "name", "arguments", "_meta"].map((word) => [word, JSON.stringify(word)]),
);

function formatWord(word: string): string {
  return WRITTEN.get(word) ?? JSON.stringify(word);
}

/**
 * Arguments are forwarded byte for byte: no number, order or escape changes. They stay bytes if they arrived
 * as bytes.
 */
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

// Onym uses its own progress tokens towards servers, so that two callers' tokens never collide.

/** The params with a token, if the caller wants progress. */
function addProgressToken({ params, origin }: DownstreamRequest, token: number): JsonObject {
  if (!origin.wantsProgress) return params;
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

/** The notification for the caller, without Onym's token. */
export function withoutToken(method: string, params: JsonObject): Notification {
  const { progressToken: _, ...rest } = params;
  return { method, params: rest };
}

// The log level set at a legacy server: the most verbose that any caller requested so far.

/** Sends each increase once; sends nothing on a connection without `logging`. */
export function createLogLevel(
  capabilities: JsonObject,
  tell: (level: LogLevel) => void,
): (wanted: LogLevel | undefined) => void {
  const able = isJsonObject(ownValue(capabilities, "logging"));
  let told: number = LOG_LEVELS.length;
  return (wanted) => {
    if (wanted === undefined || !able) return;
    const index = LOG_LEVELS.indexOf(wanted);
    if (index >= told) return;
    told = index;
    tell(wanted);
  };
}
