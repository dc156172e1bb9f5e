// @onym/core/adapters: what all adapters share.

export type { CallOutcome, JsonObject, RefusalCode, RefusedCall, RoutedCall } from "./call-outcome.js";
export { type DeferRule, estimateTokens } from "./defer-tools.js";
export {
  type HistoryCodec,
  type HistoryItem,
  type ProviderForm,
  type ToolReference,
  translateHistory,
  type WrittenHistory,
} from "./history.js";
export { loadSources, type ToolLister } from "./mcp-sources.js";
export type { BeltOptions, BeltTool, HeldNames, ToolBelt, ToolInput } from "./tool-belt.js";
