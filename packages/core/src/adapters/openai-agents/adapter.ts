// OpenAI Agents SDK adapter: function tools that run your code, their calls, and conversation items.

import { ownField } from "../../identity/name-parts.js";
import type { CallOutcome, RefusedCall, RoutedCall } from "../call-outcome.js";
import type { HistoryCodec } from "../history.js";
import { listOf, textOfValue } from "../json-text.js";
import type { ItemDialect } from "../openai/responses/item-dialect.js";
import { buildItemHistory } from "../openai/responses/read-history.js";
import {
  type BeltOptions,
  type BeltTool,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { handoffNames } from "./handoff-names.js";
import { agentsParametersOf } from "./parameters.js";
import type {
  AgentsFunctionResult,
  AgentsFunctionTool,
  AgentsItem,
  AgentsMessage,
  AgentsToolOptions,
  AgentsToolSearch,
} from "./shapes.js";

export interface OpenAIAgentsOptions<MadeTool = AgentsFunctionTool> extends BeltOptions {
  /** Runs a call on its server. The result goes to the model; text works best. */
  readonly run: (call: RoutedCall) => Promise<unknown>;
  /**
   * The SDK's own `tool`. Without it the tools are plain objects, which the SDK also runs. But then it stops for an
   * approval if a model's arguments are not JSON, and ends the run if `run` throws, instead of reporting it to the
   * model.
   */
  readonly tool?: (options: AgentsToolOptions) => MadeTool;
  /** Names of agents that this one hands over to. No tool gets the name of such a handoff. */
  readonly handoffs?: readonly string[];
}

export interface OpenAIAgentsAdapter<MadeTool = AgentsFunctionTool>
  extends HistoryCodec<AgentsItem>,
    HeldNames {
  readonly belt: ToolBelt;
  /** For `new Agent({ tools })`. Includes the tool search tool if any tool is deferred. */
  readonly tools: () => (MadeTool | AgentsToolSearch)[];
  /** A `function_call` item, for hosts that run the tools themselves. */
  readonly call: (toolCall: unknown) => CallOutcome;
  /** All function calls of a model's response, or of a list of items, except handoffs and `reserved` names. */
  readonly calls: (response: unknown) => readonly CallOutcome[];
  readonly result: (call: RoutedCall, content: string) => AgentsFunctionResult;
  /** A user message if the call has no id to answer. */
  readonly refusal: (refused: RefusedCall) => AgentsFunctionResult | AgentsMessage;
}

/**
 * Function tools for an agent, and the resolution of its calls.
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
  // The SDK replaces `-` with `_` in names, including those of the user's own tools.
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
      // Only the SDK's own run may omit the id; `null` marks a model's item that lacks one.
      callId: ownField(item, "callId") ?? null,
      name: ownField(item, "name"),
      namespace: ownField(item, "namespace"),
      arguments: ownField(item, "arguments"),
    });
  // The SDK has already found the tool by its own identity. A namespace that the user added does not matter here.
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

// The Agents SDK's format of conversation items.

const agentsDialect: ItemDialect<AgentsItem> = {
  provider: "openai-agents",
  callIdField: "callId",
  hasOwnNamespaces: true,
  resultType: "function_call_result",
  message: (role, text) =>
    role === "assistant"
      ? { role, status: "completed", content: [{ type: "output_text", text }] }
      : { role, content: text },
  call: ({ callId, name, arguments: text }) => ({
    type: "function_call",
    callId,
    name,
    status: "completed",
    arguments: text,
  }),
  result: ({ callId, name, text }) => ({
    type: "function_call_result",
    callId,
    name,
    status: "completed",
    output: text,
  }),
};
