// The Messages API shapes that the adapter produces, typed as narrowly as possible. The SDK's own types accept
// them.

import type { WrittenHistory } from "../history.js";

export interface AnthropicInputSchema {
  type: "object";
  properties?: unknown;
  required?: string[];
  [key: string]: unknown;
}

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: AnthropicInputSchema;
  /** Only present on tools that the model has to search for. */
  defer_loading?: true;
}

/** Anthropic's own search over deferred tools, by regular expression or by words. */
export type AnthropicToolSearch =
  | { type: "tool_search_tool_regex_20251119"; name: "tool_search_tool_regex" }
  | { type: "tool_search_tool_bm25_20251119"; name: "tool_search_tool_bm25" };

/** A tool that Anthropic defines: web search, bash, memory … Toolsets have no name. */
export interface AnthropicServerTool {
  readonly type: string;
  readonly name?: string;
}

export interface AnthropicTextBlock {
  type: "text";
  text: string;
}

interface AnthropicToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

export interface AnthropicToolReferenceBlock {
  type: "tool_reference";
  tool_name: string;
}

/** What a result may contain besides plain text. */
export type AnthropicResultContent =
  | AnthropicTextBlock
  | AnthropicToolReferenceBlock
  | {
      type: "image";
      source: {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      };
    };

export interface AnthropicToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | AnthropicResultContent[];
  is_error?: boolean;
}

interface AnthropicSearchUseBlock {
  type: "server_tool_use";
  id: string;
  name: AnthropicToolSearch["name"];
  input: unknown;
}

interface AnthropicSearchResultBlock {
  type: "tool_search_tool_result";
  tool_use_id: string;
  content: {
    type: "tool_search_tool_search_result";
    tool_references: AnthropicToolReferenceBlock[];
  };
}

/** Blocks of other kinds (thinking, images, web search …) are kept unchanged. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicToolUseBlock
  | AnthropicToolResultBlock
  | AnthropicSearchUseBlock
  | AnthropicSearchResultBlock;

export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

export interface AnthropicHistory extends WrittenHistory<AnthropicMessage> {
  /** System text at the start of the conversation: the `system` of the request. */
  readonly system: AnthropicTextBlock[];
}

/** The content of an opaque history item of this provider. */
export interface AnthropicOpaque {
  readonly role: "user" | "assistant" | "system";
  readonly block: unknown;
}

export const ANTHROPIC = "anthropic";
