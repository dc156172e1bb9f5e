// One entry of tools/list for one caller: its name there, its other names beside it, where it comes from (GW-2, BOX-5).

import type { Tool } from "@onym/core";
import type { ToolBody } from "./tool-body.js";

/** The names of one tool that every list shows in one place or another. */
interface ToolNames {
  /** What this caller calls it. */
  readonly name: string;
  readonly openai: string | undefined;
  readonly cursor: string | undefined;
}

export interface EntryFacts {
  readonly tool: Tool;
  readonly names: ToolNames;
  readonly body: ToolBody;
  readonly members: string;
  /** The name of another tool of the same downstream, for mentions in the description. */
  readonly nameOf: (raw: string) => string;
}

export function formatTool({ tool, names, body, members, nameOf }: EntryFacts): string {
  const { name } = names;
  const cursor = names.cursor === names.openai ? undefined : names.cursor;
  const isCanonical = name === tool.canonical;
  const others = isCanonical
    ? optional("openai_name", names.openai) + optional("cursor_name", cursor)
    : `,"canonical_name":${JSON.stringify(tool.canonical)}`;
  const source = `"source_server":${JSON.stringify(tool.server)}${optional("toolbox_name", tool.toolbox)}`;
  const text = body.description?.map((part) => (typeof part === "string" ? part : nameOf(part.raw))).join("");
  return (
    `{"name":${JSON.stringify(name)}${optional("description", text)},${members}${others},${source},"_meta":{${body.meta}` +
    `"onym/canonicalName":${JSON.stringify(tool.canonical)}${optional("onym/openaiName", names.openai)}` +
    `${optional("onym/cursorName", cursor)},${source},"original_name":${JSON.stringify(tool.raw)}}}`
  );
}

function optional(key: string, value: string | undefined): string {
  return value === undefined ? "" : `,${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
