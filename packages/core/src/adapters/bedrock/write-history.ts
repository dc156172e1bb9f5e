// A provider-neutral conversation → Converse API messages.

import { ownField } from "../../identity/name-parts.js";
import { fitCallId } from "../fit-call-id.js";
import { gatherTurns, type TurnRole } from "../gather-turns.js";
import type { HistoryItem, ToolReference } from "../history.js";
import type { ToolBelt } from "../tool-belt.js";
import { resultText } from "./read-history.js";
import {
  BEDROCK,
  type BedrockBlock,
  type BedrockHistory,
  type BedrockJson,
  type BedrockTextBlock,
  type BedrockToolResultBlock,
  MAX_ID_LENGTH,
  NO_OUTPUT,
} from "./shapes.js";

interface Part {
  readonly role: TurnRole;
  readonly block: BedrockBlock;
}

type Item<Kind extends HistoryItem["kind"]> = Extract<HistoryItem, { readonly kind: Kind }>;

/** Drops references: Converse has no tool search, so every tool is declared from the start. */
export function writeBedrockHistory(
  items: readonly HistoryItem[],
  belt: Pick<ToolBelt, "nameFor">,
): BedrockHistory {
  const parts: Part[] = [];
  const dropped: HistoryItem[] = [];
  for (const item of items) {
    const written = writeItem(item, belt);
    if (written === undefined) dropped.push(item);
    else parts.push(written);
  }
  const { system, turns } = gatherTurns(parts, (block) => "toolResult" in block);
  return {
    messages: turns.map(({ role, blocks }) => ({ role, content: blocks })),
    system: system as BedrockTextBlock[],
    dropped,
  };
}

function writeItem(item: HistoryItem, belt: Pick<ToolBelt, "nameFor">): Part | undefined {
  if (item.kind === "text") {
    // The API rejects blank text.
    return item.text.trim() === "" ? undefined : { role: item.role, block: { text: item.text } };
  }
  if (item.kind === "call") {
    const toolUseId = fitCallId(item.callId, MAX_ID_LENGTH);
    const input = item.arguments as BedrockJson;
    return { role: "assistant", block: { toolUse: { toolUseId, name: belt.nameFor(item.tool), input } } };
  }
  if (item.kind === "result") return { role: "user", block: writeResult(item) };
  return item.kind === "opaque" ? writeOpaque(item, belt) : undefined;
}

function writeResult({ callId, text, isError, form }: Item<"result">): BedrockToolResultBlock {
  const toolUseId = fitCallId(callId, MAX_ID_LENGTH);
  // If the text is equal, the stored form still matches the item.
  if (form?.provider === BEDROCK && resultText(form.value) === text) {
    return { toolResult: { ...(form.value as BedrockToolResultBlock["toolResult"]), toolUseId } };
  }
  return resultBlock(toolUseId, [{ text }], isError);
}

/** Success has no status, because not every model accepts one. */
export function resultBlock(
  toolUseId: string,
  content: readonly BedrockToolResultBlock["toolResult"]["content"][number][],
  isError: boolean,
): BedrockToolResultBlock {
  const said = content.filter((block) => !("text" in block) || block.text.trim() !== "");
  return {
    toolResult: {
      toolUseId,
      content: said.length === 0 ? [{ text: NO_OUTPUT }] : said,
      ...(isError ? { status: "error" } : {}),
    },
  };
}

function writeOpaque({ provider, value }: Item<"opaque">, belt: Pick<ToolBelt, "nameFor">): Part | undefined {
  const [role, block, tool] = [ownField(value, "role"), ownField(value, "block"), ownField(value, "tool")];
  const isRole = role === "user" || role === "assistant" || role === "system";
  if (provider !== BEDROCK || !isRole || typeof block !== "object" || block === null) return undefined;
  const current = tool === undefined ? block : renamed(block, belt.nameFor(tool as ToolReference));
  return { role, block: current as BedrockBlock };
}

/** A copy of a block that adds or removes a tool, with the tool's new name. */
function renamed(block: object, name: string): object {
  const kind = Object.hasOwn(block, "toolAddition") ? "toolAddition" : "toolRemoval";
  const change = ownField(block, kind);
  return { ...block, [kind]: { ...asObject(change), tool: { ...asObject(ownField(change, "tool")), name } } };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
