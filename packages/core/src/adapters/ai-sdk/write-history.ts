// A provider-neutral conversation → AI SDK messages, with the present names.

import type { HistoryItem, ProviderForm, ToolReference, WrittenHistory } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import { type OpaquePart, type OwnFields, PROVIDER, type Role } from "./read-history.js";
import type { AiSdkMessage } from "./shapes.js";
import { readOutput, writeOutput } from "./tool-output.js";

interface Draft {
  readonly role: Role;
  readonly fields: OwnFields["message"];
  readonly parts: object[];
}

export function writeMessages(items: readonly HistoryItem[], belt: ToolBelt): WrittenHistory<AiSdkMessage> {
  const drafts: Draft[] = [];
  const dropped: HistoryItem[] = [];
  const called = new Map<string, ToolReference>();

  const add = (role: Role, part: object, own: OwnFields | undefined): void => {
    const whole = { ...part, ...own?.part };
    const last = drafts.at(-1);
    // The fields of a message are stored with its first item.
    const isNew = last === undefined || own?.message !== undefined;
    if (!isNew && belongsTo(last, role, whole)) last.parts.push(whole);
    else drafts.push({ role, fields: own?.message, parts: [whole] });
  };

  for (const item of items) {
    if (item.kind === "text") add(item.role, { type: "text", text: item.text }, ownFields(item.form));
    else if (item.kind === "call") {
      const { callId: toolCallId, tool, arguments: input } = item;
      called.set(toolCallId, tool);
      const toolName = belt.nameFor(tool);
      add("assistant", { type: "tool-call", toolCallId, toolName, input }, ownFields(item.form));
    } else if (item.kind === "result") {
      const { callId: toolCallId } = item;
      const tool = item.tool ?? called.get(toolCallId) ?? { key: undefined, written: "" };
      const toolName = belt.nameFor(tool);
      add(
        "tool",
        { type: "tool-result", toolCallId, toolName, output: outputOf(item) },
        ownFields(item.form),
      );
    } else if (item.kind === "opaque" && item.provider === PROVIDER) {
      const { role, part, message } = item.value as OpaquePart;
      add(role, part, { message });
    } else dropped.push(item);
  }
  return { messages: drafts.map(finish), dropped };
}

/** The SDK's own form of a result, if it still matches the item. */
function outputOf(item: HistoryItem & { readonly kind: "result" }): unknown {
  const own = ownFields(item.form)?.output;
  const said = own === undefined ? undefined : readOutput(own);
  return said?.text === item.text && said.isError === item.isError ? own : writeOutput(item);
}

/**
 * The assistant's parts form one message, and so do the results of its calls. Two texts of a user are two messages.
 */
function belongsTo(last: Draft, role: Role, part: object): boolean {
  if (last.role !== role || role === "system") return false;
  return role !== "user" || !isText(part) || !last.parts.every(isText);
}

function finish({ role, fields, parts }: Draft): AiSdkMessage {
  const [first, ...others] = parts;
  const isPlain = (role === "user" || role === "system") && others.length === 0 && isText(first);
  const content = isPlain && Object.keys(first).length === 2 ? first.text : parts;
  return { role, content, ...fields } as AiSdkMessage;
}

function isText(part: object | undefined): part is { readonly type: "text"; readonly text: string } {
  return part !== undefined && "type" in part && part.type === "text" && "text" in part;
}

function ownFields(form: ProviderForm | undefined): OwnFields | undefined {
  return form?.provider === PROVIDER ? (form.value as OwnFields) : undefined;
}
