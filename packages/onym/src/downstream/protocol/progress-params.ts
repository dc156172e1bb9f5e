// Progress tokens are Onym's own towards a downstream, so that two callers' tokens never meet.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { DownstreamRequest, Notification } from "../downstream.js";

/** The params with a token, where the caller wants progress. */
export function addProgressToken({ params, origin }: DownstreamRequest, token: number): JsonObject {
  if (!origin.wantsProgress) return params;
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

/** What is told to the caller: the notification without Onym's token. */
export function withoutToken(method: string, params: JsonObject): Notification {
  const { progressToken: _, ...rest } = params;
  return { method, params: rest };
}
