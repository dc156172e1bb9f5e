// The adapter for Amazon Bedrock's Converse API: tools out, calls in, results and refusals back.

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
import type {
  BedrockHistory,
  BedrockJson,
  BedrockMessage,
  BedrockResultContent,
  BedrockTextBlock,
  BedrockTool,
  BedrockToolResultBlock,
  BedrockToolSpec,
} from "./bedrock-shapes.js";
import { readBedrockHistory } from "./read-bedrock-history.js";
import { resultBlock, writeBedrockHistory } from "./write-bedrock-history.js";

/** Converse has no deferred loading. */
export interface BedrockOptions extends Omit<BeltOptions, "defer"> {
  /** Names of tools that the model's provider runs, such as `nova_grounding`. They are kept from others. */
  readonly systemTools?: readonly string[];
}

type Reply = BedrockToolResultBlock | BedrockTextBlock;

export interface BedrockAdapter extends HistoryCodec<BedrockMessage>, HeldNames {
  readonly belt: ToolBelt;
  readonly tools: () => BedrockTool[];
  /** The `toolConfig` of a request; nothing where there are no tools, as Converse refuses an empty one. */
  readonly toolConfig: () => { tools: BedrockTool[] } | undefined;
  /** A `toolUse`, or the block that holds it. */
  readonly call: (toolUse: unknown) => CallOutcome;
  /** All calls of a response to tools of the catalog. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  readonly result: (
    call: RoutedCall,
    content: string | readonly BedrockResultContent[],
    options?: { readonly isError?: boolean },
  ) => BedrockToolResultBlock;
  /** Text where the call had no id to answer to. */
  readonly refusal: (refused: RefusedCall) => Reply;
  /** All results and refusals of one response as the one message that has to follow it. */
  readonly reply: (parts: readonly Reply[]) => { role: "user"; content: Reply[] };
  readonly writeHistory: (items: readonly HistoryItem[]) => BedrockHistory;
}

/**
 * Makes any tool set fit for the Converse API, and finds the tools that its calls mean.
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
    // A type says that the provider runs the tool itself.
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
  // Converse refuses an empty description.
  const said = description.trim() === "" ? name : description;
  return { toolSpec: { name, description: said, inputSchema: { json: inputSchema as BedrockJson } } };
}

/** Of a response, of its message, or the blocks themselves. */
function blocksOf(response: unknown): readonly unknown[] {
  if (Array.isArray(response)) return response;
  const message = ownField(ownField(response, "output"), "message") ?? response;
  return listOf(ownField(message, "content"));
}
