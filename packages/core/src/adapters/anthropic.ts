// @onym/core/anthropic: tools, calls and history for Anthropic's Messages API.

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
} from "./anthropic/anthropic-shapes.js";
export {
  type AnthropicAdapter,
  type AnthropicOptions,
  buildAnthropicAdapter,
} from "./anthropic/build-anthropic-adapter.js";
