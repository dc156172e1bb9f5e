// One tool call as a span: its name and its attributes, in the terms of OpenTelemetry's conventions for generative AI
// (in development when this was written) and our own for what they do not know. Nothing here exports anything.

import { escapeText } from "../names/escape-text.js";
import type { CallId } from "./call-id.js";
import type { ToolKey } from "./tool-key.js";
import { traceNameOfTool } from "./trace-name.js";

/** What the conventions call the place where a tool runs; `function` where the caller of the model runs it. */
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
  /** The tool's public name, not what a model wrote: a span's name must not have a stranger's thousand values. */
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Label for the span, where the name itself will not do. */
  readonly traceName?: string | undefined;
  readonly callId?: CallId | undefined;
  /** The id of the profile whose names are used. */
  readonly profile?: string | undefined;
  readonly type?: TracedToolType;
}

/** Only what is known is there. Every value is text that is safe to show. */
export type TraceAttributes = Readonly<Record<string, string>>;

/** A description comes from outside and goes with every call; whoever needs all of it has the catalog. */
const MAX_DESCRIPTION = 1_000;

/**
 * The attributes of the span of a call. Foreign text in them is escaped, because people read traces; the key stays
 * JSON of the same tuple.
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
    // A namespace that repeats the name is the wire shape of a deferred tool, and names nothing (ID-7).
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
 * The name of the span: `execute_tool` and the trace name.
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

/** In JSON any character may be written as an escape, so the text stays JSON of the same value. */
function asciiJson(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
