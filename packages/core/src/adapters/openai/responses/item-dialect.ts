// The Responses API and the Agents SDK store a conversation as the same list of items, with different field names.

import type { ToolBelt } from "../../tool-belt.js";
import type { NamespaceOf } from "./namespaces.js";

/** The differences between the two. */
export interface ItemDialect<Item> {
  /** Marks content that only this dialect understands. */
  readonly provider: string;
  readonly callIdField: "call_id" | "callId";
  /** Namespaces are the user's own here, and do not identify a tool's server. */
  readonly hasOwnNamespaces?: true;
  readonly resultType: "function_call_output" | "function_call_result";
  readonly message: (role: "system" | "user" | "assistant", text: string) => Item;
  readonly call: (call: {
    readonly callId: string;
    readonly name: string;
    readonly arguments: string;
  }) => Item;
  readonly result: (result: {
    readonly callId: string;
    readonly name: string;
    readonly text: string;
  }) => Item;
}

/** The API rejects longer call ids, which other providers may use. */
export const MAX_CALL_ID_LENGTH = 64;

/** What reading and writing items needs. */
export interface ItemHistoryContext<Item> {
  readonly belt: ToolBelt;
  readonly namespaceOf: NamespaceOf;
  readonly dialect: ItemDialect<Item>;
}
