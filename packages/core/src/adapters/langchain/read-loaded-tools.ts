// Tools that the MCP adapters loaded → sources for a catalog, and the way back to each of them.

import type { ListedTool, ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { ownField } from "../../identity/name-parts.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";

/** What is needed of a loaded tool; `DynamicStructuredTool` has it. */
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
  /** For `buildLangChainAdapter`, or for `buildSnapshot` where there is a lock. */
  readonly sources: readonly ToolSource[];
  /** The loaded tool that a tool of the catalog is. */
  readonly loadedOf: (tool: Tool) => Loaded | undefined;
}

/**
 * Which tool of which server each loaded tool is. Load them server by server: a list of all of them does not say any
 * more where a tool is from.
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

/** What the MCP adapters put before a raw name. */
export function prefixOf(server: string, prefixes: LoadPrefixes): string {
  const { additionalToolNamePrefix = "", prefixToolNameWithServerName = false } = prefixes;
  const additional = additionalToolNamePrefix === "" ? "" : `${additionalToolNamePrefix}__`;
  return additional + (prefixToolNameWithServerName ? `${server}__` : "");
}

/** A Zod schema has a `type` as well; it is no JSON. */
function isJsonSchema(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null || "_zod" in schema || "_def" in schema) return false;
  return typeof ownField(schema, "type") === "string";
}
