// The LangChain shapes that the adapter produces, typed as narrowly as possible. LangChain coerces them to its own.

/** What `bindTools` accepts: a tool as the model sees it. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/** What the constructor of `DynamicStructuredTool` or the function `tool` accepts: an executable tool. */
export interface LangChainToolFields extends LangChainTool {
  func: (input: unknown, runManagerOrConfig?: unknown, config?: unknown) => Promise<unknown>;
}

export type LangChainToolCall = {
  type: "tool_call";
  id: string;
  name: string;
  args: Record<string, unknown>;
};

// Type aliases, not interfaces: only they are assignable where LangChain allows additional fields.
type LangChainTextBlock = { type: "text"; text: string };

export type LangChainToolMessage = {
  role: "tool";
  content: string;
  tool_call_id: string;
  name: string;
  status?: "success" | "error";
};

/** A message that LangChain can coerce. Blocks of other kinds are kept unchanged. */
export type LangChainMessage =
  | { role: "system" | "user"; content: string | LangChainTextBlock[] }
  | { role: "assistant"; content: string | LangChainTextBlock[]; tool_calls?: LangChainToolCall[] }
  | LangChainToolMessage;
