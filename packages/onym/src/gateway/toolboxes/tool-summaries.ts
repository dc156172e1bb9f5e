// Tools as the gateway's own tools describe them, in steps: there may be many, with long texts (SAFE-4).

import type { NamingTable, Tool } from "@onym/core";
import type { Steps } from "../../model/run-slices.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { renderJson } from "../listing/schema-text.js";
import { createNameFinder, renderReferences } from "../references/find-references.js";
import type { Visibility } from "../visibility/visibility.js";
import type { ShownTools, ToolSummary } from "./format-meta-results.js";

/** Characters of the tools that one answer describes, as JSON. The first one is described in any case. */
export const MAX_SHOWN_LENGTH = 524_288;

export interface SummaryOptions {
  readonly snapshot: GatewaySnapshot;
  /** The names of the caller. */
  readonly table: NamingTable;
  readonly visibility: Visibility | undefined;
  readonly hasSchemas: boolean;
}

/** With the caller's names, also where one tool's text mentions another (GW-9). The caller sees all these tools. */
export function* summarySteps(
  tools: readonly Tool[],
  { snapshot, table, visibility, hasSchemas }: SummaryOptions,
): Steps<ShownTools> {
  const find = createNameFinder(table, visibility);
  const shown: ToolSummary[] = [];
  let room = MAX_SHOWN_LENGTH;
  for (const tool of tools) {
    yield;
    const { description, inputSchema } = textsOf(tool, snapshot, (raw) => find(tool, raw));
    const { title, annotations } = tool.definition;
    const summary: ToolSummary = {
      name: table.nameOf(tool) ?? tool.canonical,
      raw: tool.raw,
      server: tool.server,
      toolbox: tool.toolbox,
      title,
      description,
      inputSchema: hasSchemas ? inputSchema : undefined,
      annotations,
    };
    room -= JSON.stringify(summary).length;
    if (room < 0 && shown.length > 0) break;
    shown.push(summary);
  }
  return { tools: shown, more: tools.length - shown.length };
}

function textsOf(
  tool: Tool,
  snapshot: GatewaySnapshot,
  nameOf: (raw: string) => string,
): Pick<ToolSummary, "description" | "inputSchema"> {
  const owner = snapshot.ownerOf(tool);
  const body = owner === undefined ? undefined : snapshot.offerOf(owner)?.bodies.get(tool.definition);
  const { description, inputSchema } = tool.definition;
  if (body === undefined) return { description, inputSchema };
  const { description: parts, members } = body;
  return {
    description: parts === undefined ? undefined : renderReferences(parts, nameOf),
    inputSchema:
      members.mentions.length === 0
        ? inputSchema
        : JSON.parse(`{${renderJson(members, nameOf)}}`)["inputSchema"],
  };
}
