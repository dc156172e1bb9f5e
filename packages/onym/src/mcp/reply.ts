// What a request comes to: a result or an error, as a value. Nobody has to catch anything.

import type { JsonObject } from "./json.js";
import type { RequestId, RpcError } from "./message.js";

export type Reply =
  /** `text`: the result as it came, in one line of JSON; absent where it was made or changed here. */
  | { readonly kind: "result"; readonly result: JsonObject; readonly text?: string | Buffer | undefined }
  /** The result as JSON text, made ready beforehand. */
  | { readonly kind: "json"; readonly json: string }
  /** The same as bytes, in pieces that are cut between characters: large, and sent again and again. */
  | { readonly kind: "bytes"; readonly pieces: readonly Buffer[] }
  | {
      readonly kind: "error";
      readonly error: RpcError;
      /** Why the server did not answer as a server should; absent where this is its own answer. Not sent on. */
      readonly trouble?: Trouble | undefined;
    };

/** What a request says of its server's health that got no proper answer. */
export type Trouble =
  /** `what` completes "its last request came to": `HTTP 500`. */
  | { readonly kind: "failed"; readonly what: string; readonly retryAfterMs?: number | undefined }
  /** Nothing: it was refused here, or given up by its caller. */
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
