// Messages API messages → a provider-neutral conversation.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm, ToolReference } from "../history.js";
import { listOf, restOf } from "../json-text.js";
import { readArguments } from "../read-arguments.js";
import type { ToolBelt } from "../tool-belt.js";
import { ANTHROPIC, type AnthropicOpaque } from "./shapes.js";

type Role = AnthropicOpaque["role"];

export interface AnthropicReader {
  readonly belt: Pick<ToolBelt, "refer">;
  /** Names of tools that are not from the catalog. Their calls stay opaque. */
  readonly reserved: ReadonlySet<string>;
}

/** Never throws: values that are not messages, and blocks that only Anthropic knows, become opaque. */
export function readAnthropicHistory(
  messages: readonly unknown[],
  { belt, reserved }: AnthropicReader,
): readonly HistoryItem[] {
  const calls = new Map<string, ToolReference>();

  const readCall = (block: unknown): readonly HistoryItem[] | undefined => {
    const [id, name] = [ownField(block, "id"), ownField(block, "name")];
    if (typeof id !== "string" || typeof name !== "string" || reserved.has(name)) return undefined;
    if ((ownField(block, "toolset_name") ?? undefined) !== undefined) return undefined;
    const tool = belt.refer(name);
    calls.set(id, tool);
    const read = readArguments(ownField(block, "input"));
    // Arguments that are not an object were refused at the time, and no provider accepts them back.
    const value = read.ok ? read.value : {};
    return [
      { kind: "call", callId: id, tool, arguments: value, ...formOf(block, ["type", "id", "name", "input"]) },
    ];
  };

  const readResult = (block: unknown): readonly HistoryItem[] | undefined => {
    const id = ownField(block, "tool_use_id");
    // If its call is not a catalog call, the result would have no call with another provider.
    const tool = typeof id === "string" ? calls.get(id) : undefined;
    if (typeof id !== "string" || tool === undefined) return undefined;
    const content = ownField(block, "content");
    const [references, others] = partition(listOf(content), isReference);
    const kept = Array.isArray(content) ? { ...(block as object), content: others } : block;
    const result: HistoryItem = {
      kind: "result",
      callId: id,
      tool,
      text: resultText(kept),
      isError: ownField(block, "is_error") === true,
      ...formOf(kept, ["type", "tool_use_id", "is_error", ...(others.length === 0 ? ["content"] : [])]),
    };
    return references.length === 0 ? [result] : [result, referencesOf(id, references)];
  };

  const referencesOf = (callId: string, blocks: readonly unknown[]): HistoryItem => ({
    kind: "references",
    callId,
    tools: blocks.map((each) => belt.refer(ownField(each, "tool_name"))),
  });

  const readBlock = (role: Role, block: unknown): readonly HistoryItem[] => {
    const type = ownField(block, "type");
    const text = ownField(block, "text");
    if (type === "text" && typeof text === "string") {
      return [{ kind: "text", role, text, ...formOf(block, ["type", "text"]) }];
    }
    const opaque: readonly HistoryItem[] = [{ kind: "opaque", provider: ANTHROPIC, value: { role, block } }];
    if (type === "tool_use" && role === "assistant") return readCall(block) ?? opaque;
    if (type === "tool_result" && role === "user") return readResult(block) ?? opaque;
    const id = ownField(block, "tool_use_id");
    const found = ownField(ownField(block, "content"), "tool_references");
    if (type === "tool_search_tool_result" && typeof id === "string" && Array.isArray(found)) {
      return [referencesOf(id, found)];
    }
    return opaque;
  };

  return messages.flatMap((message): readonly HistoryItem[] => {
    const [role, content] = [ownField(message, "role"), ownField(message, "content")];
    if (role !== "user" && role !== "assistant" && role !== "system") return [unreadable(message)];
    if (typeof content === "string") return [{ kind: "text", role, text: content }];
    return Array.isArray(content)
      ? content.flatMap((block) => readBlock(role, block))
      : [unreadable(message)];
  });
}

/** The text of a result, for other providers. */
export function resultText(block: unknown): string {
  const content = ownField(block, "content");
  if (typeof content === "string") return content;
  const texts = listOf(content).filter((each) => ownField(each, "type") === "text");
  return texts.map((each) => String(ownField(each, "text"))).join("\n");
}

function unreadable(value: unknown): HistoryItem {
  return { kind: "opaque", provider: ANTHROPIC, value };
}

function formOf(block: unknown, said: readonly string[]): { readonly form?: ProviderForm } {
  return restOf(block, said) === undefined ? {} : { form: { provider: ANTHROPIC, value: block } };
}

function isReference(block: unknown): boolean {
  return ownField(block, "type") === "tool_reference";
}

function partition<T>(all: readonly T[], test: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}
