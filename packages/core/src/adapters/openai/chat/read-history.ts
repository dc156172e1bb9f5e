// Chat Completions messages ⇄ a provider-neutral conversation.

import { callIdOf } from "../../../identity/layers/call-id.js";
import { ownField } from "../../../identity/name-parts.js";
import { answerCalls } from "../../answer-calls.js";
import type { HistoryCodec, HistoryItem, ToolReference } from "../../history.js";
import { listOf, restOf } from "../../json-text.js";
import { readArguments } from "../../read-arguments.js";
import type { ToolBelt } from "../../tool-belt.js";
import { readContent, roleOf } from "../message-content.js";
import type { ChatMessage } from "./shapes.js";
import { CHAT, writeChatHistory } from "./write-history.js";

export function buildChatHistory(belt: ToolBelt): HistoryCodec<ChatMessage> {
  return {
    readHistory: (messages) => readMessages(messages, belt),
    writeHistory: (items) => writeChatHistory(answerCalls(items), belt),
  };
}

function readMessages(messages: readonly unknown[], belt: ToolBelt): readonly HistoryItem[] {
  const called = new Map<string, ToolReference>();
  return messages.flatMap((message): readonly HistoryItem[] => {
    if (ownField(message, "role") === "tool") return [readResult(message, called)];
    const role = roleOf(message);
    if (role === undefined) return [opaque(message)];
    const calls = role === "assistant" ? listOf(ownField(message, "tool_calls")) : [];
    return [
      ...readText(message, role, calls.length > 0),
      ...calls.map((toolCall) => readCall(toolCall, belt, called)),
    ];
  });
}

function readText(
  message: unknown,
  role: "system" | "user" | "assistant",
  hasCalls: boolean,
): readonly HistoryItem[] {
  const value = hasCalls ? restOf(message, ["tool_calls"]) : message;
  const { text, others } = readContent(ownField(message, "content") ?? ownField(message, "refusal"));
  if (text !== "") {
    const item: HistoryItem = { kind: "text", role, text, form: { provider: CHAT, value } };
    return others.length === 0
      ? [item]
      : [item, opaque({ role: ownField(message, "role"), content: others })];
  }
  // A message that only makes calls needs no item of its own, unless it has more than the usual empty fields.
  const isEmpty = ![...others, ...["audio", "function_call"].map((field) => ownField(message, field))].some(
    Boolean,
  );
  return isEmpty && hasCalls ? [] : [opaque(value)];
}

function readCall(toolCall: unknown, belt: ToolBelt, called: Map<string, ToolReference>): HistoryItem {
  const declared = ownField(toolCall, "function");
  const callId = callIdOf({ call_id: ownField(toolCall, "id") });
  const name = ownField(declared, "name");
  // A custom tool's call, or a malformed one: no other provider can express it.
  if (callId === undefined || typeof name !== "string") {
    return opaque({ role: "assistant", content: null, tool_calls: [toolCall] });
  }
  const tool = belt.refer(name);
  called.set(callId, tool);
  const read = readArguments(ownField(declared, "arguments"));
  const form = { provider: CHAT, value: toolCall };
  return { kind: "call", callId, tool, arguments: read.ok ? read.value : {}, form };
}

function readResult(message: unknown, called: ReadonlyMap<string, ToolReference>): HistoryItem {
  const callId = callIdOf({ call_id: ownField(message, "tool_call_id") });
  if (callId === undefined) return opaque(message);
  const { text } = readContent(ownField(message, "content"));
  const form = { provider: CHAT, value: message };
  return { kind: "result", callId, tool: called.get(callId), text, isError: false, form };
}

function opaque(value: unknown): HistoryItem {
  return { kind: "opaque", provider: CHAT, value };
}
