// Amazon Bedrock Converse API adapter: tools out, calls in, results and refusals back.

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
import { readBedrockHistory } from "./read-history.js";
import type {
  BedrockHistory,
  BedrockJson,
  BedrockMessage,
  BedrockResultContent,
  BedrockTextBlock,
  BedrockTool,
  BedrockToolResultBlock,
  BedrockToolSpec,
} from "./shapes.js";
import { resultBlock, writeBedrockHistory } from "./write-history.js";

/** Converse has no deferred loading. */
export interface BedrockOptions extends Omit<BeltOptions, "defer"> {
  /** Names of tools that the model's provider runs, such as `nova_grounding`. No other tool gets them. */
  readonly systemTools?: readonly string[];
}

type Reply = BedrockToolResultBlock | BedrockTextBlock;

export interface BedrockAdapter extends HistoryCodec<BedrockMessage>, HeldNames {
  readonly belt: ToolBelt;
  readonly tools: () => BedrockTool[];
  /** The `toolConfig` of a request; `undefined` without tools, because Converse rejects an empty one. */
  readonly toolConfig: () => { tools: BedrockTool[] } | undefined;
  /** A `toolUse`, or the block that contains it. */
  readonly call: (toolUse: unknown) => CallOutcome;
  /** All calls in a response to catalog tools. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  readonly result: (
    call: RoutedCall,
    content: string | readonly BedrockResultContent[],
    options?: { readonly isError?: boolean },
  ) => BedrockToolResultBlock;
  /** A text block if the call has no id to answer. */
  readonly refusal: (refused: RefusedCall) => Reply;
  /** All results and refusals for one response, as the single message that must follow it. */
  readonly reply: (parts: readonly Reply[]) => { role: "user"; content: Reply[] };
  readonly writeHistory: (items: readonly HistoryItem[]) => BedrockHistory;
}

/**
 * Makes any tool set valid for the Converse API, and resolves its calls to tools.
 *
 * @example
 * const adapter = buildBedrockAdapter([{ server: "salesforce", tools: ["get_leads"] }]);
 * const outcome = adapter.call({ toolUse: { toolUseId: "t1", name: "sf_get_leads", input: {} } });
 * if (outcome.outcome === "call") adapter.reply([adapter.result(outcome, "3 leads")]);
 */
export function buildBedrockAdapter(input: ToolInput, options: BedrockOptions = {}): BedrockAdapter {
  const { systemTools = [] } = options;
  const reserved = new Set([...(options.reserved ?? []), ...systemTools]);
  const belt = buildToolBelt(input, {
    ...options,
    profile: "bedrock",
    defer: "none",
    reserved: [...reserved],
  });

  const call = (given: unknown): CallOutcome => {
    const use = ownField(given, "toolUse") ?? given;
    return belt.call({
      name: ownField(use, "name"),
      callId: ownField(use, "toolUseId"),
      arguments: ownField(use, "input"),
    });
  };
  const isOurs = (block: unknown): boolean => {
    const use = ownField(block, "toolUse");
    const [name, type] = [ownField(use, "name"), ownField(use, "type")];
    // A type means that the provider runs the tool itself.
    return use !== undefined && type === undefined && !(typeof name === "string" && reserved.has(name));
  };
  const tools = (): BedrockTool[] => [
    ...systemTools.map((name) => ({ systemTool: { name } })),
    ...belt.tools.map(toolOf),
  ];

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools,
    toolConfig: () => (systemTools.length + belt.tools.length === 0 ? undefined : { tools: tools() }),
    call,
    calls: (response) => blocksOf(response).filter(isOurs).map(call),
    result: ({ callId }, content, { isError = false } = {}) =>
      resultBlock(callId ?? "", typeof content === "string" ? [{ text: content }] : content, isError),
    refusal: ({ callId, message }) =>
      callId === undefined ? { text: message } : resultBlock(callId, [{ text: message }], true),
    reply: (parts) => ({
      role: "user",
      content: [...parts.filter((each) => "toolResult" in each), ...parts.filter((each) => "text" in each)],
    }),
    readHistory: (messages) => readBedrockHistory(messages, { belt, reserved }),
    writeHistory: (items) => writeBedrockHistory(answerCalls(items), belt),
  };
}

function toolOf({ name, description, inputSchema }: BeltTool): BedrockToolSpec {
  // Converse rejects an empty description.
  const said = description.trim() === "" ? name : description;
  return { toolSpec: { name, description: said, inputSchema: { json: inputSchema as BedrockJson } } };
}

/** Accepts a response, its message, or the blocks themselves. */
function blocksOf(response: unknown): readonly unknown[] {
  if (Array.isArray(response)) return response;
  const message = ownField(ownField(response, "output"), "message") ?? response;
  return listOf(ownField(message, "content"));
}
