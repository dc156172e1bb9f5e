// The outcome of a request as a value: a result or an error. Nothing is thrown.

import type { UnreadSource } from "./fast-path/unread-object.js";
import type { JsonObject } from "./json.js";
import type { RequestId, RpcError } from "./message.js";

export type Reply =
  /** `text`: the raw result, in one line of JSON; absent if it was created or changed here. */
  | { readonly kind: "result"; readonly result: JsonObject; readonly text?: string | Buffer | undefined }
  /** The result as prebuilt JSON text. */
  | { readonly kind: "json"; readonly json: string }
  /** The same as bytes, in chunks split between characters: for large results that are sent repeatedly. */
  | { readonly kind: "bytes"; readonly pieces: readonly Buffer[] }
  | {
      readonly kind: "error";
      readonly error: RpcError;
      /** Why the server gave no proper reply; absent if this is its own reply. Not forwarded. */
      readonly trouble?: Trouble | undefined;
      /**
       * The result that became this error because it is nested too deeply; parts of it may be read. Not
       * forwarded.
       */
      readonly deepResult?: UnreadSource | undefined;
    };

/** What a request without a proper reply says about its server's health. */
export type Trouble =
  /** `what` completes "its last request came to": `HTTP 500`. */
  | { readonly kind: "failed"; readonly what: string; readonly retryAfterMs?: number | undefined }
  /** Nothing: it was refused here, or abandoned by its caller. */
  | { readonly kind: "unknown" };

export function resultReply(result: JsonObject): Reply {
  return { kind: "result", result };
}

export function errorReply(code: number, message: string, data?: unknown): Reply {
  return { kind: "error", error: data === undefined ? { code, message } : { code, message, data } };
}

export function withTrouble(reply: Reply, trouble: Trouble): Reply {
  return reply.kind === "error" ? { ...reply, trouble } : reply;
}

/** The response as one line of JSON. */
export function formatReply(id: RequestId | null, reply: Reply): string {
  const start = `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},`;
  return reply.kind === "error"
    ? `${start}"error":${JSON.stringify(reply.error)}}`
    : `${start}"result":${formatResult(reply)}}`;
}

/** The result as one line of JSON. */
export function formatResult(reply: Exclude<Reply, { readonly kind: "error" }>): string {
  switch (reply.kind) {
    case "json":
      return reply.json;
    case "bytes":
      return reply.pieces.join("");
    case "result":
      return reply.text?.toString() ?? JSON.stringify(reply.result);
  }
}
