// @onym/core/langchain: tools, MCP adapters, calls and history for LangChain.

export {
  buildLangChainAdapter,
  type LangChainAdapter,
  type LangChainExecute,
  type LangChainOptions,
} from "./langchain/langchain-adapter.js";
export type {
  LangChainMessage,
  LangChainTool,
  LangChainToolCall,
  LangChainToolFields,
  LangChainToolMessage,
} from "./langchain/langchain-shapes.js";
export {
  type LoadedTool,
  type LoadedTools,
  type LoadPrefixes,
  readLoadedTools,
} from "./langchain/read-loaded-tools.js";
