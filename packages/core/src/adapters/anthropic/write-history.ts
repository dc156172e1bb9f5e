// A provider-neutral conversation → Messages API messages.

import { ownField } from "../../identity/name-parts.js";
import { shortDigest } from "../../identity/short-digest.js";
import { fitCallId } from "../fit-call-id.js";
import { gatherTurns, type TurnRole } from "../gather-turns.js";
import type { HistoryItem, ProviderForm } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import { resultText } from "./read-history.js";
import {
  ANTHROPIC,
  type AnthropicBlock,
  type AnthropicHistory,
  type AnthropicMessage,
  type AnthropicTextBlock,
  type AnthropicToolReferenceBlock,
  type AnthropicToolResultBlock,
  type AnthropicToolSearch,
} from "./shapes.js";

interface Part {
  readonly role: TurnRole;
  readonly block: AnthropicBlock;
}

type Item<Kind extends HistoryItem["kind"]> = Extract<HistoryItem, { readonly kind: Kind }>;

export interface AnthropicWriter {
  readonly belt: Pick<ToolBelt, "nameFor" | "tools">;
  /** The search tool of the request, if there is one. */
  readonly search: AnthropicToolSearch["name"] | undefined;
}

export function writeAnthropicHistory(
  items: readonly HistoryItem[],
  { belt, search }: AnthropicWriter,
): AnthropicHistory {
  const parts: Part[] = [];
  const dropped: HistoryItem[] = [];
  const deferred = new Map(belt.tools.flatMap((each) => (each.deferred ? [[each.tool.key, each.name]] : [])));

  const writeReferences = (item: Item<"references">): readonly Part[] | undefined => {
    const id = fitCallId(item.callId ?? "");
    // The API rejects the whole request if it refers to a tool that is not deferred in it.
    const names = item.tools.flatMap(({ key }) => (key === undefined ? [] : (deferred.get(key) ?? [])));
    const references = names.map(
      (name): AnthropicToolReferenceBlock => ({ type: "tool_reference", tool_name: name }),
    );
    const at = parts.findLastIndex(({ block }) => block.type === "tool_result" && block.tool_use_id === id);
    const answered = parts[at]?.block;
    if (answered?.type === "tool_result") {
      parts[at] = { role: "user", block: withReferences(answered, references) };
      return [];
    }
    if (search === undefined) return undefined;
    const isOwn = parts.some(({ block }) => block.type === "server_tool_use" && block.id === item.callId);
    if (isOwn && item.callId !== undefined) return [searchResult(item.callId, references)];
    return references.length === 0 ? undefined : ownSearch(search, references, parts.length);
  };

  const writeOpaque = ({ provider, value }: Item<"opaque">): readonly Part[] | undefined => {
    const [role, block] = [ownField(value, "role"), ownField(value, "block")];
    const isPart = role === "user" || role === "assistant" || role === "system";
    if (provider !== ANTHROPIC || !isPart || typeof block !== "object" || block === null) return undefined;
    // The API rejects a search without its search tool, and also the rest of that search.
    if (
      search === undefined &&
      (isSearchUse(block) || ownField(block, "type") === "tool_search_tool_result")
    ) {
      return undefined;
    }
    return [{ role, block: block as AnthropicBlock }];
  };

  const write = (item: HistoryItem): readonly Part[] | undefined => {
    if (item.kind === "references") return writeReferences(item);
    if (item.kind === "opaque") return writeOpaque(item);
    const own = ownForm(item.form);
    if (item.kind === "text") {
      // The API rejects blank text.
      if (item.text.trim() === "") return undefined;
      const kept = ownField(own, "text") === item.text ? own : undefined;
      return [{ role: item.role, block: { ...kept, type: "text", text: item.text } }];
    }
    const id = fitCallId(item.callId);
    if (item.kind === "call") {
      const name = belt.nameFor(item.tool);
      return [{ role: "assistant", block: { ...own, type: "tool_use", id, name, input: item.arguments } }];
    }
    const kept = own !== undefined && resultText(own) === item.text ? own : { content: item.text };
    const error = item.isError ? { is_error: true } : {};
    return [{ role: "user", block: { ...kept, type: "tool_result", tool_use_id: id, ...error } }];
  };

  for (const item of items) {
    const written = write(item);
    if (written === undefined) dropped.push(item);
    else parts.push(...written);
  }
  const { system, turns } = gatherTurns(parts, (block) => block.type === "tool_result");
  return {
    messages: turns.map(({ role, blocks }) => ({ role, content: shortest(blocks) }) as AnthropicMessage),
    system: system as AnthropicTextBlock[],
    dropped,
  };
}

function ownForm(form: ProviderForm | undefined): object | undefined {
  const isOwn = form?.provider === ANTHROPIC && typeof form.value === "object" && form.value !== null;
  return isOwn ? (form.value as object) : undefined;
}

/** A message with one plain text becomes a string. */
function shortest(blocks: AnthropicBlock[]): string | AnthropicBlock[] {
  const [first] = blocks;
  const isPlain = blocks.length === 1 && first?.type === "text" && Object.keys(first).length === 2;
  return isPlain ? first.text : blocks;
}

function withReferences(
  result: AnthropicToolResultBlock,
  references: AnthropicToolReferenceBlock[],
): AnthropicToolResultBlock {
  const { content = "" } = result;
  const before = typeof content === "string" ? (content === "" ? [] : [textBlock(content)]) : content;
  return { ...result, content: [...before, ...references] };
}

/** A search as this API would write it, for tools that another provider's search found. */
function ownSearch(
  name: AnthropicToolSearch["name"],
  references: AnthropicToolReferenceBlock[],
  position: number,
): readonly Part[] {
  const names = references.map((reference) => reference.tool_name);
  const id = `srvtoolu_${shortDigest([String(position), ...names])}`;
  const input = {
    query: names.join(name === "tool_search_tool_regex" ? "|" : " ").slice(0, MAX_QUERY_LENGTH),
  };
  return [
    { role: "assistant", block: { type: "server_tool_use", id, name, input } },
    searchResult(id, references),
  ];
}

const MAX_QUERY_LENGTH = 200;

function searchResult(id: string, references: AnthropicToolReferenceBlock[]): Part {
  const content = { type: "tool_search_tool_search_result" as const, tool_references: references };
  return { role: "assistant", block: { type: "tool_search_tool_result", tool_use_id: id, content } };
}

function isSearchUse(block: unknown): boolean {
  const name = ownField(block, "name");
  const isServerTool = ownField(block, "type") === "server_tool_use";
  return isServerTool && typeof name === "string" && name.startsWith("tool_search_tool_");
}

function textBlock(text: string): AnthropicTextBlock {
  return { type: "text", text };
}
