// @onym/core/bedrock: tools, calls and history for Amazon Bedrock's Converse API.

export {
  type BedrockAdapter,
  type BedrockOptions,
  buildBedrockAdapter,
} from "./adapter.js";
export type {
  BedrockBlock,
  BedrockHistory,
  BedrockJson,
  BedrockMessage,
  BedrockResultContent,
  BedrockTextBlock,
  BedrockTool,
  BedrockToolResultBlock,
  BedrockToolSpec,
} from "./shapes.js";
