// JSON-RPC 2.0 messages as MCP uses them, and what a piece of JSON is among them.

import { isJsonObject, type JsonObject } from "./json.js";

export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcResponse {
  readonly jsonrpc: "2.0";
  /** `null` where the request could not be read. */
  readonly id: RequestId | null;
  readonly result?: JsonObject;
  readonly error?: RpcError;
}

export type ReadMessage =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  | { readonly kind: "response"; readonly message: RpcResponse }
  | { readonly kind: "invalid"; readonly reason: string; readonly id: RequestId | null };

/**
 * What a parsed piece of JSON is. Only the envelope is looked at; params and results are passed on as they are.
 *
 * @example
 * readMessage({ jsonrpc: "2.0", id: 1, method: "ping" }).kind; // "request"
 */
export function readMessage(value: unknown): ReadMessage {
  if (!isJsonObject(value)) return invalid("a message is a JSON object", null);
  const { jsonrpc, id, method, params } = value;
  const named = isRequestId(id) ? id : null;
  if (jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"', named);
  if (typeof method === "string") {
    if (params !== undefined && !isJsonObject(params)) return invalid('"params" must be an object', named);
    if (!Object.hasOwn(value, "id"))
      return { kind: "notification", message: value as unknown as RpcNotification };
    if (!isRequestId(id)) return invalid('"id" must be a string or a whole number', null);
    return { kind: "request", message: value as unknown as RpcRequest };
  }
  const hasResult = isJsonObject(value["result"]);
  const hasError = isRpcError(value["error"]);
  if (hasResult === hasError) return invalid("neither a request nor a response", named);
  if (!isRequestId(id) && id !== null && !(hasError && id === undefined))
    return invalid('"id" must be a string or a whole number', null);
  return { kind: "response", message: value as unknown as RpcResponse };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

function isRpcError(value: unknown): value is RpcError {
  return isJsonObject(value) && typeof value["code"] === "number" && typeof value["message"] === "string";
}

function invalid(reason: string, id: RequestId | null): ReadMessage {
  return { kind: "invalid", reason, id };
}
