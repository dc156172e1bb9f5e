// Chat Completions adapter: function tools, their calls, and the answers.

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
import { describedAs, functionParametersOf } from "../parameters.js";
import { buildChatHistory } from "./read-history.js";
import type { ChatFunctionTool, ChatMessage, ChatTextMessage, ChatToolMessage } from "./shapes.js";

/** Chat Completions has no tool search, so nothing can be deferred. */
export type OpenAIChatOptions = Omit<BeltOptions, "defer">;

export interface OpenAIChatAdapter extends HistoryCodec<ChatMessage>, HeldNames {
  readonly belt: ToolBelt;
  readonly tools: () => ChatFunctionTool[];
  /** One entry of `message.tool_calls`. */
  readonly call: (toolCall: unknown) => CallOutcome;
  /**
   * All function calls of a completion's first choice, or of a message. Calls to custom tools and to `reserved`
   * names are left to the code that declared them.
   */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  /** OpenAI has no error flag: say in the text that the tool failed. */
  readonly result: (call: RoutedCall, content: string) => ChatToolMessage;
  /** A user message if the call has no id to answer. */
  readonly refusal: (refused: RefusedCall) => ChatToolMessage | ChatTextMessage;
}

/**
 * Tools for `openai.chat.completions.create`, and the resolution of its tool calls.
 *
 * @example
 * const adapter = buildOpenAIChatAdapter([{ server: "docs", tools: ["files.read"] }]);
 * adapter.tools()[0]?.function.name; // "docs_files_read"
 * const outcome = adapter.call({ id: "c1", function: { name: "docs_files_read", arguments: "{}" } });
 * if (outcome.outcome === "call") outcome.tool.raw; // "files.read"
 */
export function buildOpenAIChatAdapter(input: ToolInput, options: OpenAIChatOptions = {}): OpenAIChatAdapter {
  const belt = buildToolBelt(input, { ...options, profile: "openai", defer: "none" });
  const isReserved = (name: unknown): boolean => options.reserved?.some((each) => each === name) === true;
  const call = (toolCall: unknown): CallOutcome => {
    const called = ownField(toolCall, "function");
    return belt.call({
      callId: ownField(toolCall, "id"),
      name: ownField(called, "name"),
      arguments: ownField(called, "arguments"),
    });
  };

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () =>
      belt.tools.map((entry) => ({
        type: "function",
        function: {
          name: entry.name,
          ...describedAs(entry.description),
          parameters: functionParametersOf(entry),
        },
      })),
    call,
    calls(response) {
      const message = ownField(listOf(ownField(response, "choices"))[0], "message") ?? response;
      return listOf(ownField(message, "tool_calls"))
        .filter((toolCall) => ownField(toolCall, "type") !== "custom")
        .filter((toolCall) => !isReserved(ownField(ownField(toolCall, "function"), "name")))
        .map(call);
    },
    result: ({ callId = "" }, content) => ({ role: "tool", tool_call_id: callId, content }),
    refusal: ({ callId, message }) =>
      callId === undefined
        ? { role: "user", content: message }
        : { role: "tool", tool_call_id: callId, content: message },
    ...buildChatHistory(belt),
  };
}
