// The Agents SDK shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept them.

import type { ResponsesToolSearchCall, ResponsesToolSearchOutput } from "../openai/responses/shapes.js";

/** An object schema as the SDK declares it. Other members of the server's schema stay in it. */
export interface AgentsParameters {
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: true;
}

/** What the SDK passes to a tool about the call. */
export interface AgentsCallDetails {
  readonly toolCall?: { readonly callId?: unknown };
}

/** What the SDK's `tool()` accepts. */
export interface AgentsToolOptions {
  name: string;
  description: string;
  parameters: AgentsParameters;
  strict: false;
  deferLoading: boolean;
  execute: (input: unknown, context?: unknown, details?: AgentsCallDetails) => Promise<unknown>;
}

/** A function tool that the SDK runs without its `tool()`. */
export interface AgentsFunctionTool {
  type: "function";
  name: string;
  description: string;
  parameters: AgentsParameters;
  strict: false;
  deferLoading: boolean;
  invoke: (context: unknown, input: string, details?: AgentsCallDetails) => Promise<unknown>;
  needsApproval: () => Promise<boolean>;
  isEnabled: () => Promise<boolean>;
}

/** What the SDK's `toolSearchTool()` makes. */
export interface AgentsToolSearch {
  type: "hosted_tool";
  name: "tool_search";
  providerData: { type: "tool_search"; name: "tool_search" };
}

export type AgentsMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; status: "completed"; content: { type: "output_text"; text: string }[] };

export interface AgentsFunctionCall {
  type: "function_call";
  callId: string;
  name: string;
  namespace?: string;
  status: "completed";
  arguments: string;
}

export interface AgentsFunctionResult {
  type: "function_call_result";
  callId: string;
  name: string;
  status: "completed";
  output: string;
}

/** An input item of a run. Items of other kinds, or with more fields, are kept unchanged. */
export type AgentsItem =
  | AgentsMessage
  | AgentsFunctionCall
  | AgentsFunctionResult
  | ResponsesToolSearchCall
  | ResponsesToolSearchOutput;
