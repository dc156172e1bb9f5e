// LangChain messages → a provider-neutral conversation.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm } from "../history.js";
import { listOf, restOf } from "../json-text.js";
import { readArguments } from "../read-arguments.js";
import type { ToolBelt } from "../tool-belt.js";
import { type ReadCall, type Role, readMessage, readToolCall } from "./read-message.js";

export const PROVIDER = "langchain";

/** A block that only LangChain's model understands, or a whole message of another kind. */
export type OpaqueValue =
  | { readonly role: Role; readonly block: object; readonly message?: OwnFields["message"] }
  | { readonly whole: unknown };

/** What an item does not contain: its block in the content, and other fields of the message that it starts. */
export interface OwnFields {
  readonly block?: object | undefined;
  readonly message?: Readonly<Record<string, unknown>> | undefined;
  readonly content?: readonly unknown[] | undefined;
}

export function readMessages(messages: readonly unknown[], belt: ToolBelt): readonly HistoryItem[] {
  return messages.flatMap((message): readonly HistoryItem[] => {
    const read = readMessage(message);
    if (read === undefined) {
      if (typeof message !== "object" || message === null) return [];
      return [{ kind: "opaque", provider: PROVIDER, value: { whole: message } satisfies OpaqueValue }];
    }
    const { role, fields } = read;
    const items = role === "tool" ? readResult(fields, belt) : readContent(role, fields, belt);
    const [first, ...rest] = items;
    const kept = keptFields(fields, role);
    if (first === undefined || kept === undefined || first.kind === "references") return items;
    if (first.kind === "opaque") {
      return [{ ...first, value: { ...(first.value as object), message: kept } }, ...rest];
    }
    const own = first.form?.value as OwnFields | undefined;
    return [{ ...first, ...formOf({ ...own, message: kept }) }, ...rest];
  });
}

function readContent(role: Exclude<Role, "tool">, fields: object, belt: ToolBelt): readonly HistoryItem[] {
  const content = ownField(fields, "content");
  const calls = role === "assistant" ? readCalls(fields) : new Map<string, ReadCall>();
  const items = (typeof content === "string" ? [content] : listOf(content)).flatMap(
    (block): readonly HistoryItem[] => {
      if (typeof block === "string") return block === "" ? [] : [{ kind: "text", role, text: block }];
      if (typeof block !== "object" || block === null) return [];
      const id = ownField(block, "id") as string;
      const call = calls.get(id);
      // Some models repeat a call: in the content, in their own format, and in `tool_calls`.
      if (call !== undefined && calls.delete(id)) return [callItem(id, call, belt, block)];
      const text = ownField(block, "text");
      const isText = ownField(block, "type") === "text" && typeof text === "string";
      if (!isText)
        return [{ kind: "opaque", provider: PROVIDER, value: { role, block } satisfies OpaqueValue }];
      const form = restOf(block, ["type", "text"]) === undefined ? {} : formOf({ block });
      return [{ kind: "text", role, text, ...form }];
    },
  );
  return [...items, ...Array.from(calls, ([id, call]) => callItem(id, call, belt))];
}

/** Calls by id. A call whose arguments were not valid JSON is included, so that its answer has a call. */
function readCalls(fields: object): Map<string, ReadCall> {
  const given = [
    ...listOf(ownField(fields, "tool_calls")),
    ...listOf(ownField(fields, "invalid_tool_calls")),
  ];
  return new Map(
    given
      .map(readToolCall)
      .flatMap((call) => (typeof call.id === "string" && call.id !== "" ? [[call.id, call]] : [])),
  );
}

function callItem(callId: string, { name, args }: ReadCall, belt: ToolBelt, block?: object): HistoryItem {
  const read = readArguments(args);
  const given = read.ok ? read.value : {};
  return { kind: "call", callId, tool: belt.refer(name), arguments: given, ...formOf({ block }) };
}

function readResult(fields: object, belt: ToolBelt): readonly HistoryItem[] {
  const callId = ownField(fields, "tool_call_id");
  if (typeof callId !== "string" || callId === "") return [];
  const name = ownField(fields, "name");
  const tool = typeof name === "string" && name !== "" ? belt.refer(name) : undefined;
  const content = ownField(fields, "content");
  const isError = ownField(fields, "status") === "error";
  const form = Array.isArray(content) ? formOf({ content }) : {};
  return [{ kind: "result", callId, tool, text: textOf(content), isError, ...form }];
}

/** The text of a message's content, without its other parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((block) => (typeof block === "string" ? block : ownField(block, "text")));
  return texts.filter((text) => typeof text === "string").join("\n");
}

/**
 * LangGraph replaces messages by id, so the id stays. Copies of the calls have the old names, so they are dropped.
 */
function keptFields(fields: object, role: Role): Readonly<Record<string, unknown>> | undefined {
  const kept = {
    id: ownField(fields, "id"),
    name: role === "tool" ? undefined : ownField(fields, "name"),
    status: ownField(fields, "status") === "success" ? "success" : undefined,
    artifact: ownField(fields, "artifact"),
    usage_metadata: ownField(fields, "usage_metadata"),
    additional_kwargs: restOf(ownField(fields, "additional_kwargs"), ["tool_calls", "function_call"]),
    response_metadata: restOf(ownField(fields, "response_metadata"), ["output"]),
  };
  return restOf(kept, []);
}

function formOf(value: OwnFields): { readonly form?: ProviderForm } {
  const isEmpty = Object.values(value).every((field) => field === undefined);
  return isEmpty ? {} : { form: { provider: PROVIDER, value } };
}
