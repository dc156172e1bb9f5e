// A tool call as a span: its name and attributes. Uses OpenTelemetry's semantic conventions for generative AI (in
// development at the time of writing), and our own attributes for what they do not cover. Nothing here exports
// spans.

import { escapeText } from "../../names/escape-text.js";
import type { ToolKey } from "../tool-key.js";
import type { CallId } from "./call-id.js";
import { traceNameOfTool } from "./trace-name.js";

/** The conventions' term for where a tool runs; `function` if the caller of the model runs it. */
export type TracedToolType = "function" | "extension" | "datastore";

export interface TracedCall {
  /** A tool of a catalog. */
  readonly tool: {
    readonly key: ToolKey;
    readonly canonical: string;
    readonly server: string;
    readonly toolbox?: string | undefined;
    readonly definition?: { readonly description?: unknown } | undefined;
  };
  /** The tool's public name, not what a model wrote: foreign text would give span names unbounded cardinality. */
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Label for the span, if the name itself is unsuitable. */
  readonly traceName?: string | undefined;
  readonly callId?: CallId | undefined;
  /** The id of the profile whose names are used. */
  readonly profile?: string | undefined;
  readonly type?: TracedToolType;
}

/** Unknown attributes are absent. Every value is safe to show. */
export type TraceAttributes = Readonly<Record<string, string>>;

/** Descriptions are foreign text and are sent with every call. The catalog has the full text. */
const MAX_DESCRIPTION = 1_000;

/**
 * The span attributes of a call. Foreign text is escaped, because people read traces; the key remains JSON of the
 * same tuple.
 *
 * @example
 * traceAttributesOf({ tool, name: "sf_get_leads", callId, profile: "openai" })["gen_ai.tool.name"]; // "sf_get_leads"
 */
export function traceAttributesOf(call: TracedCall): TraceAttributes {
  const { tool, name, namespace, type = "function" } = call;
  const description = tool.definition?.description;
  const values: readonly (readonly [string, string | undefined])[] = [
    ["gen_ai.operation.name", "execute_tool"],
    ["gen_ai.tool.name", name],
    ["gen_ai.tool.type", type],
    ["gen_ai.tool.call.id", call.callId],
    ["gen_ai.tool.description", typeof description === "string" ? cut(description) : undefined],
    // A namespace that repeats the name is the wire format of a deferred tool, not a real namespace (ID-7).
    ["onym.tool.namespace", namespace === name ? undefined : namespace],
    ["onym.tool.canonical", tool.canonical],
    ["onym.server.id", tool.server],
    ["onym.toolbox", tool.toolbox],
    ["onym.profile", call.profile],
  ];
  const attributes: Record<string, string> = { "onym.tool.key": asciiJson(tool.key) };
  for (const [key, value] of values) {
    if (value !== undefined && value !== "") attributes[key] = escapeText(value);
  }
  return attributes;
}

/**
 * The span name: `execute_tool` and the trace name.
 *
 * @example
 * spanNameOf({ name: "lookup", namespace: "crm" }); // "execute_tool crm.lookup"
 */
export function spanNameOf(call: Pick<TracedCall, "name" | "namespace" | "traceName">): string {
  const label = traceNameOfTool(call);
  return label === undefined ? "execute_tool" : `execute_tool ${escapeText(label)}`;
}

function cut(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION)}…`;
}

/** JSON allows every character to be escaped, so the text is still JSON of the same value. */
function asciiJson(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
