// The Responses API and the Agents SDK keep a conversation as the same list of items, with other field names.

/** What differs between the two. */
export interface ItemDialect<Item> {
  /** Marks what only this one understands. */
  readonly provider: string;
  readonly callIdField: "call_id" | "callId";
  /** Namespaces are the user's own here, and say nothing about whose tool it is. */
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

/** Longer ids of other providers' calls are refused. */
export const LONGEST_CALL_ID = 64;
