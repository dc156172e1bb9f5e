// Tools that the MCP adapters loaded → catalog sources, and the map back to each loaded tool.

import type { ListedTool, ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { ownField } from "../../identity/name-parts.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";

/** The part of a loaded tool that is needed; `DynamicStructuredTool` has it. */
export interface LoadedTool {
  readonly name: string;
  readonly description?: string;
  readonly schema?: unknown;
}

/** The options of the MCP adapters that the tools were loaded with. */
export interface LoadPrefixes {
  readonly prefixToolNameWithServerName?: boolean;
  readonly additionalToolNamePrefix?: string;
}

export interface LoadedTools<Loaded extends LoadedTool = LoadedTool> {
  /** For `buildLangChainAdapter`, or for `buildSnapshot` if there is a lock. */
  readonly sources: readonly ToolSource[];
  /** The loaded tool behind a catalog tool. */
  readonly loadedOf: (tool: Tool) => Loaded | undefined;
}

/**
 * Finds the server and raw name of each loaded tool. Load the tools server by server: one list of all tools does
 * not show where a tool comes from.
 *
 * @example
 * const docs = [{ name: "docs__search", description: "Search", schema: { type: "object" } }];
 * const loaded = readLoadedTools([["docs", docs]], { prefixToolNameWithServerName: true });
 * loaded.sources[0]?.tools; // [{ name: "search", … }]
 */
export function readLoadedTools<Loaded extends LoadedTool>(
  servers: Iterable<readonly [server: string, tools: readonly Loaded[]]>,
  prefixes: LoadPrefixes = {},
): LoadedTools<Loaded> {
  const byKey = new Map<ToolKey, Loaded>();
  const sources = Array.from(servers, ([server, loaded]): ToolSource => {
    const prefix = prefixOf(server, prefixes);
    const tools = loaded.map((tool): ListedTool => {
      const raw = tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
      const key = toolKeyOf({ server, raw });
      if (!byKey.has(key)) byKey.set(key, tool);
      return {
        name: raw,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        ...(isJsonSchema(tool.schema) ? { inputSchema: tool.schema } : {}),
      };
    });
    return { server, tools };
  });
  return Object.freeze({ sources, loadedOf: (tool: Tool) => byKey.get(tool.key) });
}

/** What the MCP adapters add before a raw name. */
export function prefixOf(server: string, prefixes: LoadPrefixes): string {
  const { additionalToolNamePrefix = "", prefixToolNameWithServerName = false } = prefixes;
  const additional = additionalToolNamePrefix === "" ? "" : `${additionalToolNamePrefix}__`;
  return additional + (prefixToolNameWithServerName ? `${server}__` : "");
}

/** A Zod schema also has a `type`, but is not JSON. */
function isJsonSchema(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null || "_zod" in schema || "_def" in schema) return false;
  return typeof ownField(schema, "type") === "string";
}
