// Responses API adapter: function tools, namespaces, deferred tools and tool search; their calls, and the answers.

import { ownField } from "../../../identity/name-parts.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../../call-outcome.js";
import type { HistoryCodec } from "../../history.js";
import { listOf } from "../../json-text.js";
import {
  type BeltOptions,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../../tool-belt.js";
import type { ItemDialect } from "./item-dialect.js";
import { buildNamespaces, type NamespaceOf } from "./namespaces.js";
import { buildItemHistory } from "./read-history.js";
import type {
  ResponsesFunctionCallOutput,
  ResponsesItem,
  ResponsesMessage,
  ResponsesTool,
} from "./shapes.js";
import { writeResponsesTools } from "./write-tools.js";

export interface OpenAIResponsesOptions extends BeltOptions {
  /** `server` declares the tools of each server in its own namespace. By default all are at the top level. */
  readonly namespaces?: "none" | "server";
}

export interface OpenAIResponsesAdapter extends HistoryCodec<ResponsesItem>, HeldNames {
  readonly belt: ToolBelt;
  /** Includes the tool search tool if any tool is deferred. */
  readonly tools: () => ResponsesTool[];
  /** One `function_call` item of `response.output`. */
  readonly call: (toolCall: unknown) => CallOutcome;
  /**
   * All function calls of a response, or of a list of items. Calls to `reserved` names are left to the code that
   * declared them.
   */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  /** OpenAI has no error flag: say in the text that the tool failed. */
  readonly result: (call: RoutedCall, content: string) => ResponsesFunctionCallOutput;
  /** A user message if the call has no id to answer. */
  readonly refusal: (refused: RefusedCall) => ResponsesFunctionCallOutput | ResponsesMessage;
}

/**
 * Tools for `openai.responses.create`, and the resolution of its function calls.
 *
 * @example
 * const adapter = buildOpenAIResponsesAdapter([{ server: "crm", tools: ["lookup"] }], { namespaces: "server" });
 * adapter.tools(); // [{ type: "namespace", name: "crm", tools: [{ type: "function", name: "crm_lookup", … }], … }]
 * adapter.call({ call_id: "c1", namespace: "crm", name: "crm_lookup", arguments: "{}" }).outcome; // "call"
 */
export function buildOpenAIResponsesAdapter(
  input: ToolInput,
  options: OpenAIResponsesOptions = {},
): OpenAIResponsesAdapter {
  const { namespaces = "none", ...beltOptions } = options;
  let namespaceOf: NamespaceOf = () => undefined;
  const belt = buildToolBelt(input, {
    ...beltOptions,
    profile: "openai-responses",
    namespaceOf: ({ tool }) => namespaceOf(tool)?.name,
  });
  if (namespaces === "server") namespaceOf = buildNamespaces(belt.tools);

  const isReserved = (name: unknown): boolean => options.reserved?.some((each) => each === name) === true;
  const call = (item: unknown): CallOutcome =>
    belt.call({
      callId: ownField(item, "call_id"),
      name: ownField(item, "name"),
      namespace: ownField(item, "namespace"),
      arguments: ownField(item, "arguments"),
    });

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () => [
      ...writeResponsesTools(belt.tools, namespaceOf),
      ...(belt.tools.some(({ deferred }) => deferred) ? [{ type: "tool_search" } as const] : []),
    ],
    call,
    calls: (response) =>
      listOf(ownField(response, "output") ?? response)
        .filter((item) => ownField(item, "type") === "function_call" && !isReserved(ownField(item, "name")))
        .map(call),
    result: ({ callId = "" }, content) => ({
      type: "function_call_output",
      call_id: callId,
      output: content,
    }),
    refusal: ({ callId, message }) =>
      callId === undefined
        ? { role: "user", content: message }
        : { type: "function_call_output", call_id: callId, output: message },
    ...buildItemHistory<ResponsesItem>({ belt, namespaceOf, dialect: responsesDialect }),
  };
}

// The Responses API's format of conversation items.

const responsesDialect: ItemDialect<ResponsesItem> = {
  provider: "openai-responses",
  callIdField: "call_id",
  resultType: "function_call_output",
  message: (role, content) => ({ role, content }),
  call: ({ callId, name, arguments: text }) => ({
    type: "function_call",
    call_id: callId,
    name,
    arguments: text,
  }),
  result: ({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }),
};
