// A provider-neutral conversation → Gemini messages, with the present names.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm, ToolReference, WrittenHistory } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import { type OpaquePart, PROVIDER } from "./read-history.js";
import type { GeminiContent, GeminiPart } from "./shapes.js";
import { writeResponse } from "./tool-output.js";

/** Gemini takes system text separately from the messages. */
export interface GeminiWrittenHistory extends WrittenHistory<GeminiContent> {
  /** For `config.systemInstruction`; `undefined` if the conversation has none. */
  readonly systemInstruction: string | undefined;
}

export function writeContents(
  items: readonly HistoryItem[],
  { belt, missingSignature }: { readonly belt: ToolBelt; readonly missingSignature: string | undefined },
): GeminiWrittenHistory {
  const messages: GeminiContent[] = [];
  const dropped: HistoryItem[] = [];
  const system: string[] = [];
  const called = new Map<string, ToolReference>();
  let lastIsResult = false;

  // Answers get their own message. Otherwise consecutive parts of one role form one message.
  const add = (role: GeminiContent["role"], part: GeminiPart, isResult = false): void => {
    const last = messages.at(-1);
    if (last?.role === role && isResult === lastIsResult) last.parts.push(part);
    else messages.push({ role, parts: [part] });
    lastIsResult = isResult;
  };

  for (const item of items) {
    if (item.kind === "text") {
      const own = ownPart(item.form);
      if (item.role === "system") system.push(item.text);
      // Gemini rejects an empty part, but its own empty parts carry a signature.
      else if (item.text !== "" || own !== undefined)
        add(item.role === "user" ? "user" : "model", { ...own, text: item.text });
    } else if (item.kind === "call") {
      called.set(item.callId, item.tool);
      const functionCall = { name: belt.nameFor(item.tool), args: { ...item.arguments } };
      add("model", withId({ functionCall }, "functionCall", item));
    } else if (item.kind === "result") {
      const tool = item.tool ?? called.get(item.callId) ?? { key: undefined, written: "" };
      const functionResponse = { name: belt.nameFor(tool), response: writeResponse(item) };
      add("user", withId({ functionResponse }, "functionResponse", item), true);
    } else if (item.kind === "opaque" && item.provider === PROVIDER) {
      const { role, part } = item.value as OpaquePart;
      add(role, part);
    } else dropped.push(item);
  }
  if (missingSignature !== undefined)
    for (const content of messages) signFirstCall(content, missingSignature);
  return { messages, dropped, systemInstruction: system.length === 0 ? undefined : system.join("\n\n") };
}

/** Starts from the part that Gemini itself sent for this item, if there is one. */
function withId(
  part: GeminiPart,
  field: "functionCall" | "functionResponse",
  { callId, form }: { readonly callId: string; readonly form?: ProviderForm },
): GeminiPart {
  const own = ownPart(form);
  const inner = ownField(own, field);
  // A call that came without an id is sent back without one.
  const id = own !== undefined && typeof ownField(inner, "id") !== "string" ? {} : { id: callId };
  return { ...own, [field]: { ...(inner as object | undefined), ...id, ...part[field] } };
}

function ownPart(form: ProviderForm | undefined): object | undefined {
  if (form?.provider !== PROVIDER) return undefined;
  return form.value as object;
}

/**
 * Gemini 3 requires a signature on the first call of each model message, even if another provider made the call.
 */
function signFirstCall({ parts }: GeminiContent, thoughtSignature: string): void {
  const at = parts.findIndex((part) => part.functionCall !== undefined);
  const first = parts[at];
  if (first !== undefined && first.thoughtSignature === undefined) parts[at] = { ...first, thoughtSignature };
}
