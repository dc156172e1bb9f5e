// Items of the Responses API or the Agents SDK ⇄ a provider-neutral conversation.

import { callIdOf } from "../../../identity/layers/call-id.js";
import { ownField } from "../../../identity/name-parts.js";
import type { HistoryCodec, HistoryItem, ToolReference } from "../../history.js";
import { readArguments } from "../../read-arguments.js";
import { readContent, roleOf } from "../message-content.js";
import type { ItemHistoryContext } from "./item-dialect.js";
import { referTo } from "./namespaces.js";
import { readToolSearch } from "./tool-search-history.js";
import { writeItemHistory } from "./write-history.js";

export function buildItemHistory<Item>(context: ItemHistoryContext<Item>): HistoryCodec<Item> {
  return {
    readHistory: (items) => readItems(items, context),
    writeHistory: (items) => writeItemHistory(items, context),
  };
}

function readItems<Item>(
  items: readonly unknown[],
  { belt, namespaceOf, dialect }: ItemHistoryContext<Item>,
): readonly HistoryItem[] {
  const referred = (item: unknown, name: string): ToolReference => {
    const namespace = dialect.hasOwnNamespaces === true ? undefined : ownField(item, "namespace");
    return referTo(name, namespace, { belt, namespaceOf });
  };
  const { provider } = dialect;
  const called = new Map<string, ToolReference>();
  const opaque = (value: unknown): HistoryItem => ({ kind: "opaque", provider, value });

  const readMessage = (item: unknown): readonly HistoryItem[] => {
    const role = roleOf(item);
    const { text, others } = readContent(ownField(item, "content"));
    if (role === undefined || text === "") return [opaque(item)];
    const said: HistoryItem = { kind: "text", role, text, form: { provider, value: item } };
    return others.length === 0 ? [said] : [said, opaque({ role: ownField(item, "role"), content: others })];
  };
  const readCall = (item: unknown): HistoryItem => {
    const callId = callIdOf({ call_id: ownField(item, dialect.callIdField) });
    const name = ownField(item, "name");
    if (callId === undefined || typeof name !== "string") return opaque(item);
    const tool = referred(item, name);
    called.set(callId, tool);
    const read = readArguments(ownField(item, "arguments"));
    const form = { provider, value: item };
    return { kind: "call", callId, tool, arguments: read.ok ? read.value : {}, form };
  };
  const readResult = (item: unknown): readonly HistoryItem[] => {
    const callId = callIdOf({ call_id: ownField(item, dialect.callIdField) });
    if (callId === undefined) return [opaque(item)];
    const name = ownField(item, "name");
    const tool = called.get(callId) ?? (typeof name === "string" ? referred(item, name) : undefined);
    const { text, others } = readContent(ownField(item, "output"));
    const form = { provider, value: item };
    const result: HistoryItem = { kind: "result", callId, tool, text, isError: false, form };
    return others.length === 0 ? [result] : [result, opaque({ role: "user", content: others })];
  };

  const history: HistoryItem[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    const type = ownField(item, "type") ?? "message";
    const search = readToolSearch(item, items[at + 1], { provider, belt, namespaceOf });
    if (search !== undefined) {
      history.push(search.item);
      at += search.length - 1;
    } else if (type === "message") history.push(...readMessage(item));
    else if (type === "function_call") history.push(readCall(item));
    else if (type === dialect.resultType) history.push(...readResult(item));
    else history.push(opaque(item));
  }
  return history;
}
