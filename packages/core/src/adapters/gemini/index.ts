// @onym/core/gemini: tools, calls and history for Google's Gen AI SDK.

export {
  buildGeminiAdapter,
  type GeminiAdapter,
  type GeminiOptions,
  type GeminiWrittenHistory,
} from "./adapter.js";
export type {
  GeminiContent,
  GeminiFunctionDeclaration,
  GeminiPart,
  GeminiTool,
} from "./shapes.js";
