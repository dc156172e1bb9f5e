// The outcome of a provider's tool call: a tool and its raw arguments, or a refusal that the model can read.

import type { Tool } from "../catalog/tool.js";
import type { CallId } from "../identity/layers/call-id.js";

export type JsonObject = { readonly [key: string]: unknown };

/** A call to run: send `tool.raw` and `arguments` to the server `tool.server`. */
export interface RoutedCall {
  readonly outcome: "call";
  readonly tool: Tool;
  /** Identifies this invocation; `undefined` only if the provider sends no ids (Gemini). */
  readonly callId: CallId | undefined;
  readonly arguments: JsonObject;
  /** The name as the model wrote it, for the record and the reply. */
  readonly name: string;
  readonly warnings: readonly string[];
}

export type RefusalCode =
  | "no-call-id"
  | "no-name"
  | "wrong-namespace"
  | "unknown-tool"
  | "ambiguous-tool"
  | "retired-tool"
  | "bad-arguments";

/** A call that cannot be run. Nothing was executed. */
export interface RefusedCall {
  readonly outcome: "refused";
  readonly code: RefusalCode;
  /** Plain text for the model: what was wrong, and which names it may use. */
  readonly message: string;
  readonly callId: CallId | undefined;
  /** The name as the model wrote it, if there was one. */
  readonly name: string | undefined;
  /** Similar public names, best first. */
  readonly suggestions: readonly string[];
}

export type CallOutcome = RoutedCall | RefusedCall;
