// AI SDK adapter: catalog tools for the SDK, its tool calls back to tools, and conversation history.

import { ownField } from "../../identity/name-parts.js";
import { OnymError } from "../../names/onym-error.js";
import { answerCalls } from "../answer-calls.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec } from "../history.js";
import { listOf } from "../json-text.js";
import {
  type BeltOptions,
  type BeltTool,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { readMessages } from "./read-history.js";
import type {
  AiSdkMessage,
  AiSdkOutput,
  AiSdkSchema,
  AiSdkTool,
  AiSdkToolResultPart,
  JsonValue,
} from "./shapes.js";
import { writeMessages } from "./write-history.js";

export interface AiSdkOptions extends BeltOptions {
  /** The profile of the provider behind the model, if its rules are stricter than most providers'. */
  readonly profile?: string;
}

/** Runs a call; `options` are the SDK's (`abortSignal`, `messages`, …). */
export type AiSdkExecute<Options> = (call: RoutedCall, options: Options) => unknown;

export interface AiSdkAdapter extends HistoryCodec<AiSdkMessage>, HeldNames {
  readonly belt: ToolBelt;
  /** A `ToolSet`. With `execute` the SDK runs the calls; without it, the SDK returns them. */
  readonly tools: <Options extends { readonly toolCallId: string } = { readonly toolCallId: string }>(run?: {
    readonly execute: AiSdkExecute<Options>;
  }) => Record<string, AiSdkTool<Options>>;
  readonly call: (toolCall: unknown) => CallOutcome;
  /**
   * Every call in a result of `generateText`, or in one of its steps, except those that the provider ran itself.
   */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  /** A part for the next `tool` message. */
  readonly result: (
    call: RoutedCall,
    content: JsonValue,
    options?: { readonly isError?: boolean },
  ) => AiSdkToolResultPart;
  readonly refusal: (refused: RefusedCall) => AiSdkToolResultPart;
  /** For the SDK's option of that name: repairs a call that uses another spelling of a tool's name. */
  readonly repairToolCall: <Call extends { toolName: string }>(options: {
    readonly toolCall: Call;
  }) => Promise<Call | null>;
}

/**
 * Everything that the AI SDK needs to use the tools of a snapshot.
 *
 * @example
 * const ai = buildAiSdkAdapter(snapshot);
 * const tools = ai.tools({ execute: (call) => `${call.tool.server} runs ${call.tool.raw}` });
 * ai.call({ toolCallId: "c1", toolName: "sf_get_leads", input: {} }).outcome; // "call"
 */
export function buildAiSdkAdapter(input: ToolInput, options: AiSdkOptions = {}): AiSdkAdapter {
  const { profile = "vercel-ai-sdk", ...belted } = options;
  const belt = buildToolBelt(input, { ...belted, profile });
  // Calls to reserved names belong to the code that declared them.
  const others = new Set<unknown>(options.reserved);
  const call = (given: unknown): CallOutcome =>
    belt.call({
      name: ownField(given, "toolName"),
      callId: ownField(given, "toolCallId"),
      arguments: ownField(given, "input"),
    });

  return Object.freeze({
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools(run) {
      const tools = belt.tools.map((entry) => [entry.name, buildTool(entry, call, run?.execute)] as const);
      // `fromEntries` defines keys, so `__proto__` is an ordinary key. Without a prototype there are no other
      // members.
      return Object.setPrototypeOf(Object.fromEntries(tools), null);
    },
    call,
    calls: (response) =>
      listOf(readField(response, "toolCalls"))
        .filter(
          (each) => ownField(each, "providerExecuted") !== true && !others.has(ownField(each, "toolName")),
        )
        .map(call),
    result: (routed, content, { isError = false } = {}) => respond(routed, outputFor(content, isError)),
    refusal: (refused) => respond(refused, { type: "error-text", value: refused.message }),
    async repairToolCall({ toolCall }) {
      const { key } = belt.refer(toolCall.toolName);
      const entry = key === undefined ? undefined : belt.tools.find(({ tool }) => tool.key === key);
      return entry === undefined || entry.name === toolCall.toolName
        ? null
        : { ...toolCall, toolName: entry.name };
    },
    readHistory: (messages) => readMessages(messages, belt),
    writeHistory: (items) => writeMessages(answerCalls(items), belt),
  } satisfies AiSdkAdapter);
}

function buildTool<Options extends { readonly toolCallId: string }>(
  { name, description, inputSchema, deferred }: BeltTool,
  call: (toolCall: unknown) => CallOutcome,
  execute: AiSdkExecute<Options> | undefined,
): AiSdkTool<Options> {
  const tool: AiSdkTool<Options> = { type: "dynamic", description, inputSchema: buildSchema(inputSchema) };
  if (deferred) tool.deferLoading = true;
  if (execute !== undefined) {
    tool.execute = (input, options) => {
      const outcome = call({ toolCallId: options.toolCallId, toolName: name, input });
      if (outcome.outcome === "call") return execute(outcome, options);
      // The SDK turns an error thrown by a tool into an error result, which the model reads.
      throw new OnymError(outcome.code, outcome.message, "Let the model read the message and call again.");
    };
  }
  return tool;
}

function outputFor(content: JsonValue, isError: boolean): AiSdkOutput {
  if (typeof content === "string") return { type: isError ? "error-text" : "text", value: content };
  return { type: isError ? "error-json" : "json", value: content };
}

/** Without an id, an answer cannot be matched to its call. The SDK itself rejects an empty id. */
function respond(
  { callId = "", name }: { callId?: string | undefined; name: string | undefined },
  output: AiSdkOutput,
): AiSdkToolResultPart {
  return { type: "tool-result", toolCallId: callId, toolName: name || "unknown_tool", output };
}

/** The SDK's result objects have getters. */
function readField(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
}

// A JSON Schema in the AI SDK's format, made without the SDK.

/** The registered symbol by which the SDK recognises schemas from its own `jsonSchema()`. */
const SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/**
 * Two formats in one object. The SDK looks for its own mark first and then passes the JSON Schema on unchanged. For
 * versions that do not know the mark, the object is also a Standard Schema. There the SDK adds
 * `additionalProperties: false` to all objects in place, so this path returns copies.
 *
 * Arguments are not validated here: the server does that, and its patterns must not be run (SAFE-3).
 */
function buildSchema(schema: Readonly<Record<string, unknown>>): AiSdkSchema {
  const copy = (): Record<string, unknown> => JSON.parse(JSON.stringify(schema));
  return {
    [SDK_SCHEMA]: true,
    _type: undefined,
    jsonSchema: schema,
    validate: undefined,
    "~standard": {
      version: 1,
      vendor: "onym",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  } as AiSdkSchema;
}
