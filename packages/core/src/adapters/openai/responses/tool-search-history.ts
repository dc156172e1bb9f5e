// Tool searches in a conversation: which tools the model found, under their present names.

import { callIdOf } from "../../../identity/layers/call-id.js";
import { ownField } from "../../../identity/name-parts.js";
import type { ToolKey } from "../../../identity/tool-key.js";
import type { HistoryItem, ToolReference } from "../../history.js";
import { listOf } from "../../json-text.js";
import type { ToolBelt } from "../../tool-belt.js";
import { type NamespaceOf, referTo } from "./namespaces.js";
import { writeResponsesTools } from "./write-tools.js";

type References = Extract<HistoryItem, { readonly kind: "references" }>;

/** A search and its output belong together. A search alone means nothing to other providers. */
export function readToolSearch(
  item: unknown,
  next: unknown,
  context: { readonly provider: string; readonly belt: ToolBelt; readonly namespaceOf: NamespaceOf },
): { readonly item: References; readonly length: 1 | 2 } | undefined {
  const isPair = isSearch(item) && isOutcome(next) && idOf(item) === idOf(next);
  const outcome = isPair ? next : item;
  if (!isOutcome(outcome)) return undefined;
  const tools = listOf(ownField(outcome, "tools")).flatMap((tool) => foundTools(tool, undefined, context));
  const value = isPair ? [item, outcome] : [outcome];
  return {
    item: {
      kind: "references",
      callId: callIdOf({ call_id: idOf(outcome) }),
      tools,
      form: { provider: context.provider, value },
    },
    length: isPair ? 2 : 1,
  };
}

/** A function, or a namespace that contains functions. */
function foundTools(
  tool: unknown,
  namespace: unknown,
  context: { readonly belt: ToolBelt; readonly namespaceOf: NamespaceOf },
): readonly ToolReference[] {
  const name = ownField(tool, "name");
  if (ownField(tool, "type") === "namespace") {
    return listOf(ownField(tool, "tools")).flatMap((inner) => foundTools(inner, name, context));
  }
  return typeof name === "string" ? [referTo(name, namespace, context)] : [];
}

/**
 * The original search if all tools that it found still have the same names; otherwise a search in the provider's
 * format that finds the tools deferred now. `undefined` if there is nothing to find, because none of these tools is
 * deferred.
 */
export function writeToolSearch(
  { tools, form }: References,
  context: { readonly provider: string; readonly belt: ToolBelt; readonly namespaceOf: NamespaceOf },
): readonly unknown[] | undefined {
  const { belt, namespaceOf } = context;
  const own = form?.provider === context.provider ? listOf(form.value) : [];
  const keys = new Set<ToolKey | undefined>(tools.map(({ key }) => key));
  const entries = belt.tools.filter(({ tool, deferred }) => deferred && keys.has(tool.key));
  const found = writeResponsesTools(entries, namespaceOf);
  if (
    own.length > 0 &&
    JSON.stringify(namesOf(ownField(own.at(-1), "tools"))) === JSON.stringify(namesOf(found))
  ) {
    return own;
  }
  if (found.length === 0) return undefined;
  const common = { call_id: null, execution: "server", status: "completed" } as const;
  return [
    { type: "tool_search_call", ...common, arguments: { paths: found.map(({ name }) => name) } },
    { type: "tool_search_output", ...common, tools: found },
  ];
}

function namesOf(tools: unknown): readonly unknown[] {
  return listOf(tools).map((tool) => [ownField(tool, "name"), namesOf(ownField(tool, "tools"))]);
}

function isSearch(item: unknown): boolean {
  return ownField(item, "type") === "tool_search_call";
}

function isOutcome(item: unknown): boolean {
  return ownField(item, "type") === "tool_search_output";
}

/** The Agents SDK uses both spellings. A search that the provider ran itself has no id. */
function idOf(item: unknown): unknown {
  return ownField(item, "call_id") ?? ownField(item, "callId") ?? undefined;
}
