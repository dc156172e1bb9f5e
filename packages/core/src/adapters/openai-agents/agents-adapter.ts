// The Agents SDK: function tools that run what you tell them to, their calls, and a conversation's items.

import { ownField } from "../../identity/name-parts.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec } from "../history.js";
import { listOf, textOfValue } from "../json-text.js";
import { buildItemHistory } from "../openai/item-history.js";
import {
  type BeltOptions,
  type BeltTool,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { agentsDialect } from "./agents-dialect.js";
import { agentsParametersOf } from "./agents-parameters.js";
import type {
  AgentsFunctionResult,
  AgentsFunctionTool,
  AgentsItem,
  AgentsMessage,
  AgentsToolOptions,
  AgentsToolSearch,
} from "./agents-shapes.js";
import { handoffNames } from "./handoff-names.js";

export interface OpenAIAgentsOptions<MadeTool = AgentsFunctionTool> extends BeltOptions {
  /** Runs a call on its downstream. What it returns goes to the model; text says most. */
  readonly run: (call: RoutedCall) => Promise<unknown>;
  /**
   * The SDK's own `tool`. Without it tools are plain objects, which the SDK runs as well, but there it stops for an
   * approval when a model's arguments are not JSON, and ends the run when `run` throws, instead of telling the model.
   */
  readonly tool?: (options: AgentsToolOptions) => MadeTool;
  /** Names of agents that this one hands over to: no tool gets the name of such a handoff. */
  readonly handoffs?: readonly string[];
}

export interface OpenAIAgentsAdapter<MadeTool = AgentsFunctionTool>
  extends HistoryCodec<AgentsItem>,
    HeldNames {
  readonly belt: ToolBelt;
  /** For `new Agent({ tools })`. With the tool search tool, when anything is deferred. */
  readonly tools: () => (MadeTool | AgentsToolSearch)[];
  /** A `function_call` item, for those who run the tools themselves. */
  readonly call: (toolCall: unknown) => CallOutcome;
  /** All function calls of a model's response, or of a list of items, but for handoffs and `reserved` names. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  readonly result: (call: RoutedCall, content: string) => AgentsFunctionResult;
  /** A message of the user where the call has no id that an answer could name. */
  readonly refusal: (refused: RefusedCall) => AgentsFunctionResult | AgentsMessage;
}

/**
 * Function tools for an agent, and the way back from its calls.
 *
 * @example
 * const adapter = buildOpenAIAgentsAdapter([{ server: "docs", tools: ["files.read"] }], {
 *   run: async ({ tool, arguments: given }) => `${tool.server} ${tool.raw} ${JSON.stringify(given)}`,
 *   handoffs: ["Billing Agent"],
 * });
 * adapter.tools()[0]?.name; // "docs_files_read"
 */
export function buildOpenAIAgentsAdapter<MadeTool = AgentsFunctionTool>(
  input: ToolInput,
  options: OpenAIAgentsOptions<MadeTool>,
): OpenAIAgentsAdapter<MadeTool> {
  const { run, tool, handoffs = [], ...beltOptions } = options;
  // The SDK writes `_` for `-` in names, those of the user's own tools included.
  const others = (beltOptions.reserved ?? []).flatMap((name) => [name, name.replaceAll("-", "_")]);
  const reserved = [...others, ...handoffNames(handoffs)];
  const isReserved = (name: unknown): boolean => reserved.some((each) => each === name);
  const belt = buildToolBelt(input, {
    ...beltOptions,
    reserved,
    profile: "openai-agents-js",
    callIdOptional: true,
  });
  const make = (tool ?? buildFunctionTool) as (made: AgentsToolOptions) => MadeTool;

  const call = (item: unknown): CallOutcome =>
    belt.call({
      // Only the SDK's own run may leave the id out; `null` is one that a model's item lacks.
      callId: ownField(item, "callId") ?? null,
      name: ownField(item, "name"),
      namespace: ownField(item, "namespace"),
      arguments: ownField(item, "arguments"),
    });
  // The SDK has found the tool by its own identity; a namespace that the user gave it is none of ours.
  const optionsOf = (entry: BeltTool): AgentsToolOptions => ({
    name: entry.name,
    description: entry.description,
    parameters: agentsParametersOf(entry),
    strict: false,
    deferLoading: entry.deferred,
    async execute(given, _context, details) {
      const outcome = belt.call({
        name: entry.name,
        callId: details?.toolCall?.callId,
        arguments: given,
      });
      if (outcome.outcome === "refused") return outcome.message;
      const answer = await run(outcome);
      return answer === undefined ? "" : answer;
    },
  });

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    tools: () => [
      ...belt.tools.map((entry) => make(optionsOf(entry))),
      ...(belt.tools.some(({ deferred }) => deferred) ? [toolSearch()] : []),
    ],
    call,
    calls: (response) =>
      listOf(ownField(response, "output") ?? response)
        .filter((item) => ownField(item, "type") === "function_call" && !isReserved(ownField(item, "name")))
        .map(call),
    result: ({ callId, name }, content) => resultItem(callId, name, content),
    refusal: ({ callId, name, message }) =>
      callId === undefined
        ? { role: "user", content: message }
        : resultItem(callId, name ?? "unknown_tool", message),
    ...buildItemHistory<AgentsItem>({ belt, namespaceOf: () => undefined, dialect: agentsDialect }),
  };
}

/** What the SDK's `tool()` would return, as far as a run needs it. */
function buildFunctionTool({ execute, ...declared }: AgentsToolOptions): AgentsFunctionTool {
  return {
    type: "function",
    ...declared,
    invoke: (context, input, details) => execute(input, context, details),
    needsApproval: async () => false,
    isEnabled: async () => true,
  };
}

function toolSearch(): AgentsToolSearch {
  return {
    type: "hosted_tool",
    name: "tool_search",
    providerData: { type: "tool_search", name: "tool_search" },
  };
}

function resultItem(callId: string | undefined, name: string, content: unknown): AgentsFunctionResult {
  return {
    type: "function_call_result",
    callId: callId ?? "",
    name,
    status: "completed",
    output: textOfValue(content),
  };
}
