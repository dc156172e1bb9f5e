// A downstream's answer in the caller's era: modern results say what they are, legacy ones hold no structured
// output but objects.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { CODES, type Era, META } from "../../mcp/protocol.js";
import type { Reply } from "../../mcp/reply.js";

/** Results that clients may keep (GW-4). */
const CACHEABLE: ReadonlySet<string> = new Set(["resources/read"]);

export interface AdaptInput {
  readonly method: string;
  readonly caller: Era;
  /** The era the downstream was asked in. */
  readonly spoken: Era;
  readonly serverInfo: JsonObject;
}

export function adaptReply(reply: Reply, { method, caller, spoken, serverInfo }: AdaptInput): Reply {
  if (reply.kind === "json" || reply.kind === "bytes") return reply;
  if (caller === "modern") {
    if (reply.kind === "error") return notFoundAs(reply, CODES.resourceNotFound, CODES.invalidParams);
    return spoken === "modern" && typeof reply.result["resultType"] === "string"
      ? reply
      : { kind: "result", result: completeResult(method, reply.result, serverInfo) };
  }
  if (reply.kind === "error") return reply;
  const { structuredContent } = reply.result;
  if (structuredContent === undefined || isJsonObject(structuredContent)) return reply;
  const { structuredContent: _, ...rest } = reply.result;
  return { kind: "result", result: rest };
}

/** What every modern result carries. */
export function completeResult(method: string, result: JsonObject, serverInfo: JsonObject): JsonObject {
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  return {
    ...result,
    resultType: "complete",
    ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: "private" } : {}),
    _meta: { ...meta, [META.serverInfo]: serverInfo },
  };
}

function notFoundAs(reply: Reply & { kind: "error" }, from: number, to: number): Reply {
  return reply.error.code === from ? { kind: "error", error: { ...reply.error, code: to } } : reply;
}
