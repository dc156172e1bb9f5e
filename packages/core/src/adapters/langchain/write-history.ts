// A provider-neutral conversation → LangChain messages, with the present names.

import type { HistoryItem, ProviderForm, ToolReference, WrittenHistory } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import { type OpaqueValue, type OwnFields, PROVIDER, textOf } from "./read-history.js";
import type { Role } from "./read-message.js";
import type { LangChainMessage, LangChainToolCall } from "./shapes.js";

interface Draft {
  readonly role: Exclude<Role, "tool">;
  readonly fields: OwnFields["message"];
  readonly blocks: object[];
  readonly calls: LangChainToolCall[];
}

export function writeMessages(
  items: readonly HistoryItem[],
  belt: ToolBelt,
): WrittenHistory<LangChainMessage> {
  const written: (Draft | { readonly whole: unknown })[] = [];
  const dropped: HistoryItem[] = [];
  const called = new Map<string, ToolReference>();

  const open = (role: Draft["role"], block: object | undefined, fields: OwnFields["message"]): Draft => {
    const last = written.at(-1);
    // The fields of a message are stored with its first item.
    const isNew = fields !== undefined || last === undefined || !("role" in last);
    if (!isNew && belongsTo(last, role, block)) return last;
    const draft: Draft = { role, fields, blocks: [], calls: [] };
    written.push(draft);
    return draft;
  };

  for (const item of items) {
    if (item.kind === "text") {
      const own = ownFields(item.form);
      const block = { ...own?.block, type: "text", text: item.text };
      open(item.role, block, own?.message).blocks.push(block);
    } else if (item.kind === "call") {
      called.set(item.callId, item.tool);
      const name = belt.nameFor(item.tool);
      const { block, message } = ownFields(item.form) ?? {};
      const draft = open("assistant", undefined, message);
      if (block !== undefined) draft.blocks.push({ ...block, ...("name" in block ? { name } : {}) });
      draft.calls.push({ type: "tool_call", id: item.callId, name, args: { ...item.arguments } });
    } else if (item.kind === "result") {
      const tool = item.tool ?? called.get(item.callId) ?? { key: undefined, written: "" };
      written.push({ whole: toolMessage(item, belt.nameFor(tool)) });
    } else if (item.kind === "opaque" && item.provider === PROVIDER) {
      const value = item.value as OpaqueValue;
      if ("whole" in value) written.push(value);
      else if (value.role !== "tool") open(value.role, value.block, value.message).blocks.push(value.block);
    } else dropped.push(item);
  }
  return {
    messages: written.map((each) => ("role" in each ? finish(each) : each.whole) as LangChainMessage),
    dropped,
  };
}

function toolMessage(item: HistoryItem & { readonly kind: "result" }, name: string): object {
  const own = ownFields(item.form);
  const isSame = own?.content !== undefined && textOf(own.content) === item.text;
  const content = isSame ? own.content : item.text;
  const { status: _before, ...fields } = own?.message ?? {};
  const status = item.isError ? "error" : own?.message?.["status"];
  const known = { role: "tool", content, tool_call_id: item.callId, name };
  return { ...fields, ...known, ...(status === undefined ? {} : { status }) };
}

/** The assistant's text and calls form one message. Two texts of a user are two messages. */
function belongsTo(last: Draft, role: Role, block: object | undefined): boolean {
  if (last.role !== role || role === "system") return false;
  return role !== "user" || !isText(block) || !last.blocks.every(isText);
}

function finish({ role, fields, blocks, calls }: Draft): object {
  const [first, ...others] = blocks;
  const isPlain = others.length === 0 && (first === undefined || isText(first));
  const content = isPlain && Object.keys(first ?? {}).length <= 2 ? (first?.text ?? "") : blocks;
  return { ...fields, role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function isText(block: object | undefined): block is { readonly type: "text"; readonly text: string } {
  return block !== undefined && "type" in block && block.type === "text" && "text" in block;
}

function ownFields(form: ProviderForm | undefined): OwnFields | undefined {
  return form?.provider === PROVIDER ? (form.value as OwnFields) : undefined;
}
