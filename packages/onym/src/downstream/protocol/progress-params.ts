// Progress tokens are Onym's own towards a downstream, so that two callers' tokens never meet.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Ask, Notice } from "../downstream.js";

/** The params with a token, where the caller wants progress. */
export function addProgressToken({ params, from }: Ask, token: number): JsonObject {
  if (!from.wantsProgress) return params;
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

/** What is told to the caller: the notice without Onym's token. */
export function withoutToken(method: string, params: JsonObject): Notice {
  const { progressToken: _, ...rest } = params;
  return { method, params: rest };
}
