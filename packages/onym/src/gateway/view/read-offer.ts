// What a downstream offers, ready to be named and listed. Made once for each inventory, whatever else changes.

import type { ListedTool, Tool } from "@onym/core";
import type { Inventory } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../rpc/json.js";
import type { TextPart } from "../references/find-references.js";
import { createReferenceFinder } from "../references/find-references.js";
import { type HeaderParam, scanHeaderParams } from "../scan-header-params.js";
import type { ServerSettings } from "../settings.js";
import { buildToolBody, type ToolBody } from "../tools/tool-body.js";

export interface Offer {
  /** For the catalog: names and definitions. */
  readonly tools: readonly ListedTool[];
  /** The body of a tool, by its definition; of two tools with one raw name the catalog takes one. */
  readonly bodyOf: (tool: Tool) => ToolBody | undefined;
  /** Arguments that modern HTTP repeats in headers, by raw name. */
  readonly headerParams: ReadonlyMap<string, readonly HeaderParam[]>;
  readonly prompts: readonly ListedTool[];
  readonly promptJson: ReadonlyMap<string, JsonObject>;
  readonly findReferences: (text: string) => readonly TextPart[];
}

export function readOffer(
  inventory: Pick<Inventory, "tools" | "prompts">,
  { admits }: Pick<ServerSettings, "admits">,
  references: boolean,
): Offer {
  const shown = inventory.tools.filter((tool) => admits(nameOf(tool)));
  const findReferences = references ? createReferenceFinder(shown.map(nameOf)) : (text: string) => [text];
  const tools = shown.map(listedTool);
  const bodies = new Map<unknown, ToolBody>();
  const headerParams = new Map<string, readonly HeaderParam[]>();
  for (const [index, tool] of shown.entries()) {
    const name = nameOf(tool);
    const body = buildToolBody(tool, findReferences);
    bodies.set(tools[index], body);
    bodies.set(name, body);
    const { declarations } = scanHeaderParams(tool["inputSchema"]);
    if (declarations.length > 0) headerParams.set(name, declarations);
  }
  return {
    tools,
    bodyOf: (tool) => bodies.get(tool.definition) ?? bodies.get(tool.raw),
    headerParams,
    prompts: inventory.prompts.map((prompt) => ({ name: nameOf(prompt) })),
    promptJson: new Map(inventory.prompts.map((prompt) => [nameOf(prompt), prompt])),
    findReferences,
  };
}

/** Fields of the wrong type are no part of a definition. */
function listedTool(tool: JsonObject): ListedTool {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name: nameOf(tool),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(isJsonObject(annotations) ? { annotations } : {}),
  };
}

function nameOf(entry: JsonObject): string {
  return String(entry["name"]);
}
