// @onym/core/ai-sdk: tools, calls and history for the AI SDK.

export {
  type AiSdkAdapter,
  type AiSdkExecute,
  type AiSdkOptions,
  buildAiSdkAdapter,
} from "./adapter.js";
export type {
  AiSdkMessage,
  AiSdkSchema,
  AiSdkTool,
  AiSdkToolCallPart,
  AiSdkToolMessage,
  AiSdkToolResultPart,
} from "./shapes.js";
