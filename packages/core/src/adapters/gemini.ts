// @onym/core/gemini: tools, calls and history for Google's Gen AI SDK.

export {
  buildGeminiAdapter,
  type GeminiAdapter,
  type GeminiOptions,
  type GeminiWrittenHistory,
} from "./gemini/gemini-adapter.js";
export type {
  GeminiContent,
  GeminiFunctionDeclaration,
  GeminiPart,
  GeminiTool,
} from "./gemini/gemini-shapes.js";
