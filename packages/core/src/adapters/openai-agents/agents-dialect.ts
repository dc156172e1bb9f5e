// How the Agents SDK writes the items of a conversation.

import type { ItemDialect } from "../openai/item-dialect.js";
import type { AgentsItem } from "./agents-shapes.js";

export const agentsDialect: ItemDialect<AgentsItem> = {
  provider: "openai-agents",
  callIdField: "callId",
  hasOwnNamespaces: true,
  resultType: "function_call_result",
  message: (role, text) =>
    role === "assistant"
      ? { role, status: "completed", content: [{ type: "output_text", text }] }
      : { role, content: text },
  call: ({ callId, name, arguments: text }) => ({
    type: "function_call",
    callId,
    name,
    status: "completed",
    arguments: text,
  }),
  result: ({ callId, name, text }) => ({
    type: "function_call_result",
    callId,
    name,
    status: "completed",
    output: text,
  }),
};
