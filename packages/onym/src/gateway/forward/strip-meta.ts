// The params of a request as a downstream gets them: without what belongs to the hop between client and gateway.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { isRequestId, type RequestId } from "../../mcp/message.js";
import { META } from "../../mcp/protocol.js";

/** Each hop has its own progress tokens and its own envelope. */
const HOP_META: ReadonlySet<string> = new Set([
  "progressToken",
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

export interface StrippedParams {
  readonly params: JsonObject;
  /** What the client wants progress reported under. */
  readonly progressToken: RequestId | undefined;
}

export function stripMeta(params: JsonObject): StrippedParams {
  // The usual case, without a copy.
  if (params["_meta"] === undefined) return { params, progressToken: undefined };
  const { _meta: meta, ...rest } = params;
  if (!isJsonObject(meta)) return { params: rest, progressToken: undefined };
  const token = meta["progressToken"];
  const kept = Object.entries(meta).filter(([key]) => !HOP_META.has(key));
  return {
    params: kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) },
    progressToken: isRequestId(token) ? token : undefined,
  };
}
