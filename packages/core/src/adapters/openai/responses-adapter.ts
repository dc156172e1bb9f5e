// The Responses API: function tools, namespaces, deferred tools and tool search; their calls, and the answers to them.

import { ownField } from "../../identity/name-parts.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec } from "../history.js";
import { listOf } from "../json-text.js";
import {
  type BeltOptions,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { buildItemHistory } from "./item-history.js";
import { buildNamespaces, type NamespaceOf } from "./namespaces.js";
import { responsesDialect } from "./responses-dialect.js";
import type {
  ResponsesFunctionCallOutput,
  ResponsesItem,
  ResponsesMessage,
  ResponsesTool,
} from "./responses-shapes.js";
import { writeResponsesTools } from "./responses-tools.js";

export interface OpenAIResponsesOptions extends BeltOptions {
  /** `server` declares the tools of each server in a namespace of its own; by default all are at the top level. */
  readonly namespaces?: "none" | "server";
}

export interface OpenAIResponsesAdapter extends HistoryCodec<ResponsesItem>, HeldNames {
  readonly belt: ToolBelt;
  /** With the tool search tool, when anything is deferred. */
  readonly tools: () => ResponsesTool[];
  /** One `function_call` item of `response.output`. */
  readonly call: (toolCall: unknown) => CallOutcome;
  /**
   * All function calls of a response, or of a list of items. Calls of what has a `reserved` name are left to whoever
   * declared it.
   */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  /** OpenAI has no flag for failure: say in the text that the tool failed. */
  readonly result: (call: RoutedCall, content: string) => ResponsesFunctionCallOutput;
  /** A message of the user where the call has no id that an answer could name. */
  readonly refusal: (refused: RefusedCall) => ResponsesFunctionCallOutput | ResponsesMessage;
}

/**
 * Tools for `openai.responses.create`, and the way back from its function calls.
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
