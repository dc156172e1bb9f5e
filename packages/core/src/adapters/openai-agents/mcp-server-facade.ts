// One MCP server in front of many, for the Agents SDK. It lists valid, unique names and calls the raw ones.

import { ownField } from "../../identity/name-parts.js";
import type { RoutedCall } from "../call-outcome.js";
import { textOfValue } from "../json-text.js";
import {
  type BeltOptions,
  buildToolBelt,
  type HeldNames,
  type ToolBelt,
  type ToolInput,
} from "../tool-belt.js";
import { handoffNames } from "./handoff-names.js";
import { agentsParametersOf } from "./parameters.js";
import type { AgentsParameters } from "./shapes.js";

/** The result of `tools/call`. */
export interface McpResult {
  content: { type: string; [key: string]: unknown }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** `AbortSignal`, if the program's type definitions include it. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : unknown;

/** What the SDK passes besides the arguments. */
export interface McpCallContext {
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly signal: Signal | undefined;
}

export interface McpFacadeOptions extends Pick<BeltOptions, "visible" | "reserved"> {
  /** The name of this server in the SDK's traces and logs. */
  readonly name: string;
  /**
   * Sends `call.tool.raw` and `call.arguments` to the server `call.tool.server`. Returns an MCP result, or any
   * value.
   */
  readonly callTool: (call: RoutedCall, context: McpCallContext) => Promise<unknown>;
  /** Names of agents that this one hands over to. No tool gets the name of such a handoff. */
  readonly handoffs?: readonly string[];
}

/** The SDK's `MCPServer`. Its optional members (filters, guardrails) can be added: `{ ...facade, toolFilter }`. */
export interface McpServerFacade extends HeldNames {
  readonly belt: ToolBelt;
  readonly name: string;
  cacheToolsList: boolean;
  connect(): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ name: string; description?: string; inputSchema: AgentsParameters }[]>;
  callTool(
    name: string,
    given: Record<string, unknown> | null,
    meta?: Record<string, unknown> | null,
    options?: { signal?: Signal },
  ): Promise<McpResult["content"] & Omit<McpResult, "content">>;
  callToolResult: (
    name: string,
    given: Record<string, unknown> | null,
    meta?: Record<string, unknown> | null,
    options?: { signal?: Signal },
  ) => Promise<McpResult>;
  invalidateToolsCache(): Promise<void>;
}

/**
 * All tools as one MCP server for `new Agent({ mcpServers })`. If a call cannot be routed, the answer is an error
 * that the model can read.
 *
 * @example
 * const server = buildMcpServerFacade([{ server: "docs", tools: ["files.read"] }], {
 *   name: "onym",
 *   callTool: async ({ tool }) => ({ content: [{ type: "text", text: `ran ${tool.raw}` }] }),
 * });
 * await server.callTool("docs_files_read", {}); // [{ type: "text", text: "ran files.read" }]
 */
export function buildMcpServerFacade(input: ToolInput, options: McpFacadeOptions): McpServerFacade {
  const { name, callTool, handoffs = [], ...beltOptions } = options;
  const belt = buildToolBelt(input, {
    ...beltOptions,
    reserved: [...(beltOptions.reserved ?? []), ...handoffNames(handoffs)],
    profile: "openai-agents-js",
    callIdOptional: true,
  });
  const callToolResult: McpServerFacade["callToolResult"] = async (called, given, meta, { signal } = {}) => {
    const outcome = belt.call({ name: called, callId: undefined, arguments: given });
    if (outcome.outcome === "refused") {
      return { content: [{ type: "text", text: outcome.message }], isError: true };
    }
    return mcpResultOf(await callTool(outcome, { meta: meta ?? undefined, signal }));
  };

  return {
    belt,
    lock: belt.lock,
    problems: belt.problems,
    name,
    // Listing is cheap here, and the SDK shares its cache between all servers of the same name.
    cacheToolsList: false,
    connect: async () => {},
    close: async () => {},
    listTools: async () =>
      belt.tools.map((entry) => ({
        name: entry.name,
        ...(entry.description === "" ? {} : { description: entry.description }),
        inputSchema: agentsParametersOf(entry),
      })),
    callToolResult,
    async callTool(...call) {
      const { content, ...rest } = await callToolResult(...call);
      const answer = [...content] as McpResult["content"] & Omit<McpResult, "content">;
      for (const [key, value] of Object.entries(rest)) {
        Object.defineProperty(answer, key, { value, enumerable: false, configurable: true });
      }
      return answer;
    },
    invalidateToolsCache: async () => {},
  };
}

/** An MCP result unchanged, a list of content, or any other value as text. */
function mcpResultOf(answer: unknown): McpResult {
  if (Array.isArray(ownField(answer, "content"))) return answer as McpResult;
  const isContent =
    Array.isArray(answer) && answer.every((part) => typeof ownField(part, "type") === "string");
  return {
    content: isContent ? (answer as McpResult["content"]) : [{ type: "text", text: textOfValue(answer) }],
  };
}
