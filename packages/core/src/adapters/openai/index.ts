// @onym/core/openai: tools, calls and history for OpenAI's Chat Completions and Responses APIs.

export {
  buildOpenAIChatAdapter,
  type OpenAIChatAdapter,
  type OpenAIChatOptions,
} from "./chat/adapter.js";
export type {
  ChatAssistantMessage,
  ChatFunctionTool,
  ChatMessage,
  ChatTextMessage,
  ChatToolCall,
  ChatToolMessage,
} from "./chat/shapes.js";
export {
  buildOpenAIResponsesAdapter,
  type OpenAIResponsesAdapter,
  type OpenAIResponsesOptions,
} from "./responses/adapter.js";
export type {
  ResponsesFunctionCall,
  ResponsesFunctionCallOutput,
  ResponsesFunctionTool,
  ResponsesItem,
  ResponsesMessage,
  ResponsesNamespaceTool,
  ResponsesTool,
  ResponsesToolSearch,
  ResponsesToolSearchCall,
  ResponsesToolSearchOutput,
} from "./responses/shapes.js";
