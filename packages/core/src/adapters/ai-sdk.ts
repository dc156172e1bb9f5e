// @onym/core/ai-sdk: tools, calls and history for the AI SDK.

export {
  type AiSdkAdapter,
  type AiSdkExecute,
  type AiSdkOptions,
  buildAiSdkAdapter,
} from "./ai-sdk/ai-sdk-adapter.js";
export type {
  AiSdkMessage,
  AiSdkSchema,
  AiSdkTool,
  AiSdkToolCallPart,
  AiSdkToolMessage,
  AiSdkToolResultPart,
} from "./ai-sdk/ai-sdk-shapes.js";
