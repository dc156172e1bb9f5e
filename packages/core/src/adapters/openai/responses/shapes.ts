// The Responses API shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept
// them.

import type { FunctionParameters } from "../parameters.js";

export interface ResponsesFunctionTool {
  type: "function";
  name: string;
  description?: string;
  parameters: FunctionParameters;
  /** MCP servers' schemas rarely satisfy the rules for strict schemas. */
  strict: false;
  defer_loading?: true;
}

/** The tools of one server. */
export interface ResponsesNamespaceTool {
  type: "namespace";
  name: string;
  description: string;
  tools: ResponsesFunctionTool[];
}

export interface ResponsesToolSearch {
  type: "tool_search";
}

/** An entry of `tools`. */
export type ResponsesTool = ResponsesFunctionTool | ResponsesNamespaceTool | ResponsesToolSearch;

export interface ResponsesMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface ResponsesFunctionCall {
  type: "function_call";
  call_id: string;
  name: string;
  namespace?: string;
  arguments: string;
}

export interface ResponsesFunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

export interface ResponsesToolSearchCall {
  type: "tool_search_call";
  call_id: null;
  execution: "server";
  status: "completed";
  arguments: { paths: string[] };
}

export interface ResponsesToolSearchOutput {
  type: "tool_search_output";
  call_id: null;
  execution: "server";
  status: "completed";
  tools: (ResponsesFunctionTool | ResponsesNamespaceTool)[];
}

/** An entry of `input`. Items of other kinds, or with more fields, are kept unchanged. */
export type ResponsesItem =
  | ResponsesMessage
  | ResponsesFunctionCall
  | ResponsesFunctionCallOutput
  | ResponsesToolSearchCall
  | ResponsesToolSearchOutput;
