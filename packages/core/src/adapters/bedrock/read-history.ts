// Converse API messages → a provider-neutral conversation.

import { ownField } from "../../identity/name-parts.js";
import type { HistoryItem, ProviderForm, ToolReference } from "../history.js";
import { listOf, restOf, textOfValue } from "../json-text.js";
import { readArguments } from "../read-arguments.js";
import type { ToolBelt } from "../tool-belt.js";
import { BEDROCK, type BedrockMessage, NO_OUTPUT } from "./shapes.js";

type Role = BedrockMessage["role"];

export interface BedrockReader {
  readonly belt: Pick<ToolBelt, "refer">;
  /** Names of tools that are not from the catalog. Their calls stay opaque. */
  readonly reserved: ReadonlySet<string>;
}

/** Never throws: values that are not messages, and blocks that only Converse knows, become opaque. */
export function readBedrockHistory(
  messages: readonly unknown[],
  { belt, reserved }: BedrockReader,
): readonly HistoryItem[] {
  const calls = new Map<string, ToolReference>();

  const readCall = (use: unknown): HistoryItem | undefined => {
    const [id, name] = [ownField(use, "toolUseId"), ownField(use, "name")];
    if (typeof id !== "string" || typeof name !== "string" || reserved.has(name)) return undefined;
    if (restOf(use, ["toolUseId", "name", "input"]) !== undefined) return undefined;
    const tool = belt.refer(name);
    calls.set(id, tool);
    const read = readArguments(ownField(use, "input"));
    // Arguments that are not an object were refused at the time, and no provider accepts them back.
    return { kind: "call", callId: id, tool, arguments: read.ok ? read.value : {} };
  };

  const readResult = (result: unknown): HistoryItem | undefined => {
    const id = ownField(result, "toolUseId");
    // If its call is not a catalog call, the result would have no call with another provider.
    const tool = typeof id === "string" ? calls.get(id) : undefined;
    if (typeof id !== "string" || tool === undefined) return undefined;
    const isError = ownField(result, "status") === "error";
    return {
      kind: "result",
      callId: id,
      tool,
      text: resultText(result),
      isError,
      ...formOf(result, isError),
    };
  };

  const readBlock = (role: Role, block: unknown): HistoryItem => {
    const text = ownField(block, "text");
    if (typeof text === "string") return { kind: "text", role, text };
    const opaque: HistoryItem = {
      kind: "opaque",
      provider: BEDROCK,
      value: { role, block, ...changeOf(block) },
    };
    const [use, result] = [ownField(block, "toolUse"), ownField(block, "toolResult")];
    if (use !== undefined && role === "assistant") return readCall(use) ?? opaque;
    if (result !== undefined && role === "user") return readResult(result) ?? opaque;
    return opaque;
  };

  /** A block that adds or removes a tool contains its name, which may have changed by the time it is written. */
  const changeOf = (block: unknown): { readonly tool?: ToolReference } => {
    const change = ownField(block, "toolAddition") ?? ownField(block, "toolRemoval");
    const name = ownField(ownField(change, "tool"), "name");
    return typeof name === "string" ? { tool: belt.refer(name) } : {};
  };

  return messages.flatMap((message): readonly HistoryItem[] => {
    const [role, content] = [ownField(message, "role"), ownField(message, "content")];
    const isRole = role === "user" || role === "assistant" || role === "system";
    return isRole && Array.isArray(content)
      ? content.map((block) => readBlock(role, block))
      : [{ kind: "opaque", provider: BEDROCK, value: message }];
  });
}

/** The text of a result, for other providers. */
export function resultText(result: unknown): string {
  const texts = listOf(ownField(result, "content")).flatMap((block) => {
    const [text, json] = [ownField(block, "text"), ownField(block, "json")];
    if (typeof text === "string") return [text];
    return json === undefined ? [] : [textOfValue(json)];
  });
  const text = texts.join("\n");
  return text === NO_OUTPUT ? "" : text;
}

/** `undefined` if the result is a single text and its status is an error or absent. */
function formOf(result: unknown, isError: boolean): { readonly form?: ProviderForm } {
  const [first, ...others] = listOf(ownField(result, "content"));
  const isOneText = others.length === 0 && typeof ownField(first, "text") === "string";
  const rest = restOf(result, ["toolUseId", "content", ...(isError ? ["status"] : [])]);
  return isOneText && rest === undefined ? {} : { form: { provider: BEDROCK, value: result } };
}
