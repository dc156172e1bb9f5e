// Labels a server's own request with its server: to the user it would look like Onym's (SAFE-6).

import { quoteText } from "@onym/core";
import type { DownstreamId, ServerRequest } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";

const MAX_SERVER = 100;

/** Characters of a message: more is nothing to read, and each is looked at. */
export const MAX_MESSAGE = 65_536;
/**
 * What could erase the label in a terminal, or reorder or hide text: controls, bidirectional and invisible characters. Not line
 * feeds and tabs, nor what scripts and emoji are written with: joiners and variation selectors.
 */
const MISLEADING =
  /(?:(?!\n|\t|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+/gu;

// What cannot be labelled is not passed on.

export const UNREADABLE_SERVER_REQUEST =
  "The server asked for input in a message that is too large to be read";
export const MALFORMED_SERVER_REQUEST = "The server asked for input in a form that is not a request";

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
        ? { message: `The server ${quoteText(server, MAX_SERVER)}${place} asks: ${readable(message)}` }
        : {}),
      _meta: { ...meta, ...origin },
    },
  };
}

/** Runs of what misleads become one U+FFFD, so that the text does not grow. */
function readable(message: string): string {
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
  return shown.replaceAll("\r\n", "\n").replace(MISLEADING, "\uFFFD");
}

/**
 * The same for the requests in an `input_required` result (2026-07-28). `undefined` if one of them has not the form of a request:
 * it would pass without a label, and a client may still show its text.
 */
export function labelServerRequests(result: JsonObject, id: DownstreamId): JsonObject | undefined {
  const { resultType, inputRequests } = result;
  // A result may have a state alone.
  if (resultType !== "input_required" || inputRequests === undefined) return result;
  if (!isJsonObject(inputRequests)) return undefined;
  const named: [string, unknown][] = [];
  for (const [key, request] of Object.entries(inputRequests)) {
    if (!isServerRequest(request)) return undefined;
    const { method, params } = request;
    named.push([
      key,
      params === undefined ? request : { ...request, ...labelServerRequest({ method, params }, id) },
    ]);
  }
  return { ...result, inputRequests: Object.fromEntries(named) };
}

/** Requests without anything to show may have no params. */
function isServerRequest(
  request: unknown,
): request is { readonly method: string; readonly params?: JsonObject } {
  if (!isJsonObject(request)) return false;
  const { method, params } = request;
  if (method === "elicitation/create") return isJsonObject(params) && typeof params["message"] === "string";
  if (method === "sampling/createMessage") return isJsonObject(params);
  return typeof method === "string" && (params === undefined || isJsonObject(params));
}
