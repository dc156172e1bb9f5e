// A provider-neutral conversation → items of the Responses API or the Agents SDK, with the present names.

import { ownField } from "../../../identity/name-parts.js";
import { fitCallId } from "../../fit-call-id.js";
import type { HistoryItem, ProviderForm, ToolReference, WrittenHistory } from "../../history.js";
import { holdsParts, readContent } from "../message-content.js";
import { sameArguments } from "../same-arguments.js";
import { type ItemHistoryContext, MAX_CALL_ID_LENGTH } from "./item-dialect.js";
import { writeToolSearch } from "./tool-search-history.js";

type Own = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  readonly namespace: string | undefined;
  /** The model sees this tool now. */
  readonly isShown: boolean;
}

type Item<Kind extends HistoryItem["kind"]> = Extract<HistoryItem, { readonly kind: Kind }>;

export function writeItemHistory<Written>(
  items: readonly HistoryItem[],
  context: ItemHistoryContext<Written>,
): WrittenHistory<Written> {
  const { belt, dialect, namespaceOf } = context;
  const byKey = new Map(belt.tools.map((entry) => [entry.tool.key, entry]));
  const called = new Map<string, ToolReference>();

  /** The provider's own format: a deferred top-level tool is in a namespace of its own name (ID-7). */
  const named = (reference: ToolReference): Named => {
    const name = belt.nameFor(reference);
    const entry = reference.key === undefined ? undefined : byKey.get(reference.key);
    const namespace = entry && (namespaceOf(entry.tool)?.name ?? (entry.deferred ? name : undefined));
    return { name, namespace, isShown: entry !== undefined };
  };
  const writeText = (item: Item<"text">): Written => {
    const own = ownForm(item.form, dialect.provider);
    const unchanged = own !== undefined && readContent(own["content"]).text === item.text;
    return unchanged ? (own as Written) : dialect.message(item.role, item.text);
  };
  const writeCall = (item: Item<"call">): Written => {
    called.set(item.callId, item.tool);
    const own = ownForm(item.form, dialect.provider);
    const written = own?.["arguments"];
    const text =
      typeof written === "string" && sameArguments(written, item.arguments)
        ? written
        : JSON.stringify(item.arguments);
    const names = named(item.tool);
    const callId = fitId(item.callId);
    if (own !== undefined) {
      return rename({ ...own, [dialect.callIdField]: callId, arguments: text }, names) as Written;
    }
    const { name, namespace } = names;
    const call = dialect.call({ callId, name, arguments: text });
    return namespace === undefined ? call : { ...call, namespace };
  };
  const writeResult = (item: Item<"result">): Written => {
    const reference = item.tool ?? called.get(item.callId);
    const names = named(reference ?? { key: undefined, written: "" });
    const callId = fitId(item.callId);
    const own = ownForm(item.form, dialect.provider);
    if (own === undefined || readContent(own["output"]).text !== item.text) {
      return dialect.result({ callId, name: names.name, text: item.text });
    }
    const kept = { ...own, [dialect.callIdField]: callId };
    const isNamed = reference !== undefined && typeof own["name"] === "string";
    return (isNamed ? rename(kept, names) : kept) as Written;
  };

  const messages: Written[] = [];
  const dropped: HistoryItem[] = [];
  for (const item of items) {
    if (item.kind === "text") messages.push(writeText(item));
    else if (item.kind === "call") messages.push(writeCall(item));
    else if (item.kind === "result") messages.push(writeResult(item));
    else if (item.kind === "references") {
      const search = writeToolSearch(item, { provider: dialect.provider, belt, namespaceOf });
      if (search === undefined) dropped.push(item);
      else messages.push(...(search as readonly Written[]));
    } else if (item.provider !== dialect.provider) dropped.push(item);
    else if (!isSaid(item.value, messages.at(-1))) messages.push(item.value as Written);
  }
  return { messages, dropped };
}

/**
 * The synthetic namespace may be omitted. A tool that the model no longer sees keeps its namespace, which no other
 * tool has.
 */
function rename(own: Own, { name, namespace, isShown }: Named): Own {
  const { namespace: former, ...rest } = own;
  const isLeftOut = (former ?? undefined) === undefined && namespace === name;
  const keeps = (former ?? undefined) === namespace || isLeftOut || !isShown;
  if (own["name"] === name && keeps) return own;
  return { ...rest, name, ...(namespace === undefined ? {} : { namespace }) };
}

function isSaid(value: unknown, last: unknown): boolean {
  const content = ownField(value, "content");
  return Array.isArray(content) && holdsParts(last, content);
}

function fitId(id: string): string {
  return id.length <= MAX_CALL_ID_LENGTH ? id : fitCallId(id, MAX_CALL_ID_LENGTH);
}

function ownForm(form: ProviderForm | undefined, provider: string): Own | undefined {
  const isOwn = form?.provider === provider && typeof form.value === "object" && form.value !== null;
  return isOwn ? (form.value as Own) : undefined;
}
