// Anthropic Messages API adapter: tools out, calls in, results and refusals back.

import { ownField } from "../../identity/name-parts.js";
import { answerCalls } from "../answer-calls.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec, HistoryItem } from "../history.js";
import { listOf } from "../json-text.js";
import {
  type BeltOptions,
  type BeltTool,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { readAnthropicHistory } from "./read-history.js";
import type {
  AnthropicHistory,
  AnthropicInputSchema,
  AnthropicMessage,
  AnthropicResultContent,
  AnthropicServerTool,
  AnthropicTextBlock,
  AnthropicTool,
  AnthropicToolResultBlock,
  AnthropicToolSearch,
} from "./shapes.js";
import { writeAnthropicHistory } from "./write-history.js";

export interface AnthropicOptions<ServerTool extends AnthropicServerTool = never> extends BeltOptions {
  /** How the model searches deferred tools: by regular expression (the default) or by words. */
  readonly search?: "regex" | "bm25";
  /** Anthropic's own tools in the same request. They are listed first, and no other tool gets their names. */
  readonly serverTools?: readonly ServerTool[];
}

type Reply = AnthropicToolResultBlock | AnthropicTextBlock;

export interface AnthropicAdapter<ServerTool = never> extends HistoryCodec<AnthropicMessage>, HeldNames {
  readonly belt: ToolBelt;
  /** The `tools` of a request; includes the search tool if any tool is deferred. */
  readonly tools: () => (AnthropicTool | AnthropicToolSearch | ServerTool)[];
  /** A `tool_use` block. */
  readonly call: (toolUse: unknown) => CallOutcome;
  /** All calls in a response to catalog tools. Calls to `serverTools` are left to the code that runs those. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  readonly result: (
    call: RoutedCall,
    content: string | readonly AnthropicResultContent[],
    options?: { readonly isError?: boolean },
  ) => AnthropicToolResultBlock;
  /** A text block if the call has no id to answer. */
  readonly refusal: (refused: RefusedCall) => Reply;
  /** All results and refusals for one response, as the single message that must follow it. */
  readonly reply: (parts: readonly Reply[]) => { role: "user"; content: Reply[] };
  readonly writeHistory: (items: readonly HistoryItem[]) => AnthropicHistory;
}

const SEARCH_TOOLS = {
  regex: { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
  bm25: { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
} as const satisfies Record<string, AnthropicToolSearch>;

/**
 * Makes any tool set valid for the Messages API, and resolves its calls to tools.
 *
 * @example
 * const adapter = buildAnthropicAdapter([{ server: "salesforce", tools: ["get_leads"] }]);
 * const outcome = adapter.call({ type: "tool_use", id: "toolu_1", name: "sf_get_leads", input: {} });
 * if (outcome.outcome === "refused") adapter.reply([adapter.refusal(outcome)]);
 */
export function buildAnthropicAdapter<const ServerTool extends AnthropicServerTool = never>(
  input: ToolInput,
  options: AnthropicOptions<ServerTool> = {},
): AnthropicAdapter<ServerTool> {
  const { serverTools = [], search = "regex", defer = "none" } = options;
  const given = serverTools.map(({ name }) => name).filter((name) => name !== undefined);
  const givenSearch = given.find((name) => isSearchName(name));
  const searchTool = SEARCH_TOOLS[search];
  const searches = defer !== "none" && givenSearch === undefined ? [searchTool.name] : [];
  const reserved = new Set([...(options.reserved ?? []), ...given, ...searches]);
  const belt = buildToolBelt(input, {
    ...options,
    // Deferred tools are safe only up to 64 characters. The limit must not depend on whether any tool is deferred,
    // or names would change.
    profile: defer === "none" ? "anthropic" : "anthropic-messages",
    reserved: [...reserved],
  });
  const needsSearch = givenSearch === undefined && belt.tools.some(({ deferred }) => deferred);

  const call = (toolUse: unknown): CallOutcome =>
    belt.call({
      name: ownField(toolUse, "name"),
      namespace: ownField(toolUse, "toolset_name"),
      callId: ownField(toolUse, "id"),
      arguments: ownField(toolUse, "input"),
    });

  const isOurs = (block: unknown): boolean => {
    if (ownField(block, "type") !== "tool_use") return false;
    const name = ownField(block, "name");
    const isOthers = typeof name === "string" && reserved.has(name);
    return !isOthers && (ownField(block, "toolset_name") ?? undefined) === undefined;
  };

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () => [...serverTools, ...(needsSearch ? [{ ...searchTool }] : []), ...belt.tools.map(toolOf)],
    call,
    calls: (response) =>
      listOf(Array.isArray(response) ? response : ownField(response, "content"))
        .filter(isOurs)
        .map(call),
    result: ({ callId }, content, { isError = false } = {}) => ({
      type: "tool_result",
      tool_use_id: callId ?? "",
      content: typeof content === "string" ? content : [...content],
      ...(isError ? { is_error: true } : {}),
    }),
    refusal: ({ callId, message }) =>
      callId === undefined
        ? { type: "text", text: message }
        : { type: "tool_result", tool_use_id: callId, content: message, is_error: true },
    reply: (parts) => ({
      role: "user",
      content: [
        ...parts.filter(({ type }) => type === "tool_result"),
        ...parts.filter(({ type }) => type === "text"),
      ],
    }),
    readHistory: (messages) => readAnthropicHistory(messages, { belt, reserved }),
    writeHistory: (items) =>
      writeAnthropicHistory(answerCalls(items), {
        belt,
        search: givenSearch ?? (needsSearch ? searchTool.name : undefined),
      }),
  };
}

function toolOf({ name, description, inputSchema, deferred }: BeltTool): AnthropicTool {
  return {
    name,
    ...(description === "" ? {} : { description }),
    input_schema: inputSchema as AnthropicInputSchema,
    ...(deferred ? { defer_loading: true } : {}),
  };
}

function isSearchName(name: string): name is AnthropicToolSearch["name"] {
  return name === SEARCH_TOOLS.regex.name || name === SEARCH_TOOLS.bm25.name;
}
