// @onym/core/bedrock: tools, calls and history for Amazon Bedrock's Converse API.

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
} from "./bedrock/bedrock-shapes.js";
export {
  type BedrockAdapter,
  type BedrockOptions,
  buildBedrockAdapter,
} from "./bedrock/build-bedrock-adapter.js";
