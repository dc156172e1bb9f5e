// How the Responses API writes the items of a conversation.

import type { ItemDialect } from "./item-dialect.js";
import type { ResponsesItem } from "./responses-shapes.js";

export const responsesDialect: ItemDialect<ResponsesItem> = {
  provider: "openai-responses",
  callIdField: "call_id",
  resultType: "function_call_output",
  message: (role, content) => ({ role, content }),
  call: ({ callId, name, arguments: text }) => ({
    type: "function_call",
    call_id: callId,
    name,
    arguments: text,
  }),
  result: ({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }),
};
