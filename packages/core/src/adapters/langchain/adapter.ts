// LangChain adapter: catalog tools for LangChain, its tool calls back to tools, and conversation history.

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
import { acceptLoadedNames } from "./accept-loaded-names.js";
import { readMessages } from "./read-history.js";
import type { LoadedTool, LoadedTools } from "./read-loaded-tools.js";
import { readMessage, readToolCall } from "./read-message.js";
import type { LangChainMessage, LangChainTool, LangChainToolFields, LangChainToolMessage } from "./shapes.js";
import { writeMessages } from "./write-history.js";

/** LangChain has no deferred tools. Use `visible` to leave tools out. */
export interface LangChainOptions extends Omit<BeltOptions, "defer"> {
  /** The profile of the provider behind the model, if its rules are stricter than most providers'. */
  readonly profile?: string;
  /**
   * The MCP adapters' option of that name, if the tools were loaded with it. Names with this prefix are accepted.
   */
  readonly additionalToolNamePrefix?: string;
}

/** Runs a call; `config` is LangChain's. */
export type LangChainExecute = (call: RoutedCall, config: unknown) => unknown;

export interface LangChainAdapter extends HistoryCodec<LangChainMessage>, HeldNames {
  readonly belt: ToolBelt;
  /** For `bindTools`. */
  readonly tools: () => LangChainTool[];
  /** Executable tools, for agents and `ToolNode`: `make: (fields) => new DynamicStructuredTool(fields)`. */
  readonly structuredTools: <Structured>(run: {
    readonly make: (fields: LangChainToolFields) => Structured;
    readonly execute: LangChainExecute;
  }) => Structured[];
  /** Tools that the MCP adapters loaded, under valid names; copies that run as before. */
  readonly renameTools: <Loaded extends LoadedTool>(loaded: LoadedTools<Loaded>) => Loaded[];
  readonly call: (toolCall: unknown) => CallOutcome;
  /** Every call of an `AIMessage`, including those whose arguments were not valid JSON. */
  readonly calls: (message: unknown) => readonly CallOutcome[];
  readonly result: (
    call: RoutedCall,
    content: string,
    options?: { readonly isError?: boolean },
  ) => LangChainToolMessage;
  readonly refusal: (refused: RefusedCall) => LangChainToolMessage;
}

/**
 * Everything that LangChain needs to use the tools of a snapshot.
 *
 * @example
 * const langchain = buildLangChainAdapter(snapshot);
 * const tools = langchain.tools();
 * langchain.call({ type: "tool_call", id: "c1", name: "sf_get_leads", args: {} }).outcome; // "call"
 */
export function buildLangChainAdapter(input: ToolInput, options: LangChainOptions = {}): LangChainAdapter {
  const { profile = "langchain-js", additionalToolNamePrefix = "", ...belted } = options;
  const belt = acceptLoadedNames(buildToolBelt(input, { ...belted, profile }), {
    additionalToolNamePrefix,
    reserved: options.reserved ?? [],
  });
  // Calls to reserved names belong to the code that declared them.
  const others = new Set<unknown>(options.reserved);
  const call = (given: unknown): CallOutcome => {
    const { id, name, args } = readToolCall(given);
    return belt.call({ callId: id, name, arguments: args });
  };

  return Object.freeze({
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () => belt.tools.map(describe),
    structuredTools: ({ make, execute }) =>
      belt.tools.map((entry) => make({ ...describe(entry), func: buildFunction(entry, belt, execute) })),
    renameTools: (loaded) =>
      belt.tools.flatMap(({ name, tool }) => {
        const own = loaded.loadedOf(tool);
        return own === undefined ? [] : [renameTool(own, name)];
      }),
    call,
    calls(message) {
      const fields = readMessage(message)?.fields;
      const invalid = listOf(ownField(fields, "invalid_tool_calls"));
      return [...listOf(ownField(fields, "tool_calls")), ...invalid]
        .filter((each) => !others.has(ownField(each, "name")))
        .map(call);
    },
    result: (routed, content, { isError = false } = {}) => respond(routed, content, isError),
    refusal: (refused) => respond(refused, refused.message, true),
    readHistory: (messages) => readMessages(messages, belt),
    writeHistory: (items) => writeMessages(answerCalls(items), belt),
  } satisfies LangChainAdapter);
}

function describe({ name, description, inputSchema }: BeltTool): LangChainTool {
  return { name, description, schema: inputSchema };
}

function buildFunction(
  { name }: BeltTool,
  belt: ToolBelt,
  execute: LangChainExecute,
): LangChainToolFields["func"] {
  return async (input, second, third) => {
    // The class passes a run manager before the config; the function `tool` passes only the config.
    const config = third ?? second;
    const id = ownField(ownField(config, "toolCall"), "id");
    // Code that invokes a tool directly has no call id. The name stands in for it: no other call can be confused
    // with this one.
    const outcome = belt.call({ callId: id ?? name, name, arguments: input });
    if (outcome.outcome === "call") {
      return execute(id === undefined ? { ...outcome, callId: undefined } : outcome, config);
    }
    throw new OnymError(outcome.code, outcome.message, "Let the model read the message and call again.");
  };
}

/** Without an id, an answer cannot be matched to its call. Providers reject an empty id themselves. */
function respond(call: RoutedCall | RefusedCall, content: string, isError: boolean): LangChainToolMessage {
  const { callId = "", name } = call;
  const status = isError ? "error" : "success";
  return { role: "tool", content, tool_call_id: callId, name: name || "unknown_tool", status };
}

// The same tool under another name. The original tool is not changed.

/**
 * A copy of the object, of the same class, so that it behaves the same when invoked. Its function uses the raw
 * name, so the server does not notice the rename.
 */
function renameTool<T extends { readonly name: string }>(tool: T, name: string): T {
  const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  const shown = { value: name, enumerable: true, writable: true, configurable: true };
  Object.defineProperty(copy, "name", shown);
  // The fields from which the tool is serialised.
  const kwargs = ownField(tool, "lc_kwargs");
  if (typeof kwargs === "object" && kwargs !== null) {
    Object.defineProperty(copy, "lc_kwargs", { ...shown, value: { ...kwargs, name } });
  }
  return copy;
}
