// The shapes of LangChain that the adapter makes, as narrow as it makes them. LangChain coerces them to its own.

/** What `bindTools` takes: a tool as the model is to see it. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/** What the constructor of `DynamicStructuredTool` takes, or the function `tool`: a tool that can also be run. */
export interface LangChainToolFields extends LangChainTool {
  func: (input: unknown, runManagerOrConfig?: unknown, config?: unknown) => Promise<unknown>;
}

export type LangChainToolCall = {
  type: "tool_call";
  id: string;
  name: string;
  args: Record<string, unknown>;
};

// Type aliases, not interfaces: only they fit where LangChain wants further fields to be allowed.
type LangChainTextBlock = { type: "text"; text: string };

export type LangChainToolMessage = {
  role: "tool";
  content: string;
  tool_call_id: string;
  name: string;
  status?: "success" | "error";
};

/** A message as LangChain coerces it. Blocks of other kinds are kept as they came. */
export type LangChainMessage =
  | { role: "system" | "user"; content: string | LangChainTextBlock[] }
  | { role: "assistant"; content: string | LangChainTextBlock[]; tool_calls?: LangChainToolCall[] }
  | LangChainToolMessage;
