// The Chat Completions shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept
// them.

import type { FunctionParameters } from "../parameters.js";

/** An entry of `tools`. */
export interface ChatFunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters: FunctionParameters };
}

export interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

export interface ChatTextMessage {
  role: "system" | "user";
  content: string;
}

export interface ChatAssistantMessage {
  role: "assistant";
  content: string | null;
  tool_calls?: ChatToolCall[];
}

/** Messages of other kinds, or with more fields, are kept unchanged. */
export type ChatMessage = ChatToolMessage | ChatTextMessage | ChatAssistantMessage;
