// @onym/core/langchain: tools, MCP adapters, calls and history for LangChain.

export {
  buildLangChainAdapter,
  type LangChainAdapter,
  type LangChainExecute,
  type LangChainOptions,
} from "./adapter.js";
export {
  type LoadedTool,
  type LoadedTools,
  type LoadPrefixes,
  readLoadedTools,
} from "./read-loaded-tools.js";
export type {
  LangChainMessage,
  LangChainTool,
  LangChainToolCall,
  LangChainToolFields,
  LangChainToolMessage,
} from "./shapes.js";
