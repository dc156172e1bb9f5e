// Labels a server's own request with its server: to the user it would look like Onym's (SAFE-6).

import { quoteText } from "@onym/core";
import type { DownstreamId, ServerRequest } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";

const MAX_SERVER = 100;

/** What cannot be labelled is not passed on. */
export const UNREADABLE_SERVER_REQUEST =
  "The server asked for input in a message that is too large to be read";

/**
 * Prefixes the text for the user with the server, and adds it to `_meta` for clients. Prompts for a model
 * (sampling) stay unchanged. `task` is ignored, as Onym offers no tasks.
 */
export function labelServerRequest(
  serverRequest: ServerRequest,
  { server, toolbox }: DownstreamId,
): ServerRequest {
  const { method, params } = serverRequest;
  if (method !== "elicitation/create" && method !== "sampling/createMessage") return serverRequest;
  const { task: _, ...plain } = params;
  const meta = isJsonObject(plain["_meta"]) ? plain["_meta"] : {};
  const { message } = plain;
  const place = toolbox === undefined ? "" : ` in ${quoteText(toolbox, MAX_SERVER)}`;
  const origin = { "onym/server": server, ...(toolbox === undefined ? {} : { "onym/toolbox": toolbox }) };
  return {
    ...serverRequest,
    params: {
      ...plain,
      ...(typeof message === "string"
        ? { message: `The server ${quoteText(server, MAX_SERVER)}${place} asks: ${message}` }
        : {}),
      _meta: { ...meta, ...origin },
    },
  };
}

/** The same for the requests in an `input_required` result (2026-07-28). */
export function labelServerRequests(result: JsonObject, id: DownstreamId): JsonObject {
  const { resultType, inputRequests } = result;
  if (resultType !== "input_required" || !isJsonObject(inputRequests)) return result;
  const named = Object.entries(inputRequests).map(([key, request]): [string, unknown] => {
    if (!isJsonObject(request)) return [key, request];
    const { method, params } = request;
    return [
      key,
      typeof method === "string" && isJsonObject(params)
        ? { ...request, ...labelServerRequest({ method, params }, id) }
        : request,
    ];
  });
  return { ...result, inputRequests: Object.fromEntries(named) };
}
