// A provider-neutral conversation → Chat Completions messages, with the present names.

import { ownField } from "../../../identity/name-parts.js";
import { fitCallId } from "../../fit-call-id.js";
import type { HistoryItem, ProviderForm, WrittenHistory } from "../../history.js";
import { listOf } from "../../json-text.js";
import type { ToolBelt } from "../../tool-belt.js";
import { holdsParts, readContent } from "../message-content.js";
import { sameArguments } from "../same-arguments.js";
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from "./shapes.js";

type Item<Kind extends HistoryItem["kind"]> = Extract<HistoryItem, { readonly kind: Kind }>;

/** Marks content that only Chat Completions understands. */
export const CHAT = "openai-chat";
const MAX_ID_LENGTH = 40;

export function writeChatHistory(items: readonly HistoryItem[], belt: ToolBelt): WrittenHistory<ChatMessage> {
  const messages: ChatMessage[] = [];
  const dropped: HistoryItem[] = [];
  // Chat Completions rejects an answer to a call that is not in the conversation.
  const called = new Set<string>();
  for (const item of items) {
    if (item.kind === "text") writeText(item, messages);
    else if (item.kind === "call") {
      called.add(item.callId);
      addCall(toolCallOf(item, belt), messages);
    } else if (item.kind === "result" && called.has(item.callId)) messages.push(toolMessageOf(item));
    else if (item.kind === "opaque" && item.provider === CHAT) writeOwn(item.value, messages, called);
    else dropped.push(item);
  }
  return { messages, dropped };
}

function writeText(item: Item<"text">, messages: ChatMessage[]): void {
  const own = ownForm(item.form);
  const message =
    own !== undefined && readContent(ownField(own, "content") ?? ownField(own, "refusal")).text === item.text
      ? (own as unknown as ChatMessage)
      : { role: item.role, content: item.text };
  const last = messages.at(-1);
  // Nothing may come between calls and their answers, so text after a call moves before it.
  if (item.role === "assistant" && last?.role === "assistant" && last.tool_calls !== undefined) {
    const said = last.content === null || last.content === "" ? item.text : `${last.content}\n${item.text}`;
    messages[messages.length - 1] = { ...last, content: said };
  } else messages.push(message);
}

function toolCallOf(item: Item<"call">, belt: ToolBelt): ChatToolCall {
  const own = ownForm(item.form);
  const declared = ownField(own, "function");
  const written = ownField(declared, "arguments");
  return {
    ...own,
    id: chatId(item.callId),
    type: "function",
    function: {
      name: belt.nameFor(item.tool),
      arguments:
        typeof written === "string" && sameArguments(written, item.arguments)
          ? written
          : JSON.stringify(item.arguments),
    },
  };
}

/** The calls of one turn are in one message, with the text before them. */
function addCall(toolCall: ChatToolCall, messages: ChatMessage[]): void {
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), toolCall] };
  } else messages.push({ role: "assistant", content: null, tool_calls: [toolCall] });
}

function toolMessageOf(item: Item<"result">): ChatMessage {
  const own = ownForm(item.form);
  const unchanged = own !== undefined && readContent(ownField(own, "content")).text === item.text;
  const answer = { role: "tool", tool_call_id: chatId(item.callId), content: item.text } as const;
  return unchanged ? { ...own, ...answer, content: ownField(own, "content") as string } : answer;
}

function writeOwn(value: unknown, messages: ChatMessage[], called: Set<string>): void {
  const calls = listOf(ownField(value, "tool_calls"));
  for (const toolCall of calls) {
    const id = ownField(toolCall, "id");
    if (typeof id === "string") called.add(id);
    addCall(toolCall as ChatToolCall, messages);
  }
  const content = ownField(value, "content");
  const isSaid = Array.isArray(content) && holdsParts(messages.at(-1), content);
  if (calls.length === 0 && !isSaid) messages.push(value as ChatAssistantMessage);
}

/** Other providers' ids may be longer than Chat Completions accepts. */
function chatId(id: string): string {
  return id.length <= MAX_ID_LENGTH ? id : fitCallId(id, MAX_ID_LENGTH);
}

function ownForm(form: ProviderForm | undefined): Readonly<Record<string, unknown>> | undefined {
  const isOwn = form?.provider === CHAT && typeof form.value === "object" && form.value !== null;
  return isOwn ? (form.value as Readonly<Record<string, unknown>>) : undefined;
}
