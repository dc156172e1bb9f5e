// @onym/core/anthropic: tools, calls and history for Anthropic's Messages API.

export {
  type AnthropicAdapter,
  type AnthropicOptions,
  buildAnthropicAdapter,
} from "./adapter.js";
export type {
  AnthropicBlock,
  AnthropicHistory,
  AnthropicInputSchema,
  AnthropicMessage,
  AnthropicResultContent,
  AnthropicServerTool,
  AnthropicTextBlock,
  AnthropicTool,
  AnthropicToolResultBlock,
  AnthropicToolSearch,
} from "./shapes.js";
